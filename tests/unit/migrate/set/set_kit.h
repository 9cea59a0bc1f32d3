/* SPDX-License-Identifier: MIT */
/* Folders of migrations in the scratch folder, and sets that are read from them. */
#ifndef TESTS_UNIT_MIGRATE_SET_KIT_H
#define TESTS_UNIT_MIGRATE_SET_KIT_H

#include "unit/folder_kit.h"

#include "migrate/set/set.h"

/* A text and its length, even if there is a NUL in it. */
#define BYTES(literal) (literal), sizeof(literal) - 1

static struct dbl_set kit_set;

/* Reading a set asks a dialect for its name only; it need not be built in. */
static const struct dbl_dialect kit_sqlite = {.name = "sqlite"};
static const struct dbl_dialect kit_postgresql = {.name = "postgresql"};
static const struct dbl_dialect kit_mysql = {.name = "mysql"};

static inline int read_which(const struct dblock_migrate_options *which,
			     const struct dbl_dialect *dialect)
{
	memset(&kit_err, 0, sizeof(kit_err));
	return dbl_set_read(&kit_set, which, dialect, &kit_err);
}

static inline int read_dir(const char *dir, const struct dbl_dialect *dialect)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;

	which.dir = dir;
	return read_which(&which, dialect);
}

static inline void accepted_at(int rc, const char *file, int line)
{
	if (rc) {
		print_error("refused: %s\n", kit_err.message);
		_fail(file, line);
	}
}

/* The present folder must be accepted, and is in kit_set then. */
#define accept(dialect) accepted_at(read_dir(kit_dir, (dialect)), __FILE__, __LINE__)

/* The outcome must be E_INVALID, and the message must have each of these parts; NULL at the end.
 * Any message has to name a next step: behind a semicolon, if not otherwise. */
static inline void refused_at(int rc, const char *const *parts, const char *file, int line)
{
	if (rc != DBLOCK_E_INVALID || kit_err.code != rc) {
		print_error("%s: %s\n", dblock_outcome_name(rc), kit_err.message);
		_fail(file, line);
	}
	for (; *parts; parts++) {
		if (!strstr(kit_err.message, *parts)) {
			print_error("no '%s' in '%s'\n", *parts, kit_err.message);
			_fail(file, line);
		}
	}
}

#define refused(rc, ...)                                                                           \
	refused_at((rc), (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)
#define refuse(dialect, ...) refused(read_dir(kit_dir, (dialect)), __VA_ARGS__)

/* Reads a folder with this file only. */
static inline int read_only(const char *file, const char *text, size_t len,
			    const struct dbl_dialect *dialect)
{
	fresh();
	put_bytes(file, text, len);
	return read_dir(kit_dir, dialect);
}

static inline int read_text(const char *text, const struct dbl_dialect *dialect)
{
	return read_only("0001_a.up.sql", text, strlen(text), dialect);
}

static inline int kit_tear_down(void **state)
{
	(void)state;
	dbl_set_free(&kit_set);
	return 0;
}

#endif
