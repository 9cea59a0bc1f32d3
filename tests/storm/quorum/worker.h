/* SPDX-License-Identifier: MIT */
/* A process of the storm: hands that want the same few locks over the cluster, by the public API only. */
#ifndef TESTS_STORM_QUORUM_WORKER_H
#define TESTS_STORM_QUORUM_WORKER_H

#include <stdint.h>

#include "history/event.h"

enum { HANDS = 3, LOCKS = 4 };

const char *worker_lock_name(int);

/* Lives as a process until then (CLOCK_BOOTTIME, us), as a client of the cluster of these members. Returns the
 * exit code. */
int worker_run(int client, uint64_t seed, int64_t until, const char *const urls[]);

/* Takes each lock once, as this client, and gives it back: nobody else has it any more. Returns how many it could
 * not take. */
int worker_take_all(int client, const char *const urls[]);

#endif
