/* SPDX-License-Identifier: MIT */
/* What a server has used, read so often that each statement can be told apart. (server_cpu.h is for
 * whole measurements: it goes through all processes, and knows a server's threads by ticks alone.) */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <time.h>

#include "sql/target.h"

double meter_clock_us(clockid_t);

/* Opens the CPU clocks of a server (the folder with its state) and its children, all of whose
 * threads must be there by now. Without a server it is this process's CPU time that is read. */
void meter_open(const char *server);
double meter_us(void);

/* Whether the server syncs what it commits: false, it writes only; true, as it ships. No effect on
 * SQLite, where a client says that. */
void meter_sync(const struct dbl_target *, bool on);

/* Counts what is done meanwhile: on SQLite this process's system calls, on MySQL and MariaDB what
 * their status has of it; nothing on PostgreSQL. */
struct counters;
struct counters *counters_begin(const struct dbl_target *);
/* Prints it; of a status, for each of n. */
void counters_end(struct counters *, int n);

#endif
