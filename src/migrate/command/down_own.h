/* SPDX-License-Identifier: MIT */
/* The library's own tables are taken away. */
#ifndef DBL_MIGRATE_DOWN_OWN_H
#define DBL_MIGRATE_DOWN_OWN_H

#include "migrate/engine/run.h"

/* Undo the library's own, but only if nobody holds a lock, and so that nobody can get one
 * meanwhile. `next` says what is to go, each once. */
int dbl_down_own(struct dbl_run *, dbl_next_cb *next, struct dblock_error *err);

/* *closed: somebody is at that, or was stopped halfway, and nobody can take a lock. */
int dbl_see_closed(struct dbl_run *, bool *closed, struct dblock_error *err);

/* If one was stopped, as is certain inside the gate: locks can be had again. */
int dbl_reopen(struct dbl_run *, struct dblock_error *err);

#endif
