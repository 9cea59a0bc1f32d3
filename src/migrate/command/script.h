/* SPDX-License-Identifier: MIT */
/* A file as a script for the database's own client: all that would be sent for it. */
#ifndef DBL_MIGRATE_SCRIPT_H
#define DBL_MIGRATE_SCRIPT_H

#include "base/str.h"
#include "migrate/engine/job.h"

/* The job is open, and its row is where it goes on from. make_history: it is not there yet. */
void dbl_script_write(struct dbl_str *, const struct dbl_job *, bool make_history);

#endif
