/* SPDX-License-Identifier: MIT */
/* Several acquires and releases in one statement (src/sql/batch.h). */
#ifndef TESTS_SIM_BATCH_H
#define TESTS_SIM_BATCH_H

#include "sim/letter.h"

struct world;

bool batch_is(const struct letter *);

/* Carries out each of its members as if it had come alone. */
void batch_carried_out(struct world *, const struct letter *);

#endif
