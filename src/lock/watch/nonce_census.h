/* SPDX-License-Identifier: MIT */
/* The nonces that handles and waiting calls of a client use: the first step of reconcile.c. Inside
 * src/lock. */
#ifndef DBL_LOCK_NONCE_CENSUS_H
#define DBL_LOCK_NONCE_CENSUS_H

#include "lock/handle/lock.h"

struct dbl_nonce_use {
	int64_t nonce;
	uint64_t name; /* the hash of the lock's name; 0: a waiter's, of any name */
	bool out;      /* a handle has the nonce that is out, and at rest */
	bool seen;     /* a row has it */
};

struct dbl_census {
	struct dbl_nonce_use *all; /* sorted by nonce, then name */
	size_t n;
	bool in_flight; /* calls are under way that began before the loss was noticed */
};

uint64_t dbl_census_hash(const char *name, size_t len);

/* Note which nonces are in use now. False: no memory. The caller frees `all` in any case. */
bool dbl_census_note(struct dbl_locks *, struct dbl_census *);

/* True: the nonce is in use, by whomever, for any name. */
bool dbl_census_has(const struct dbl_census *, int64_t nonce);

/* The use by a handle of that name, or, of several, any of them. NULL: there is none. */
struct dbl_nonce_use *dbl_census_find(const struct dbl_census *, int64_t nonce, uint64_t name);

/* Under the mutex: no up- or downgrade, and no transaction, is changing the handle's rows. */
bool dbl_census_at_rest(const struct dblock_lock *);

#endif
