/* SPDX-License-Identifier: MIT */
/* The database as a whole: waits for it, makes it, drops it. For the outcomes see dblock/database.h. */
#ifndef DBL_MIGRATE_DATABASE_H
#define DBL_MIGRATE_DATABASE_H

#include <dblock/database.h>

#include "sql/db.h"

/* What a call has of its caller. */
struct dbl_database {
	const struct dbl_target *target;
	int64_t timeout; /* us for each reply */
	dblock_database_cb *cb;
	void *arg;
};

/* wait: us; 0: one attempt. */
int dbl_database_wait(const struct dbl_database *, int64_t wait, dblock_waiting_cb *waiting,
		      void *arg, struct dblock_error *err);
int dbl_database_create(const struct dbl_database *, struct dblock_error *err);
int dbl_database_drop(const struct dbl_database *, bool force, struct dblock_error *err);

/* ---- for these three: database.c ------------------------------------------------------------- */

/* Connects to the database itself, and hangs up. */
int dbl_database_try(const struct dbl_database *, int64_t deadline, struct dblock_error *err);

/* The database's name, or its file's path; NULL: the URL has none. */
const char *dbl_database_name(const struct dbl_database *);

/* It is a file, and there is none. */
bool dbl_database_lacks_file(const struct dbl_database *);

/* Connects to another database of the same server, one that is always there. dbl_database_leave() is
 * due, also after a failure. */
struct dbl_beside {
	struct dbl_target target;
	struct dbl_db *db;
};
int dbl_database_beside(const struct dbl_database *, struct dbl_beside *, struct dblock_error *err);
void dbl_database_leave(struct dbl_beside *);

/* When a reply to what is sent now, which may take the server long, must be there. */
int64_t dbl_database_deadline(const struct dbl_database *);

/* Copies a text of a row, which is the caller's to dbl_free(). DBLOCK_E_NOMEM. */
int dbl_database_copy(char **to, const struct dbl_value *text);

/* After a reply that was lost: is the database there? Waits for the server, but not longer than `by`.
 * DBLOCK_OK: yes; DBLOCK_GONE: no; else that cannot be told. */
int dbl_database_look(const struct dbl_database *, int64_t by);

/* Adds what that said of it, and that `command` is to be run again. Returns DBLOCK_E_UNSURE. */
int dbl_database_unsure(const struct dbl_database *, int there, const char *command,
			struct dblock_error *err);

/* After a statement that was refused: adds the one that would give the right, if that is it. */
int dbl_database_refused(int rc, const char *grant, struct dblock_error *err);

#endif
