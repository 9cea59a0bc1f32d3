/* SPDX-License-Identifier: MIT */
/* Tests of migrations share these. They run once per database, which DBLOCK_TEST_URL names. Each
 * case has its own schema in it, by its own prefix. */
#ifndef TESTS_DB_MIGRATE_KIT_H
#define TESTS_DB_MIGRATE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/value.h"
#include "migrate/command/migrate.h"
#include "migrate/history/history.h"
#include "support/slowness.h"

/* The number of the library's files, and the first one's version. */
enum { FILES = DBLOCK_OWN_MIGRATIONS, FIRST = 19 };

/* This is enough for the library's files and those of a test. */
enum { TOLD_MAX = 20 };

struct schema {
	struct dbl_target target;
	struct dblock_error err;
};

/* What was told about migrations. */
struct told {
	unsigned n;
	int64_t version[TOLD_MAX];
	char name[TOLD_MAX][32];
	enum dblock_migration_state state[TOLD_MAX];
	int64_t applied_us[TOLD_MAX];
	char by[TOLD_MAX][401];
	bool now[TOLD_MAX], changed[TOLD_MAX];
};

static inline const char *env_text(const char *name)
{
	const char *text = getenv(name);

	if (!text)
		fail_msg("set %s", name);
	return text;
}

static inline bool backend_is(const char *name)
{
	return strcmp(env_text("DBLOCK_TEST_BACKEND"), name) == 0;
}

static inline int64_t soon(void)
{
	return dbl_add(dbl_now(dbl_env_system()), dbl_ms(PLENTY_MS));
}

/* Opens a schema by its prefix; NULL: the default. */
static inline void schema_open_url(struct schema *schema, const char *url, const char *prefix,
				   const struct dbl_env *env)
{
	int rc = dbl_target_init(&schema->target, url, NULL, prefix, env, &schema->err);

	if (rc)
		fail_msg("%s: %s", url, schema->err.message);
}

static inline void schema_open(struct schema *schema, const char *prefix)
{
	schema_open_url(schema, env_text("DBLOCK_TEST_URL"), prefix, dbl_env_system());
}

static inline void schema_close(struct schema *schema)
{
	dbl_target_free(&schema->target);
}

static inline int take_told(void *arg, const struct dblock_migration *m)
{
	struct told *told = arg;
	unsigned i = told->n++;

	assert_true(i < TOLD_MAX);
	assert_int_equal(m->size, sizeof(*m));
	told->version[i] = m->version;
	told->state[i] = m->state;
	told->applied_us[i] = m->applied_us;
	told->now[i] = m->now;
	told->changed[i] = m->changed;
	snprintf(told->name[i], sizeof(told->name[i]), "%s", m->name);
	snprintf(told->by[i], sizeof(told->by[i]), "%s", m->applied_by);
	return 0;
}

/* Applies the library's own files. It waits for others as long as for any answer. */
static inline int up_within(struct schema *schema, dblock_migration_cb *cb, void *arg, int64_t ms)
{
	struct dblock_migrate_options which = {.size = sizeof(which), .wait_ms = ms};
	struct dbl_migrate ask = {.target = &schema->target,
				  .which = &which,
				  .timeout = dbl_ms(ms),
				  .cb = cb,
				  .arg = arg};

	return dbl_migrate_up(&ask, &schema->err);
}

static inline int up_in(struct schema *schema, struct told *told, int64_t ms)
{
	*told = (struct told){0};
	return up_within(schema, take_told, told, ms);
}

static inline int status_with(struct schema *schema, dblock_migration_cb *cb, void *arg)
{
	struct dbl_migrate ask = {
		.target = &schema->target, .timeout = dbl_ms(PLENTY_MS), .cb = cb, .arg = arg};

	return dbl_migrate_status(&ask, &schema->err);
}

/* Brings the schema up to date, which must work. Returns how many files this applied. */
static inline unsigned up(struct schema *schema)
{
	struct told told;
	int rc = up_in(schema, &told, PLENTY_MS);

	if (rc)
		fail_msg("up: %d: %s", rc, schema->err.message);
	return told.n;
}

static inline void status(struct schema *schema, struct told *told)
{
	int rc;

	*told = (struct told){0};
	rc = status_with(schema, take_told, told);
	if (rc)
		fail_msg("status: %d: %s", rc, schema->err.message);
}

static inline int check(struct schema *schema, bool asked)
{
	struct dbl_tables_version version;
	struct dbl_link *link;
	int rc;

	assert_int_equal(dbl_link_new(&link, &schema->target, &schema->err), 0);
	rc = dbl_migrate_check(link, asked, soon(), &version, &schema->err);
	dbl_link_free(link);
	return rc;
}

/* Runs a statement by hand, with our tables' names. */
static inline void by_hand(struct schema *schema, const char *sql)
{
	struct dbl_db *db;
	int rc = dbl_db_open(&db, &schema->target, soon(), &schema->err);

	if (rc == 0)
		rc = dbl_db_exec(db, sql, soon(), &schema->err);
	dbl_db_close(db);
	if (rc)
		fail_msg("%s: %s", sql, schema->err.message);
}

/* Leaves the rows of a process that died, and had begun and done all from that version on. (On
 * SQLite a file and its row are one transaction, so the new columns, which cannot be added twice,
 * are dropped.) */
static inline void dead_had_begun(struct schema *schema, int version)
{
	char sql[300];

	if (backend_is("sqlite")) {
		by_hand(schema, "ALTER TABLE dblock_session DROP COLUMN protocol");
		by_hand(schema, "ALTER TABLE dblock_session DROP COLUMN mark");
		by_hand(schema, "ALTER TABLE dblock_queue DROP COLUMN priority");
		by_hand(schema, "ALTER TABLE dblock_lock DROP COLUMN ranked");
		by_hand(schema, "ALTER TABLE dblock_lock DROP COLUMN capacity");
	}
	snprintf(
		sql, sizeof(sql),
		"UPDATE dblock_migration SET state = 'running', finished = NULL, checksum = 'old', "
		"applied_by = 'them@there' WHERE version >= %d",
		version);
	by_hand(schema, sql);
}

/* Tells whether there is a table or view of that name behind the prefix. */
static inline bool there(struct schema *schema, const char *table)
{
	struct dbl_db *db;
	struct dbl_runner on;
	char name[128];
	int64_t answer;

	snprintf(name, sizeof(name), "%s%s", schema->target.names.prefix, table);
	assert_int_equal(dbl_db_open(&db, &schema->target, soon(), &schema->err), 0);
	on = dbl_runner_db(db, &schema->target, NULL, soon());
	assert_int_equal(dbl_ask(on, DBL_OP_migration_exists,
				 DBL_ARGS_OF(dbl_text(schema->target.names.schema), dbl_text(name)),
				 &answer, &schema->err),
			 0);
	dbl_db_close(db);
	return answer != 0;
}

/* The number of tables and views that the files make. */
enum { MADE = 11 };
static const char *const own_tables[MADE] = {"session", "lock",    "queue",  "floor",
					     "once",    "request", "flight", "revocation",
					     "suspect", "held",    "waits"};

/* All of them are there, and ours. */
static inline void assert_made(struct schema *schema)
{
	struct dbl_runner on;
	struct dbl_db *db;

	for (unsigned i = 0; i < MADE; i++)
		assert_true(there(schema, own_tables[i]));
	assert_int_equal(dbl_db_open(&db, &schema->target, soon(), &schema->err), 0);
	on = dbl_runner_db(db, &schema->target, NULL, soon());
	if (dbl_shape_check(on, &schema->err))
		fail_msg("%s", schema->err.message);
	dbl_db_close(db);
}

/* The history says so, too. */
static inline void assert_whole(struct schema *schema)
{
	struct told told;

	status(schema, &told);
	assert_int_equal(told.n, FILES);
	for (unsigned i = 0; i < FILES; i++)
		assert_int_equal(told.state[i], DBLOCK_MIGRATION_APPLIED);
	assert_made(schema);
}

static inline void assert_says(const struct schema *schema, const char *part)
{
	if (!strstr(schema->err.message, part))
		fail_msg("'%s' does not say '%s'", schema->err.message, part);
}

#endif
