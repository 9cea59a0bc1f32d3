/* SPDX-License-Identifier: MIT */
/* The database: it runs the library's own texts of one dialect on one connection, and behaves like
 * a server: it has its own clock, statements come one after another, and commits can be lost again.
 * There is one for all worlds, which live one at a time. A program has one of |   database_sqlite.c
 *   in memory: thousands of worlds in a minute |   database_mysql.c    a real MySQL or MariaDB: for
 * what its dialect does otherwise, and its server */
#ifndef TESTS_SIM_DATABASE_H
#define TESTS_SIM_DATABASE_H

#include <stdint.h>

#include "sim/letter.h"

struct server;

struct database_clock {
	int64_t origin, ppm;
	int64_t set;     /* by how much somebody has set it */
	int64_t latest;  /* the largest value of `set` */
	int64_t forward; /* by how much in all, but for when it was set back */
	int64_t epoch;   /* what is between it and that since 1970 */
};

/* The URL that clients open, which names the dialect. */
extern const char *const database_url;

/* Returns what its clock shows now: us since it was started; and since the epoch (server.c). */
int64_t database_now(const struct server *);
int64_t database_wall(const struct server *);

/* Creates it once, empty; keeps the tables that it has then; goes back to that for each world. */
void database_create(const struct server *);
void database_keep(const struct server *);
void database_reset(const struct server *);

/* Prepares the text that everybody runs for this part of an operation from now on. Not 0: the text
 * is wrong. */
int database_prepare(const struct server *, enum dbl_op, enum letter_part, const char *sql);

/* Plants a bug in the texts that are prepared next; NULL: no bugs any more. All prepared texts are
 * forgotten. */
struct mutant_sql;
void database_plant(const struct mutant_sql *);

/* Runs the letter's statement, and puts the outcome into the letter. */
void database_run(struct letter *);

/* Returns one number for checks; the statement has no arguments but names of clocks. */
int64_t database_ask(struct server *, const char *sql);
int64_t database_ask_about(struct server *, const char *sql, const struct dbl_value *args,
			   unsigned n);
/* Returns the first column of all rows as text, with blanks between. */
const char *database_ask_text(struct server *, const char *sql, char *to, size_t size);

/* Transactions; only one connection has one at a time. */
void database_begin(const struct server *);
void database_commit(const struct server *);
void database_rollback(const struct server *);

/* The first writes to the disk what is committed up to now; the second loses what is not on it. */
void database_sync(const struct server *);
void database_lose(const struct server *);

#endif
