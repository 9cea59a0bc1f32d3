/* SPDX-License-Identifier: MIT */
/* Undoes the library's own tables. */
#ifndef DBL_MIGRATE_DOWN_OWN_H
#define DBL_MIGRATE_DOWN_OWN_H

#include "migrate/engine/run.h"

/* Undoes the library's own migrations, but only if nobody holds a lock, and so that nobody can get
 * one meanwhile. `next` gives each file that is to be undone once. */
int dbl_down_own(struct dbl_run *, dbl_next_cb *next, struct dblock_error *err);

/* *closed: nobody can take a lock, as somebody undoes the tables, or was stopped halfway. */
int dbl_see_closed(struct dbl_run *, bool *closed, struct dblock_error *err);

/* Opens tables again that somebody has left closed, which is certain only inside the gate. */
int dbl_reopen(struct dbl_run *, struct dblock_error *err);

#endif
