/* SPDX-License-Identifier: MIT */
/* A dialect: the statements for one kind of database, and what C has to know about it. */
#ifndef DBL_SQL_DIALECT_H
#define DBL_SQL_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/driver.h"
#include "sql/op.h"

/* One migration, as embedded at build time. */
struct dbl_migration_text {
	int64_t version; /* 0 ends the list */
	const char *name;
	const char *up;
	const char *down;
	const char *checksum; /* SHA-256 of the up file, hexadecimal */
};

/* What SELECT ... FOR UPDATE locks, and when. */
enum dbl_row_locks {
	DBL_ROWS_AS_RESULT,  /* the rows of its result, in the result's order */
	DBL_ROWS_AS_SCANNED, /* the rows that it reads, in the order in which it reads them */
	DBL_ROWS_AS_FILE     /* no rows: who writes has the whole file */
};

/* How requests of several callers are carried out together: see batch.h. */
enum dbl_batch_form {
	DBL_BATCH_SINGLY, /* one by one, in one transaction, as no round trip is saved */
	DBL_BATCH_ARRAYS, /* in one statement, with an array for each column */
	DBL_BATCH_ROWS    /* in one statement, with a JSON text of rows */
};

struct dbl_dialect {
	const char *name;           /* folder below sql/ and migrations/ */
	const char *const *schemes; /* of URLs, NULL at the end */
	const struct dbl_driver *driver;
	const char *const *sql; /* the operations, by enum dbl_op */
	const struct dbl_migration_text *migrations;
	const char *const *beside; /* databases that each server has; NULL at the end */
	char quote;                /* of identifiers */
	unsigned name_max;         /* bytes of the longest identifier */
	enum dbl_row_locks row_locks;
	enum dbl_batch_form batch;
	bool connections;   /* batches may go by two connections at a time: see link.h */
	bool joins;         /* join may be one statement that writes two tables */
	int64_t served_us;  /* rows of ended waits stay so long: one statement deletes many */
	bool passes_on;     /* join and hand_over have a usual case that costs less, */
	bool joins_blindly; /* but that of join does not see whether two others wait */
	bool enters;        /* enter may be one statement that writes two tables */
	const char *default_schema; /* NULL: names are not qualified unless asked for */
	bool has_schemas;
	bool ddl_in_tx;  /* CREATE TABLE can be rolled back */
	int closed;      /* the native error behind schema_close; 0: there is none */
	int no_branch;   /* the native error by which tx_branch says that the open transaction is no
	                    branch of an XA transaction; 0: row locks outlast all that there is */
	bool is_file;    /* the database is a file: no server, no login */
	bool relaxes;    /* a connection can say that its commits need not reach the disk */
	bool replicates; /* ... that they must reach the synchronous standby's */
	bool pipelines;  /* statements can go around one that is run: see struct dbl_around */
	bool pools;      /* poolers may stand before it: see set_up.c */
	/* A client waits on its channel (see doorbell.sql) in a statement that sleeps, again and
	 * again, and is interrupted to tell it something. False: it listens, and hears what is
	 * said. */
	bool sleeps;
};

/* The dialect for a URL scheme; DBLOCK_E_INVALID lists those that are built in. */
int dbl_dialect_find(const char *scheme, const struct dbl_dialect **, struct dblock_error *err);

/* The names of the dialects that are built in: "sqlite postgresql mysql". */
const char *dbl_dialect_names(void);

#endif
