/* SPDX-License-Identifier: MIT */
/* What is proved of transactions over databases of several kinds, with real processes, which are killed. */
#ifndef TESTS_STORM_GLOBAL_TESTS_H
#define TESTS_STORM_GLOBAL_TESTS_H

#include <stdint.h>

/* Decides what happens; it is printed. DBLOCK_STORM_SEED has it. */
uint64_t tests_seed(void);

void who_begins_is_struck(void **state);
void who_recovers_is_struck(void **state);
void a_server_is_killed(void **state);
void money_between_servers(void **state);
void money_from_a_file(void **state);

#endif
