/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SERVER_CPU_H
#define BENCH_SERVER_CPU_H

#include <stdint.h>

/* The CPU time that a server (the folder with its state) and its children have used; 0 of none. To
 * the kernel's tick, which is 10 ms mostly. */
int64_t bench_server_cpu_us(const char *server);

#endif
