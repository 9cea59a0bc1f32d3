/* SPDX-License-Identifier: MIT */
/* The bugs of list.txt, as mutate.awk writes them. */
#ifndef TESTS_SIM_MUTANTS_H
#define TESTS_SIM_MUTANTS_H

#include "sim/world.h"
#include "sql/op.h"

/* The number of the planted bug: 1 is the first of list.txt; 0: none. */
extern int sim_mutant;

struct mutant {
	const char *name, *why;  /* NULL ends the list */
	const char *test;        /* that finds it; NULL: the simulator does, */
	const struct kind *kind; /* in worlds of this kind */
};

struct mutant_sql {
	int mutant; /* 0 ends the list */
	enum dbl_op op;
	const char *from, *to;
};

extern const struct mutant mutants[];
extern const struct mutant_sql mutants_sql[];

#endif
