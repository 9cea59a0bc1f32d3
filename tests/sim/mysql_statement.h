/* SPDX-License-Identifier: MIT */
/* A statement of a real MySQL or MariaDB, for a letter: the server's clock is the world's. */
#ifndef TESTS_SIM_MYSQL_STATEMENT_H
#define TESTS_SIM_MYSQL_STATEMENT_H

#include "driver/mysql/lib.h"
#include "driver/mysql/placeholder.h"
#include "sim/letter.h"

struct mysql_statement {
	MYSQL_STMT *lib; /* NULL: not prepared */
	unsigned char order[DBL_MYSQL_ARGS_MAX];
	unsigned n_places;
};

/* Prepares it for good. Not 0: the server's number of the error. Placeholders are $1 .. $20, $wall
 * and $boot. */
unsigned mysql_statement_prepare(MYSQL *, struct mysql_statement *, const char *sql);

/* Runs it with the letter's arguments, and puts the outcome there in the form in which the driver
 * hands it out (`next` in struct dbl_driver). */
bool mysql_statement_run(struct mysql_statement *, struct letter *);

#endif
