/* SPDX-License-Identifier: MIT */
/* Before the first world: the database, with the tables that the library itself makes. */
#ifndef TESTS_SIM_SETUP_H
#define TESTS_SIM_SETUP_H

#include "sim/world.h"

void setup(struct world *);

#endif
