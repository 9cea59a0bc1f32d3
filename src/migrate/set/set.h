/* SPDX-License-Identifier: MIT */
/* A set of migrations, checked as a whole before anything is done: from a folder, from an array, or
 * the library's own. No connection. */
#ifndef DBL_MIGRATE_SET_H
#define DBL_MIGRATE_SET_H

#include <dblock/migrate.h>

#include "base/sha256.h"
#include "base/spool.h"
#include "migrate/parse/split.h"
#include "sql/dialect.h"

/* The scope of the library's own files. */
#define DBL_MIGRATE_SCOPE "dblock"

/* The text of one file, without a byte order mark and with line ends that are \n. */
struct dbl_script {
	const char *path;         /* the name for messages */
	struct dbl_text text;     /* .text is NULL: there is none */
	struct dbl_text original; /* before values were put in */
	struct dbl_text index;    /* where the statements are that are run (set_index.c) */
	unsigned steps;           /* number of statements that are run */
	unsigned hoisted;    /* SQLite: how many of them are sent before the transaction begins */
	unsigned makes;      /* the first that makes what ends with its session; 0: none does */
	bool stepwise;       /* the statements are not one transaction */
	bool no_transaction; /* the first line is "-- no-transaction" */
	bool sound;          /* it can be run */
	char checksum[DBL_SHA256_HEX + 1];      /* SHA-256 of the original, in hex */
	char token_checksum[DBL_TOKEN_SUM + 1]; /* the sum of its tokens (split.h) */
};

/* Reads the next statement from an index; *statement is the one before, or zero. */
void dbl_index_next(const char **at, const char *text, struct dbl_statement *);

struct dbl_file {
	int64_t version;
	const char *name;
	struct dbl_script up, down;
};

struct dbl_set {
	const char *scope;
	bool folder;  /* it was read from a folder, so its files have names of their own */
	bool own;     /* it is the library's: dblock_ in the texts stands for prefix and schema */
	bool unsound; /* all is read, but a text cannot be run as it is */
	struct dbl_file *files; /* in rising order of version, then the repeatable ones, of name */
	size_t n;
	struct dbl_arena *memory; /* the memory of all strings */
	size_t in_memory;         /* bytes of the texts that are in memory */
};

/* Reads and checks all that `which` names, for one dialect. E_INVALID names file, line and column,
 * and the remedy; of several texts that cannot be run the first, and `warned` is told of the others. dbl_set_free() is due in any case; the struct must be zero or filled before. */
int dbl_set_read(struct dbl_set *, const struct dblock_migrate_options *which,
		 const struct dbl_dialect *, struct dblock_error *err);
/* Whether the options mean the library's own set. */
bool dbl_set_is_own(const struct dblock_migrate_options *which);

/* Fills in of the library's own set only versions, names and checksums. */
int dbl_set_outline_own(struct dbl_set *, const struct dbl_dialect *, struct dblock_error *err);
void dbl_set_free(struct dbl_set *);

/* Warns of what is allowed, but may be a mistake. */
void dbl_set_warn(const struct dbl_set *, dblock_migrate_problem_cb *warned, void *arg);

/* Tells `warned` of a text that cannot be run as it is; `file` may be NULL. */
void dbl_set_tell_unsound(const struct dblock_migrate_options *, const struct dbl_file *file,
			  const char *why);

/* Whether nobody has written anything into the file yet: it is as `dblock migrate new` made it. */
bool dbl_script_is_draft(const struct dbl_script *);

/* Returns the file of this version, or NULL. */
const struct dbl_file *dbl_set_find(const struct dbl_set *, int64_t version);

/* Returns the largest version that is not repeatable; 0: there is none. */
int64_t dbl_set_last(const struct dbl_set *);

/* The number of the repeatable file of this name; and whether that is one. */
int64_t dbl_repeatable(const char *name, size_t len);
static inline bool dbl_is_repeatable(int64_t version)
{
	return version >= DBLOCK_MIGRATION_REPEATABLE;
}

/* Writes "0007_name", or "R_name". */
enum { DBL_LABEL = 230 };
const char *dbl_label(char text[DBL_LABEL], int64_t version, const char *name);

#endif
