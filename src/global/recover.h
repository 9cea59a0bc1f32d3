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
	struct dblock_recover_options asked;
	dblock_recovery_cb *found;
	void *arg;
	struct dbl_prepared *prepared; /* by id, and number */
	size_t n_prepared, room;
};

/* One transaction that was left. */
struct dbl_left {
	const struct dbl_xid *xid;
	struct dbl_prepared *list; /* its branches that are prepared; or NULL */
	size_t n;
	int64_t parts;           /* so many branches it has in all, if it was decided; else 0 */
	struct dblock_error why; /* one could not be finished */
};

/* What it has written where: as far as can be seen. */
struct dbl_marks {
	unsigned seen; /* a bit for each branch that has committed */
	unsigned place[DBL_XID_MAX];
};

/* Returns as dblock_recover(). */
int dbl_recover(struct dbl_recovery *, struct dblock_error *err);

/* What these return is what a callback did, or a failure that ends the recovery. */

/* recover_one.c */
int dbl_recover_one(struct dbl_recovery *, struct dbl_left *, struct dblock_error *err);

/* recover_marks.c */
void dbl_marks_read(struct dbl_recovery *, const struct dbl_xid *, struct dbl_marks *);
void dbl_marks_forget(struct dbl_recovery *, const struct dbl_xid *);
/* Forget those there whose transactions have been forgotten. */
void dbl_marks_sweep(struct dbl_recovery *, struct dbl_place *);

/* recover_decisions.c: forget what is done everywhere; tell of what is not. */
int dbl_recover_decisions(struct dbl_recovery *, struct dbl_place *);

/* recover_tell.c */
int dbl_recovery_tell(struct dbl_recovery *, const struct dbl_left *, enum dblock_recovered,
		      const char *text);

/* One statement there. Rows are copied by `row`. */
int dbl_place_run(struct dbl_place *, enum dbl_op, struct dbl_args,
		  int (*row)(void *, const struct dbl_value *), void *ctx,
		  struct dblock_error *err);

/* NULL: it is not among those given, or cannot be reached. */
struct dbl_place *dbl_place_of_home(struct dbl_recovery *, const char *home);

struct dbl_decision {
	int64_t state, parts; /* state 0: there is none */
};

int dbl_decision_read(struct dbl_place *home, const struct dbl_xid *, struct dbl_decision *,
		      struct dblock_error *err);

/* Is it listed as prepared, and not finished since? */
bool dbl_is_listed(const struct dbl_recovery *, const char *id);

/* Is it one of those that were asked for? */
bool dbl_is_asked_for(const struct dbl_recovery *, const char *id);

#endif
