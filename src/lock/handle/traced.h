/* SPDX-License-Identifier: MIT */
/* A release of which somebody is told, as a span, and of the hold that it ends. Inside src/lock. */
#ifndef DBL_LOCK_HANDLE_TRACED_H
#define DBL_LOCK_HANDLE_TRACED_H

#include "lock/handle/lock.h"

/* *last: it was the last acquire, and the handle is gone. */
typedef int dbl_release_fn(struct dblock_lock *, bool *last, struct dblock_error *err);

/* Does that, and tells of it. Only while somebody is to be told of spans. */
int dbl_release_traced(struct dblock_lock *, dbl_release_fn *release, struct dblock_error *err);

#endif
