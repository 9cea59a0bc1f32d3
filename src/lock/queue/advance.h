/* SPDX-License-Identifier: MIT */
/* Carrying out what the plan of a line says. Anybody may, at any time: each statement is
 * conditional on what the plan was made from. Inside src/lock. */
#ifndef DBL_LOCK_SERVE_H
#define DBL_LOCK_SERVE_H

#include "lock/queue/grant_policy.h"

/* What came of carrying out a plan, for the one who waits with `nonce` (0: nobody). */
struct dbl_served {
	bool done;     /* else things have changed: look again */
	int64_t token; /* it has been granted; 0: not */
};

/* Carry out the plan, and ring there. One round trip, more if a doorbell has to be rung. */
int dbl_serve_plan(struct dbl_locks *, const char *name, const struct dbl_line *,
		   const struct dbl_plan *, int64_t nonce, int64_t deadline, struct dbl_served *,
		   struct dblock_error *err);

/* The arguments of `grant` for a plan: the tickets are written to `tickets`. */
#define DBL_TICKETS_MAX ((size_t)DBL_GRANTS_MAX * 42)
#define DBL_GRANT_ARGS  8
void dbl_serve_grant_args(const char *name, const struct dbl_line *, const struct dbl_plan *,
			  char tickets[DBL_TICKETS_MAX], struct dbl_value args[DBL_GRANT_ARGS]);

/* Read the line, and carry out its plan, until there is nothing to do. One round trip if so. */
int dbl_serve(struct dbl_locks *, const char *name, int64_t deadline, struct dblock_error *err);

/* Rows may hold the lock: does anybody, still, by what a try may go by? 0: nobody does.
 * DBLOCK_BUSY: somebody; the words say who. */
int dbl_serve_clear(struct dbl_locks *, const char *name, struct dbl_line *, int64_t deadline,
		    struct dblock_error *err);

/* The first holder that a try may declare dead, by the database's clock. */
bool dbl_serve_find_expired(struct dbl_locks *, const struct dbl_line *, struct dbl_sight *);

/* Declare a holder's session dead, or end its lease: the verdict on its sight. One round trip. */
int dbl_serve_declare(struct dbl_locks *, const char *name, const struct dbl_sight *,
		      enum dbl_verdict, int64_t deadline, struct dblock_error *err);

#endif
