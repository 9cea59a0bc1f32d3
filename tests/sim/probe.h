/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SIM_PROBE_H
#define TESTS_SIM_PROBE_H

/* The last client: it can get every lock, and when the reaper has run twice, nothing is left. */
void *probe(void *process);

#endif
