/* SPDX-License-Identifier: MIT */
/* Writes all that would be sent for a file as a script for the database's own client. */
#ifndef DBL_MIGRATE_SCRIPT_H
#define DBL_MIGRATE_SCRIPT_H

#include "base/str.h"
#include "migrate/engine/job.h"

/* The job is open; the script goes on from its row. make_history: the history is not there yet. */
void dbl_script_write(struct dbl_str *, const struct dbl_job *, bool make_history);

/* Writes the statements that make the history of the set as it is. */
void dbl_script_history(struct dbl_str *, const struct dbl_run *);

#endif
