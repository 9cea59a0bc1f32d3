/* SPDX-License-Identifier: MIT */
/* A set of migrations, checked as a whole before anything is done: from a folder, from an array, or
 * the library's own. No connection. */
#ifndef DBL_MIGRATE_SET_H
#define DBL_MIGRATE_SET_H

#include <dblock/migrate.h>

#include "base/sha256.h"
#include "migrate/parse/split.h"
#include "sql/dialect.h"

/* Whose files these are: the library's own. */
#define DBL_MIGRATE_SCOPE "dblock"

/* One text: that of a file, without a byte order mark and with line ends that are \n. */
struct dbl_script {
	const char *path; /* to name it by in messages */
	const char *text; /* what to run, NUL-terminated too; NULL: there is none. What is not to be
			   * run of it, an outer BEGIN and COMMIT, is blank: places stay the same */
	size_t len;
	unsigned steps;       /* statements in it */
	unsigned hoisted;     /* SQLite: the first so many are sent before the transaction begins */
	bool stepwise;        /* each statement for itself: not one transaction */
	bool no_transaction;  /* its first line says so */
	const char *original; /* the text before anything was made blank; same length */
	char checksum[DBL_SHA256_HEX + 1];      /* SHA-256 of the original, in hex */
	char token_checksum[DBL_TOKEN_SUM + 1]; /* the same, whatever it looks like */
};

struct dbl_file {
	int64_t version;
	const char *name;
	struct dbl_script up, down;
};

struct dbl_set {
	const char *scope;
	bool folder; /* its files have names of their own */
	bool own;    /* the library's: dblock_ in the texts stands for prefix and schema */
	struct dbl_file *files; /* in rising order of version */
	size_t n;
	struct dbl_kept *memory; /* what the strings lie in */
};

/* Read and check all that `which` names, for one dialect. E_INVALID names file, line and column,
 * and the remedy. dbl_set_free() is due in any case; the struct must be zero or filled before. */
int dbl_set_read(struct dbl_set *, const struct dblock_migrate_options *which,
		 const struct dbl_dialect *, struct dblock_error *err);
/* Are they the library's own? */
bool dbl_set_is_own(const struct dblock_migrate_options *which);

/* Of the library's own only what tells whether they are applied: versions, names and checksums. */
int dbl_set_outline_own(struct dbl_set *, const struct dbl_dialect *, struct dblock_error *err);
void dbl_set_free(struct dbl_set *);

/* Tell of what is allowed, and yet worth a word. */
void dbl_set_warn(const struct dbl_set *, dblock_migrate_problem_cb *warned, void *arg);

/* NULL: not in the set. */
const struct dbl_file *dbl_set_find(const struct dbl_set *, int64_t version);

#endif
