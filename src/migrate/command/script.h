/* SPDX-License-Identifier: MIT */
/* Writes all that would be sent for a file as a script for the database's own client. */
#ifndef DBL_MIGRATE_SCRIPT_H
#define DBL_MIGRATE_SCRIPT_H

#include "base/spool.h"
#include "migrate/engine/job.h"

/* The job is open; the script goes on from its row. make_history: the history is not there yet. The
 * caller has to free the text. E_NOMEM, E_INVALID: there is no room for it. */
int dbl_script_write(struct dbl_text *, const struct dbl_job *, bool make_history,
		     struct dblock_error *err);

/* Adds one of our own statements, for a person to send (script_sql.c). */
void dbl_script_put(struct dbl_str *, const struct dbl_target *, enum dbl_op,
		    const struct dbl_value *args);

/* Writes the statements that make the history of the set as it is. */
void dbl_script_history(struct dbl_str *, const struct dbl_run *);

#endif
