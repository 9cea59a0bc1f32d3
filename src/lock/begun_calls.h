/* SPDX-License-Identifier: MIT */
/* The calls that can be begun, and driven in steps (begun.h). None of these functions blocks. Those on
 * one handle are made in the order in which they were begun. */
#ifndef DBL_LOCK_BEGUN_CALLS_H
#define DBL_LOCK_BEGUN_CALLS_H

#include "lock/begun.h"

/* Each fails with DBLOCK_E_NOMEM, and nothing has happened: no memory, descriptor or thread. */
int dbl_acquire_begin(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_wait **,
		      struct dblock_error *err);
int dbl_try_begin(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_wait **,
		  struct dblock_error *err);
int dbl_release_begin(struct dblock_lock *, struct dblock_wait **, struct dblock_error *err);
int dbl_extend_begin(struct dblock_lock *, int64_t lease, struct dblock_wait **,
		     struct dblock_error *err);

#endif
