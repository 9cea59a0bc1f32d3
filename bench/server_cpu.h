/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SERVER_CPU_H
#define BENCH_SERVER_CPU_H

#include <stdint.h>

/* Returns the CPU time that a server (the folder with its state) and its children have used; 0 if
 * there is none. It is exact to the kernel's tick, mostly 10 ms. */
int64_t bench_server_cpu_us(const char *server);

#endif
