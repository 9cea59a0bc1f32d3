/* SPDX-License-Identifier: MIT */
/* Requests of several callers, carried out together in one commit. Where the dialect has a
 * statement for that (batch.sql), it is one round trip, too; else they run one by one in one
 * transaction. */
#ifndef DBL_SQL_BATCH_H
#define DBL_SQL_BATCH_H

#include "sql/db.h"

enum { DBL_BATCH_MAX = 64 };

struct dbl_member {
	struct dbl_request *request;
	struct dblock_error *err; /* or NULL */
	bool singly;              /* it must go alone */
	bool apart;               /* out: nothing was done for it; it has to go again, alone */
	int rc;                   /* out, if not apart */
	/* Out, with DBLOCK_E_UNSURE: a release, of what is gone for certain; but of the members of which
	 * that is said one at least was gone before. */
	bool gone;
};

/* May this one go along with `members`, at most DBL_BATCH_MAX - 1, perhaps none? Not if it has so
 * little time left that the others would have to hurry. */
bool dbl_batch_joins(const struct dbl_target *, struct dbl_member *const *members, unsigned n,
		     const struct dbl_member *, int64_t now);

/* Each name belongs to one of two halves, by its hash: is the member's name in the second half?
 * What cannot be a member of a batch is in the first. */
bool dbl_batch_other_half(const struct dbl_member *);

/* The earliest of their deadlines. */
int64_t dbl_batch_deadline(struct dbl_member *const *members, unsigned n);

/* Run them: each has its own outcome. If the database refuses one, all must go again, alone. */
void dbl_batch_run(struct dbl_db *, struct dbl_member *const *members, unsigned n);

/* Give all of them the outcome of a batch that failed. */
void dbl_batch_fail(struct dbl_member *const *members, unsigned n, int rc,
		    const struct dblock_error *err);

#endif
