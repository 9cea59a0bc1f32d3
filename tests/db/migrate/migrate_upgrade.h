/* SPDX-License-Identifier: MIT */
/* A database that version 0.1.0 made: upgrade/0.1.0/ says how it was made. */
#ifndef TESTS_DB_MIGRATE_UPGRADE_H
#define TESTS_DB_MIGRATE_UPGRADE_H

#include "db/migrate/migrate_kit.h"

/* The number of rows in it. */
enum { OLD_SESSIONS = 3, OLD_LOCKS = 10, OLD_ROWS = 6, LAST_OLD = 15 };

static inline char *old_text(const struct schema *s)
{
	static char text[32768];
	char path[4096];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/db/migrate/upgrade/0.1.0/%s.sql",
		 env_text("DBLOCK_SOURCE_DIR"), s->target.dialect->name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s", path);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	return text;
}

/* Runs the dump; each of its statements ends with its line. */
static inline void make_old(struct schema *s)
{
	char *at = old_text(s);
	struct dbl_db *db;

	assert_int_equal(dbl_db_open(&db, &s->target, soon(), &s->err), 0);
	while (*at) {
		char *end = strstr(at, ";\n");

		assert_non_null(end);
		*end = '\0';
		if (dbl_db_exec(db, at, soon(), &s->err))
			fail_msg("%.200s: %s", at, s->err.message);
		at = end + 2;
	}
	dbl_db_close(db);
}

/* The database must be up to date. */
static inline void assert_upgraded(struct schema *s)
{
	struct told told;

	status(s, &told);
	assert_int_equal(told.n, 1 + FILES);
	assert_int_equal(told.version[0], LAST_OLD);
	for (unsigned i = 0; i < told.n; i++)
		assert_int_equal(told.state[i], DBLOCK_MIGRATION_APPLIED);
	assert_made(s);
}

#endif
