/* SPDX-License-Identifier: MIT */
/* The database: the library's own texts of one dialect on one connection to it, which behaves like
 * a server: it has a clock of its own, statements come one after another, and what was committed
 * can be lost again. One for all worlds, one world at a time. A program has one of
 *   database_sqlite.c   in memory: thousands of worlds in a minute
 *   database_mysql.c    a real MySQL or MariaDB: what its dialect does otherwise, and its server */
#ifndef TESTS_SIM_DATABASE_H
#define TESTS_SIM_DATABASE_H

#include <stdint.h>

#include "sim/letter.h"

struct world;

struct database_clock {
	int64_t origin, ppm;
	int64_t set;    /* by how much somebody has set it */
	int64_t latest; /* the most that this ever was */
};

/* The URL that clients open, which names the dialect. */
extern const char *const database_url;

/* What its clock shows now: us since it was started; and since the epoch (server.c). */
int64_t database_now(const struct world *);
int64_t database_wall(const struct world *);

/* Created once, empty; kept with the tables in it; set back to that for each world. */
void database_create(void);
void database_keep(void);
void database_reset(void);

/* The text that will be run for this part of an operation from now on, by everybody. Not 0: it is
 * wrong. */
int database_prepare(enum dbl_op, enum letter_part, const char *sql);

/* A text as a bug would have it, when it is prepared next; NULL: no bugs any more. All that was
 * prepared is forgotten. */
struct mutant_sql;
void database_plant(const struct mutant_sql *);

/* Carry out, and put the outcome into the letter. */
void database_run(struct world *, struct letter *);

/* Some way to get one number out of it, for checks; the statement has no arguments but names of
 * clocks. */
int64_t database_ask(struct world *, const char *sql);
int64_t database_ask_about(struct world *, const char *sql, const struct dbl_value *args,
			   unsigned n);
/* The first column of all rows as text, with blanks between. */
const char *database_ask_text(struct world *, const char *sql, char *to, size_t size);

/* Transactions, by one connection at a time. */
void database_begin(void);
void database_commit(void);
void database_rollback(void);

/* What is committed up to now is on the disk; and then: what is not is gone. */
void database_sync(void);
void database_lose(void);

#endif
