/* SPDX-License-Identifier: MIT */
/* Makes, before the first world, the database with the library's own tables. */
#ifndef TESTS_SIM_SETUP_H
#define TESTS_SIM_SETUP_H

#include "sim/world.h"

void setup(struct world *);

#endif
