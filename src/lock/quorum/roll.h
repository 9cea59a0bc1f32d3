/* SPDX-License-Identifier: MIT */
/* The databases of a cluster, and what each says it is, for whoever makes or changes the cluster:
 * init.c and replace.c. Inside src/lock/quorum. */
#ifndef DBL_LOCK_QUORUM_ROLL_H
#define DBL_LOCK_QUORUM_ROLL_H

#include "lock/core/context.h"
#include "lock/quorum/membership.h"

struct dbl_roll {
	struct dbl_locks *const *members;
	unsigned n;
	struct dbl_membership is[DBL_QUORUM_MAX];
};

/* The statement on the i-th, from 0. An error names the member. */
int dbl_roll_run(const struct dbl_roll *, unsigned i, enum dbl_op, struct dbl_args,
		 struct dblock_error *err);

/* Reads what the i-th is. */
int dbl_roll_read(struct dbl_roll *, unsigned i, struct dblock_error *err);

/* Fails if the i-th may forget votes when its machine crashes. One round trip. */
int dbl_roll_check_durable(const struct dbl_roll *, unsigned i, struct dblock_error *err);

/* Fails: the two, from 0, are one database. */
int dbl_roll_refuse_same(unsigned one, unsigned other, struct dblock_error *err);

/* Fails if the i-th is the same database as one before it, or one is a copy of the other. */
int dbl_roll_check_apart(const struct dbl_roll *, unsigned i, struct dblock_error *err);

#endif
