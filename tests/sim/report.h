/* SPDX-License-Identifier: MIT */
/* What many worlds have shown, in sum. */
#ifndef TESTS_SIM_REPORT_H
#define TESTS_SIM_REPORT_H

#include "sim/world.h"

struct report {
	int64_t counts[COUNT_KINDS];
	uint64_t worlds, events, broken;
	int64_t lived; /* us of simulated time */
};

void report_add(struct report *, const struct world *);

/* Prints the report; false: an event was counted less often than its floor says. */
bool report_print(const struct report *, const struct count *, double seconds);

#endif
