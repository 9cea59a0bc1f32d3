/* SPDX-License-Identifier: MIT */
/* Exit codes of the program: those of <sysexits.h>, of flock(1) and of the shell; `migrate` has
 * small ones of its own, like other migration tools. */
#ifndef DBL_CLI_EXITS_H
#define DBL_CLI_EXITS_H

#include <stdbool.h>

enum {
	DBL_EXIT_OK = 0,
	DBL_EXIT_STALE = 1,    /* that grant, or that name, does not exist (any more) */
	DBL_EXIT_WARNINGS = 1, /* doctor: it works, but could be better */
	DBL_EXIT_WRONG = 2,    /* doctor: it does not work, or not as promised */
	DBL_EXIT_MIGRATE_FAILED =
		1, /* migrate: a migration failed, and was rolled back or stopped safely */
	DBL_EXIT_MIGRATE_USAGE = 2, /* the command line or the files are wrong; nothing was done */
	DBL_EXIT_MIGRATE_PENDING = 3, /* status --check: there is something to do */
	DBL_EXIT_MIGRATE_DRIFT = 4,   /* applied files are changed or missing, or out of order */
	DBL_EXIT_MIGRATE_REPAIR = 5,  /* a person has to look, and say how to go on */
	DBL_EXIT_MIGRATE_WAITED = 6,  /* somebody else is migrating, for too long */
	DBL_EXIT_MIGRATE_NO_DATABASE = 7, /* another process has been migrating for too long */
	DBL_EXIT_USAGE = 64,       /* it cannot be reached or written, or refuses permission */
	DBL_EXIT_UNREACHABLE = 69, /* the database cannot be reached, or did not answer in time */
	DBL_EXIT_INTERNAL = 70,    /* a bug, or the machine is out of memory or processes */
	DBL_EXIT_IO = 74,          /* the database or our output cannot be written; no database */
	DBL_EXIT_BUSY = 75,        /* somebody else holds the lock */
	DBL_EXIT_LOST = 76,   /* the lock was lost while the command ran; a barrier is broken */
	DBL_EXIT_DENIED = 77, /* the database refuses login or permission */
	DBL_EXIT_SCHEMA = 78, /* its tables are missing, too old, or not ours */
	DBL_EXIT_CANNOT_RUN = 126, /* the command exists, but cannot be executed */
	DBL_EXIT_NOT_FOUND = 127,  /* the command does not exist */
	DBL_EXIT_SIGNAL = 128      /* plus the number of the signal that ended it */
};

/* The exit code for an outcome of the library; of_migrate: in the numbers of `migrate`. */
int dbl_exit_for(int outcome, bool of_migrate);

#endif
