/* SPDX-License-Identifier: MIT */
/*
 * A latch: a number that is counted down to 0, and a bell for who waits for that. It is one row. Its generation ends
 * with a reset; `passed` is the last one that came to 0, so that who waits, and slept over both, knows.
 *
 * No request counts twice, however often it arrives: the row has the numbers of all that have counted in this generation,
 * and the statement that counts adds its own, unless it is there. So they are never more than the latch's size.
 *
 * A barrier has a row of that kind too (barrier.h).
 */
#ifndef DBL_LOCK_COUNTDOWN_H
#define DBL_LOCK_COUNTDOWN_H

#include "driver/value.h"
#include "lock/core/context.h"

enum { DBL_COUNTDOWN_WHY_MAX = 400 };

/* The row, as a look has found it. */
struct dbl_countdown {
	bool found;
	int64_t size, generation, count, passed;
	bool has_counted; /* the request that was asked about, in this generation */
	int64_t since;    /* us since 1970, by the database's clock */
	char why[DBL_COUNTDOWN_WHY_MAX + 1];
};

/* Make one of that size, if there is none; *latch is what is there. DBLOCK_E_INVALID: one of another size. Two round
 * trips. */
int dbl_countdown_open(struct dbl_locks *, const char *name, int64_t size, struct dbl_countdown *,
		       struct dblock_error *err);

/* spec: of a call that waits, and goes on while the database fails; or NULL. request: 0: none. One round trip. */
int dbl_countdown_look(struct dbl_locks *, const struct dbl_acquire_spec *, const char *name,
		       int64_t request, struct dbl_countdown *, struct dblock_error *err);

/* Count down. *left: what is left then. DBLOCK_STALE: there is no such latch; or it was reset meanwhile, and this was not
 * counted. DBLOCK_E_UNSURE: to be repeated with the same request. Three round trips. */
int dbl_countdown_down(struct dbl_locks *, const char *name, int64_t n, int64_t request,
		       int64_t *left, struct dblock_error *err);

/* Wait until it is at 0. The spec has the name, how long, and who may cancel. DBLOCK_STALE: there is none; DBLOCK_BROKEN:
 * it was reset. generation: 0: the one that is found first. */
int dbl_countdown_await(struct dbl_locks *, const struct dbl_acquire_spec *, int64_t generation,
			struct dblock_error *err);

/* Begin another generation of that size; 0: of the same. *latch is what is there then. DBLOCK_STALE: there is none, or
 * somebody else was faster. Three round trips, and a bell. */
int dbl_countdown_reset(struct dbl_locks *, const char *name, int64_t size, struct dbl_countdown *,
			struct dblock_error *err);

/* ---- what a barrier does likewise ------------------------------------------------------------- */

/* Make the row, if there is none. One round trip. */
int dbl_countdown_make(struct dbl_locks *, const char *name, int64_t size,
		       struct dblock_error *err);

struct dbl_countdown_move {
	int64_t from, to, size, passed;
	const char *why;
};

/* End a generation, and begin another one, if nobody has done so; whether this call has is seen by looking. One round
 * trip. */
int dbl_countdown_move(struct dbl_locks *, const char *name, const struct dbl_countdown_move *,
		       struct dblock_error *err);

/* "host web-1, pid 731: has reset it" */
void dbl_countdown_say_why(const struct dbl_locks *, const char *what,
			   char why[DBL_COUNTDOWN_WHY_MAX + 1]);

#endif
