/* SPDX-License-Identifier: MIT */
/*
 * Requests of several callers, carried out together: one commit for all of them. Where the dialect
 * has a statement for that (batch.sql) it is one round trip, too; else they go one by one within
 * one transaction.
 */
#ifndef DBL_SQL_BATCH_H
#define DBL_SQL_BATCH_H

#include "sql/db.h"

enum { DBL_BATCH_MAX = 64 };

struct dbl_member {
	struct dbl_request *request;
	struct dblock_error *err; /* or NULL */
	bool singly;              /* it does not go with others */
	bool apart;               /* out: nothing was done for it; it has to go again, singly */
	int rc;                   /* out, if not */
};

/* May it go along with these, at most DBL_BATCH_MAX - 1? Also if there are none yet. It is the same
 * for whoever has so little time left that the others would have to hurry. */
bool dbl_batch_joins(const struct dbl_target *, struct dbl_member *const *members, unsigned n,
		     const struct dbl_member *, int64_t now);

/* Names are in two halves, as good as by chance: is it of a name of the other one? What is no
 * member of a batch is in the first. */
bool dbl_batch_other_half(const struct dbl_member *);

/* The least of theirs. */
int64_t dbl_batch_deadline(struct dbl_member *const *members, unsigned n);

/* Run them: each has its own outcome. One that the database refuses does not spoil the others: all
 * are told to go again then. */
void dbl_batch_run(struct dbl_db *, struct dbl_member *const *members, unsigned n);

/* None of them could be sent. */
void dbl_batch_fail(struct dbl_member *const *members, unsigned n, int rc,
		    const struct dblock_error *err);

#endif
