/* SPDX-License-Identifier: MIT */
/* What the handles and waiting calls of a client use, by nonce: the first step of reconcile.c.
 * Inside src/lock. */
#ifndef DBL_LOCK_NONCE_CENSUS_H
#define DBL_LOCK_NONCE_CENSUS_H

#include "lock/handle/lock.h"

/* By nonce, then name. */
struct dbl_nonce_use {
	int64_t nonce;
	uint64_t name; /* its hash; 0: of a waiter, any */
	bool out;      /* a handle has it that is out, and at rest */
	bool seen;     /* so has a row */
};

struct dbl_census {
	struct dbl_nonce_use *all;
	size_t n;
	bool in_flight; /* calls are under way that began before the loss was noticed */
};

uint64_t dbl_census_hash(const char *name, size_t len);

/* As of now; false: no memory. dbl_free(all) is due in any case. */
bool dbl_census_note(struct dbl_locks *, struct dbl_census *);

/* Whoever's, of any name. */
bool dbl_census_has(const struct dbl_census *, int64_t nonce);

/* A handle's, of that name; NULL: there is none. */
struct dbl_nonce_use *dbl_census_find(const struct dbl_census *, int64_t nonce, uint64_t name);

/* Under the mutex: its row, or rows, stay where they are. */
bool dbl_census_at_rest(const struct dblock_lock *);

#endif
