/* SPDX-License-Identifier: MIT */
/* Tests of an application's migrations share sets as arrays, and what a call has told. */
#ifndef TESTS_DB_MIGRATE_APP_H
#define TESTS_DB_MIGRATE_APP_H

#include "db/migrate/migrate_kit.h"

/* An element of a set. */
#define UP(version, name, up)                                                                      \
	{                                                                                          \
		version, name, up, strlen(up), NULL, 0                                             \
	}
#define BOTH(version, name, up, down)                                                              \
	{                                                                                          \
		version, name, up, strlen(up), down, strlen(down)                                  \
	}

/* An application: its world is its own by its prefix, and it has a set. Its tables go by their
 * plain names, which only one case uses. */
struct app {
	struct schema s;
	struct dblock_migrate_options which;
	struct told told;
};

static inline void app_set(struct app *app, const struct dblock_migration_file *files, size_t n)
{
	app->which.files = files;
	app->which.n_files = n;
}

/* The set is the caller's array. */
#define SET(app, files) app_set(app, files, sizeof(files) / sizeof((files)[0]))

static inline void app_open_env(struct app *app, const char *prefix, const struct dbl_env *env)
{
	*app = (struct app){.which = DBLOCK_MIGRATE_OPTIONS_INIT};
	app->which.wait_ms = PLENTY_MS;
	schema_open_url(&app->s, env_text("DBLOCK_TEST_URL"), prefix, env);
}

static inline void app_open(struct app *app, const char *prefix)
{
	app_open_env(app, prefix, dbl_env_system());
}

static inline void app_close(struct app *app)
{
	schema_close(&app->s);
}

static inline struct dbl_migrate app_ask(struct app *app)
{
	app->told = (struct told){0};
	app->s.err = (struct dblock_error){0};
	return (struct dbl_migrate){.target = &app->s.target,
				    .which = &app->which,
				    .timeout = dbl_ms(PLENTY_MS),
				    .cb = take_told,
				    .arg = &app->told};
}

static inline int app_up(struct app *app)
{
	struct dbl_migrate ask = app_ask(app);

	return dbl_migrate_up(&ask, &app->s.err);
}

static inline int app_down(struct app *app)
{
	struct dbl_migrate ask = app_ask(app);

	return dbl_migrate_down(&ask, &app->s.err);
}

static inline int app_repair(struct app *app, int64_t version, enum dblock_migrate_verdict verdict)
{
	struct dbl_migrate ask = app_ask(app);

	return dbl_migrate_repair(&ask, version, verdict, &app->s.err);
}

static inline int app_baseline(struct app *app, int64_t version)
{
	struct dbl_migrate ask = app_ask(app);

	return dbl_migrate_baseline(&ask, version, &app->s.err);
}

/* The outcome must be the expected one, and err must tell it. */
static inline void came_out(const struct app *app, int rc, int outcome, const char *call, int line)
{
	if (rc != outcome)
		fail_msg("line %d: %s: %s instead of %s: %s", line, call, dblock_outcome_name(rc),
			 dblock_outcome_name(outcome), rc ? app->s.err.message : "");
	if (rc)
		assert_int_equal(app->s.err.code, rc);
}
#define EXPECT(outcome, app, call) came_out(app, call, DBLOCK_##outcome, #call, __LINE__)

/* Returns what status says as "1A2p": one letter a state, `*` changed, `<` out of order. */
static inline const char *app_status(struct app *app)
{
	static char out[64];
	struct dbl_migrate ask = app_ask(app);
	size_t at = 0;

	if (dbl_migrate_status(&ask, &app->s.err))
		fail_msg("status: %s", app->s.err.message);
	for (unsigned i = 0; i < app->told.n; i++) {
		at += (size_t)snprintf(out + at, sizeof(out) - at, "%lld%c",
				       (long long)app->told.version[i],
				       "pARMFDVS"[app->told.state[i]]);
		if (app->told.changed[i])
			out[at++] = '*';
	}
	out[at] = '\0';
	return out;
}

/* Sends a statement as it is, as another client. */
static inline void plain(struct app *app, const char *sql)
{
	const struct dbl_driver *driver = app->s.target.dialect->driver;
	struct dbl_conn *conn;
	int rc = driver->open(&conn, &app->s.target.url, dbl_env_system(), soon(), &app->s.err);

	if (rc == 0) {
		rc = driver->exec(conn, sql, &app->s.err);
		driver->close(conn);
	}
	if (rc)
		fail_msg("%s: %s", sql, app->s.err.message);
}

/* Makes a table beside, which does not keep `up` from its work. */
static inline void beside(struct app *app, const char *sql)
{
	app->which.allow_tables = true;
	plain(app, sql);
}

/* Sends a statement as it is, and returns the integer that it gives. */
static inline int64_t number(struct app *app, const char *sql)
{
	const struct dbl_driver *driver = app->s.target.dialect->driver;
	struct dbl_value row[1] = {{.type = DBL_NULL}};
	struct dbl_conn *conn;
	struct dbl_stmt *stmt;
	int64_t changed;
	int rc = driver->open(&conn, &app->s.target.url, dbl_env_system(), soon(), &app->s.err);

	if (rc)
		fail_msg("%s", app->s.err.message);
	rc = driver->prepare(conn, sql, &stmt, &app->s.err);
	if (rc == 0)
		rc = driver->run(stmt, NULL, 0, &changed, &app->s.err);
	if (rc == 0)
		rc = driver->next(stmt, row, 1, &app->s.err) < 0;
	driver->close(conn);
	if (rc)
		fail_msg("%s: %s", sql, app->s.err.message);
	return row[0].i;
}

/* Tells whether there is a table of that plain name. */
static inline bool app_has(struct app *app, const char *table)
{
	struct dbl_db *db;
	struct dbl_runner on;
	int64_t answer;

	assert_int_equal(dbl_db_open(&db, &app->s.target, soon(), &app->s.err), 0);
	on = dbl_runner_db(db, &app->s.target, NULL, soon());
	assert_int_equal(dbl_ask(on, DBL_OP_migration_exists,
				 DBL_ARGS_OF(dbl_text(app->s.target.names.schema), dbl_text(table)),
				 &answer, &app->s.err),
			 0);
	dbl_db_close(db);
	return answer != 0;
}

/* Returns what was told about version v in the last call; fails if nothing was. */
static inline unsigned told_at(const struct app *app, int64_t v)
{
	for (unsigned i = 0; i < app->told.n; i++) {
		if (app->told.version[i] == v)
			return i;
	}
	fail_msg("nothing was told about %lld", (long long)v);
	return 0;
}

/* With this in its first line a file is no transaction: its statements are steps. */
#define STEPWISE "-- no-transaction\n"

#endif
