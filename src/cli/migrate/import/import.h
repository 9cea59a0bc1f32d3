/* SPDX-License-Identifier: MIT */
/* dblock migrate import: a folder of another tool's migrations becomes one of ours. Needs no
 * database. */
#ifndef DBL_CLI_MIGRATE_IMPORT_H
#define DBL_CLI_MIGRATE_IMPORT_H

#include <stdbool.h>

#include <dblock/migrate.h>

enum dbl_import_kind {
	DBL_IMPORT_WRONG,    /* the file is not sound: nothing is written */
	DBL_IMPORT_LEFT_OUT, /* it has no meaning here: nothing is written, unless that is allowed */
	DBL_IMPORT_NOTE,     /* worth a word, and no more */
	DBL_IMPORT_MADE      /* a file of ours was made, or would be */
};

/* Strings live until the callback returns. */
struct dbl_import_news {
	enum dbl_import_kind kind;
	const char *file; /* the other tool's; "": the folder's as a whole */
	int line;         /* 0: the file as a whole */
	const char *text; /* what, and what to do; MADE: the path of our file */
};

typedef void dbl_import_told(void *arg, const struct dbl_import_news *news);

struct dbl_importing {
	const char *dir;         /* the other tool's files */
	const char *out;         /* the folder to make: not there, or empty */
	const char *from;        /* whose they are; NULL: that is told from the files */
	const char *dialect;     /* "sqlite", "postgresql" or "mysql"; NULL: nobody has said */
	const char *url_dialect; /* that of the URL; "": there is none */
	bool env;                /* replace ${NAME} by what the environment has */
	bool allow_missing;      /* although something is left out */
	bool dry_run;
	dbl_import_told *told; /* first all problems, then, if there is no failure, all files */
	void *arg;
	const char *tool; /* set: whose they are; NULL: unknown */
};

/* All or nothing: a folder beside OUT is filled, checked as `up` would, and renamed. DBLOCK_E_INVALID:
 * something is wrong; what, was told, or is in err. */
int dbl_migrate_import(struct dbl_importing *, struct dblock_error *err);

/* The tools, in the order of the table of formats. */
#define DBL_IMPORT_TOOLS                                                                           \
	"goose, dbmate, Flyway, Liquibase, diesel, Prisma, Sourcegraph, Rails, golang-migrate, "   \
	"sqlx"

#endif
