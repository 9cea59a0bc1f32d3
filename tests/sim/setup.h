/* SPDX-License-Identifier: MIT */
/* Makes, before the first world, the database with the library's own tables. */
#ifndef TESTS_SIM_SETUP_H
#define TESTS_SIM_SETUP_H

#include "sim/world.h"

void setup(struct world *);

/* Likewise so many, from that number on: `make` is what a process does to them. */
void setup_databases(struct world *, const struct kind *, int n, int first,
		     void *(*make)(void *process));

#endif
