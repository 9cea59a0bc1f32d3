/* SPDX-License-Identifier: MIT */
/* What the driver's files about statements share. */
#ifndef DBL_DRIVER_MYSQL_STMT_H
#define DBL_DRIVER_MYSQL_STMT_H

#include "driver/mysql/conn.h"
#include "driver/mysql/placeholder.h"

/* Where the library puts one column of a row. */
struct dbl_mysql_column {
	int64_t integer;
	char *text; /* NULL: an integer column */
	unsigned long room, len;
	dbl_mysql_bool is_null, is_cut;
};

/* What next() gives. */
enum dbl_mysql_rows { DBL_MYSQL_NONE, DBL_MYSQL_STORED, DBL_MYSQL_TEXT, DBL_MYSQL_TOKEN };

struct dbl_mysql_stmt {
	struct dbl_stmt base;
	struct dbl_mysql_stmt *next;
	MYSQL_STMT *lib;
	struct dbl_mysql_text text;
	bool plain;         /* the server does not prepare it: it is sent as text, */
	MYSQL_RES *answer;  /* and so it is answered; NULL: no rows */
	MYSQL_BIND *places; /* one for each ? */
	struct dbl_mysql_column *columns;
	MYSQL_BIND *binds; /* one for each column */
	unsigned n_columns;
	bool bound; /* the library knows `binds` as they are now */
	enum dbl_mysql_rows rows;
	int64_t token; /* the argument of LAST_INSERT_ID() */
};

/* rows.c: make n columns for the statement's result. False: there is no memory. */
bool dbl_mysql_make_columns(struct dbl_mysql_stmt *, unsigned n);
void dbl_mysql_free_columns(struct dbl_mysql_stmt *);

/* plain.c: does this error mean that the server runs the statement only as text? */
bool dbl_mysql_is_plain(unsigned native);

/* The driver's run() for such a statement. DBLOCK_E_INVALID: an argument is no number. */
int dbl_mysql_run_plain(struct dbl_mysql_stmt *, const struct dbl_value *args, int64_t *changed,
			struct dblock_error *err);

/* The next row of its answer: as next(). */
int dbl_mysql_next_plain(struct dbl_mysql_stmt *, struct dbl_value *row);
void dbl_mysql_free_answer(struct dbl_mysql_stmt *);

/* rows.c: a column of that type is an integer; all others are texts. */
bool dbl_mysql_is_integer(enum enum_field_types);

#endif
