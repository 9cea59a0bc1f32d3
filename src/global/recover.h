/* SPDX-License-Identifier: MIT */
/* The recovery of global transactions: see dblock_recover(). */
#ifndef DBL_GLOBAL_RECOVER_H
#define DBL_GLOBAL_RECOVER_H

#include "global/global.h"

/* A database that is given. */
struct dbl_place {
	struct dbl_pool *pool;
	int64_t timeout;
	/* What recovery finds: */
	struct dblock_tx *tx; /* NULL: it cannot be reached */
	char home[33], history[33];
};

/* A branch that is prepared somewhere. */
struct dbl_prepared {
	struct dbl_xid xid;
	struct dbl_xid_text text;
	unsigned place;
	bool over;
};

struct dbl_recovery {
	struct dbl_place *places;
	unsigned n_places;
	const struct dbl_env *env;
	int64_t grace; /* us */
	dblock_recovery_cb *found;
	void *arg;
	struct dbl_prepared *prepared; /* by id, and number */
	size_t n_prepared, room;
};

/* Returns as dblock_recover(). */
int dbl_recover(struct dbl_recovery *, struct dblock_error *err);

/* recover_one.c: those of one transaction, which are n. What the callback returned. */
int dbl_recover_one(struct dbl_recovery *, struct dbl_prepared *, size_t n);

/* recover_marks.c: which branches of that transaction have committed, as a bit each, as far as can be seen. */
unsigned dbl_marks_of(struct dbl_recovery *, const struct dbl_xid *);

/* recover_marks.c: forget what is done everywhere; tell of what is not. What the callback returned. */
int dbl_recover_decisions(struct dbl_recovery *, struct dbl_place *);

/* One statement there. Rows are copied by `row`. */
int dbl_place_run(struct dbl_place *, enum dbl_op, struct dbl_args,
		  int (*row)(void *, const struct dbl_value *), void *ctx,
		  struct dblock_error *err);

/* NULL: it is not among those given, or cannot be reached. */
struct dbl_place *dbl_place_of_home(struct dbl_recovery *, const char *home);

int dbl_recovery_tell(struct dbl_recovery *, const struct dbl_xid *, enum dblock_recovered,
		      size_t branches, const char *text);

#endif
