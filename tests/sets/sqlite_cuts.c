/* SPDX-License-Identifier: MIT */
/*
 * Compares where files are cut into statements with where SQLite does: sqlite_cuts FILE...
 * Each file is run on a database of its own, in memory, and what sqlite3_prepare_v2() leaves is the next
 * statement. Where it finds an error, that is not said: then the statement ends where sqlite3_complete() first
 * says so. A file that we refuse is compared up to there.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sets/read.h"
#include "support/split_laws.h"

static struct {
	int files, refused, statements, by_complete, differ;
} tally;

/* Returns the end of the statement that begins here, for sqlite3_complete(). */
static const char *complete_end(const char *from)
{
	char *text = strdup(from);
	const char *end = from + strlen(from);

	for (char *semicolon = text; (semicolon = strchr(semicolon, ';')); semicolon++) {
		char behind = semicolon[1];

		semicolon[1] = '\0';
		if (sqlite3_complete(text)) {
			end = from + (semicolon + 1 - text);
			break;
		}
		semicolon[1] = behind;
	}
	free(text);
	tally.by_complete++;
	return end;
}

/* Runs the statement that begins here, and returns its end. Comments alone are none. */
static const char *run(sqlite3 *db, const char *from, bool *is_one)
{
	const char *end;
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(db, from, -1, &statement, &end);

	*is_one = rc != SQLITE_OK || statement;
	for (int rows = 0; statement && rows < 100 && sqlite3_step(statement) == SQLITE_ROW; rows++)
		;
	sqlite3_finalize(statement);
	return rc == SQLITE_OK ? end : complete_end(from);
}

static void differs(const char *path, const struct dbl_statement *ours, const char *end)
{
	printf("%s:%zu:%zu: statement of %zu bytes, for SQLite it ends %td bytes behind that:\n  "
	       "%.60s\n",
	       path, ours->line, ours->col, ours->len, end - (ours->text + ours->len), ours->text);
	tally.differ++;
}

static bool same_end(const struct sql_text *t, const struct dbl_statement *ours, const char *from,
		     const char *end)
{
	struct gap gap = {.t = t, .at = ours->offset + ours->len, .delimiter = ";"};

	return ours->text >= from && ours->text + ours->len <= end &&
	       !read_gap(&gap, (size_t)(end - t->text));
}

static void compare(sqlite3 *db, const char *path, const struct sql_text *t)
{
	const char *at = t->text + dbl_skip_bom(t->text, t->len), *end = at;
	struct dbl_statement ours = {0};
	struct dblock_error err;
	struct dbl_split s;
	int rc = begin_split(&s, t, &err);

	while (rc == 0) {
		bool is_one = false;

		rc = dbl_split_next(&s, &ours, &err);
		for (; rc == 0 && *at && !is_one; at = is_one ? at : end)
			end = run(db, at, &is_one);
		if (rc || (!ours.text && !is_one))
			break;
		tally.statements++;
		if (!ours.text || !is_one || !same_end(t, &ours, at, end)) {
			differs(path, &ours, end);
			break;
		}
		at = end;
	}
	if (rc && ++tally.refused)
		printf("refused: %s: %s\n", path, err.message);
}

int main(int argc, char **argv)
{
	sqlite3_config(SQLITE_CONFIG_LOG, NULL, NULL);
	for (int i = 1; i < argc; i++) {
		struct sql_text t = {.dialect = "sqlite"};
		char *text = read_file(argv[i], &t.len);
		sqlite3 *db;

		t.text = text;
		if (sqlite3_open(":memory:", &db) != SQLITE_OK)
			return 1;
		sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0); /* no file but this one */
		compare(db, argv[i], &t);
		sqlite3_close(db);
		free(text);
		tally.files++;
	}
	printf("sqlite: %d files (%d refused), %d statements (%d by sqlite3_complete), %d differ\n",
	       tally.files, tally.refused, tally.statements, tally.by_complete, tally.differ);
	return tally.differ || tally.files == 0;
}
