/* SPDX-License-Identifier: MIT */
/* What a long statement is at is asked over a second connection. That one is refused, is cut, never
 * answers, or may not ask: the migration goes on, and ends as it would without it. */
#include "db/migrate/migrate_app.h"
#include "support/proxy.h"
#include "support/raw.h"

#define BOUND_US 2000000 /* of all that one look takes: tick.c */

enum { TICKS = 2 };

/* What goes wrong, once the statement is sent. */
enum wrong { NOTHING, SILENT_AT_ONCE, SILENT_WHEN_ASKED, CUT_WHEN_ASKED, REFUSED, LIMITED, DENIED };

static struct {
	enum wrong wrong;
	bool ends_meanwhile; /* the statement ends while the second connection is at it, */
	struct raw *reader;  /* for whom it waits; NULL: it has ended */
	int64_t ended;
	int ticks;
	char doing[200]; /* what was told last */

	struct proxy *proxy;
	const struct dbl_driver *real;
	struct dbl_driver driver;
	unsigned opened; /* how often somebody tried to connect, while the reader was there */
	struct dbl_conn *watch; /* the second connection */
} scene;

/* Who migrates: no superuser, since that one is above all limits. */
static char role[40];

static void let_go(void)
{
	if (scene.reader)
		raw_close(scene.reader);
	scene.reader = NULL;
	scene.ended = clock_ms();
}

static void is_bounded(int64_t deadline)
{
	assert_true(deadline <= dbl_now(dbl_env_system()) + BOUND_US);
	if (scene.ends_meanwhile)
		let_go();
}

/* Naive: it is tried again with each tick. */
static int open_it(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		   int64_t deadline, struct dblock_error *err)
{
	bool second = scene.reader && ++scene.opened == 2;
	int rc;

	if (second)
		is_bounded(deadline);
	rc = scene.real->open(conn, url, env, deadline, err);
	if (second)
		scene.watch = *conn;
	return rc;
}

static int run_it(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n, int64_t *changed,
		  struct dblock_error *err)
{
	if (stmt->conn == scene.watch)
		is_bounded(stmt->conn->deadline);
	return scene.real->run(stmt, args, n, changed, err);
}

static const struct dbl_driver *put_between(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	scene.real = real;
	scene.driver = *real;
	scene.driver.open = open_it;
	scene.driver.run = run_it;
	return &scene.driver;
}

static void __attribute__((format(printf, 1, 2))) as_superuser(const char *fmt, ...)
{
	struct raw *raw = raw_open(NULL);
	char sql[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sql, sizeof(sql), fmt, args);
	va_end(args);
	raw_exec(raw, "%s", sql);
	raw_close(raw);
}

static void go_wrong(void)
{
	if (scene.wrong == SILENT_AT_ONCE)
		proxy_set_new(scene.proxy, PROXY_SILENT);
	else if (scene.wrong == SILENT_WHEN_ASKED)
		proxy_set_at(scene.proxy, "migrate_progress", PROXY_SILENT);
	else if (scene.wrong == CUT_WHEN_ASKED)
		proxy_set_at(scene.proxy, "migrate_progress", PROXY_TEAR);
	else if (scene.wrong == REFUSED)
		proxy_refuse(scene.proxy, true);
	else if (scene.wrong == LIMITED)
		as_superuser("ALTER ROLE %s CONNECTION LIMIT 1", role);
	else if (scene.wrong == DENIED)
		as_superuser("REVOKE EXECUTE ON FUNCTION pg_blocking_pids (int) FROM PUBLIC");
}

static void put_right(void)
{
	proxy_refuse(scene.proxy, false);
	proxy_set(scene.proxy, PROXY_PASS);
	as_superuser("ALTER ROLE %s CONNECTION LIMIT -1", role);
	as_superuser("GRANT EXECUTE ON FUNCTION pg_blocking_pids (int) TO PUBLIC");
}

static void hear(void *arg, const struct dblock_migrate_progress *progress)
{
	(void)arg;
	if (progress->version != 2 || progress->waiting)
		return;
	if (progress->took_ms < 500) {
		go_wrong(); /* it is about to be sent */
		return;
	}
	snprintf(scene.doing, sizeof(scene.doing), "%s", progress->doing);
	if (++scene.ticks == TICKS)
		let_go();
}

static const char *their_url(void)
{
	static char url[600];
	const char *whole = proxy_url(scene.proxy), *at = strchr(whole, '@');

	snprintf(url, sizeof(url), "postgresql://%s:pw%s", role, at);
	return url;
}

/* The reader is a superuser's. */
static void begin(struct app *app, struct dbl_env *env, enum wrong wrong)
{
	memset(&scene, 0, sizeof(scene));
	scene.wrong = wrong;
	scene.proxy = proxy_new();
	*env = *dbl_env_system();
	env->intercept = put_between;
	*app = (struct app){.which = DBLOCK_MIGRATE_OPTIONS_INIT};
	schema_open_url(&app->s, their_url(), NULL, env);
	app->which.lock_timeout_ms = -1;
	app->which.progress = hear;
}

static void end(struct app *app)
{
	app_close(app);
	proxy_free(scene.proxy);
	as_superuser("DROP TABLE watched, dblock_migration");
}

/* The statement waits for the reader. */
static void migrate(struct app *app)
{
	static const struct dblock_migration_file files[] = {
		UP(1, "table", "CREATE TABLE watched (k INTEGER)"),
		UP(2, "alter", "ALTER TABLE watched ADD COLUMN more INTEGER"),
	};

	app_set(app, files, 1);
	EXPECT(OK, app, app_up(app));
	scene.reader = raw_open(NULL);
	raw_exec(scene.reader, "BEGIN");
	raw_exec(scene.reader, "LOCK TABLE watched IN ACCESS SHARE MODE");
	SET(app, files);
	EXPECT(OK, app, app_up(app));
	assert_int_equal(scene.opened, 2);
	assert_null(scene.reader);
	scene.watch = NULL;
	put_right();
	assert_string_equal(app_status(app), "1A2A");
}

/* ---- */

/* So the others would tell it, if nothing went wrong. */
static void nothing_goes_wrong(void **unused)
{
	struct dbl_env env;
	struct app app;

	(void)unused;
	begin(&app, &env, NOTHING);
	migrate(&app);
	assert_int_equal(scene.ticks, TICKS);
	assert_non_null(strstr(scene.doing, "waits for a lock that pid "));
	end(&app);
}

static void it_ticks_on(enum wrong wrong)
{
	struct dbl_env env;
	struct app app;

	begin(&app, &env, wrong);
	migrate(&app);
	assert_int_equal(scene.ticks, TICKS);
	assert_string_equal(scene.doing, "");
	end(&app);
}

static void nobody_listens(void **unused)
{
	(void)unused;
	it_ticks_on(REFUSED);
}

static void it_is_cut_when_it_asks(void **unused)
{
	(void)unused;
	it_ticks_on(CUT_WHEN_ASKED);
}

static void the_role_may_have_one_connection(void **unused)
{
	(void)unused;
	it_ticks_on(LIMITED);
}

static void the_role_may_not_ask(void **unused)
{
	(void)unused;
	it_ticks_on(DENIED);
}

static void nobody_answers_for_long(void **unused)
{
	(void)unused;
	it_ticks_on(SILENT_AT_ONCE);
}

/* The statement ends while nobody answers. Naive: its end is seen when a reply would be late. */
static void it_ends_while_nobody_answers(void **unused)
{
	const enum wrong wrongs[] = {SILENT_AT_ONCE, SILENT_WHEN_ASKED};

	(void)unused;
	for (int i = 0; i < 2; i++) {
		struct dbl_env env;
		struct app app;

		begin(&app, &env, wrongs[i]);
		scene.ends_meanwhile = true;
		migrate(&app);
		assert_true(clock_ms() - scene.ended < PLENTY_MS / 2);
		end(&app);
	}
}

static int make_role(void **unused)
{
	(void)unused;
	snprintf(role, sizeof(role), "watcher_%d", (int)getpid());
	as_superuser("CREATE ROLE %s LOGIN PASSWORD 'pw'", role);
	as_superuser("GRANT ALL ON SCHEMA public TO %s", role);
	return 0;
}

static int drop_role(void **unused)
{
	(void)unused;
	as_superuser("DROP OWNED BY %s", role);
	as_superuser("DROP ROLE %s", role);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_goes_wrong),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(it_is_cut_when_it_asks),
		cmocka_unit_test(the_role_may_have_one_connection),
		cmocka_unit_test(the_role_may_not_ask),
		cmocka_unit_test(nobody_answers_for_long),
		cmocka_unit_test(it_ends_while_nobody_answers),
	};

	return cmocka_run_group_tests(tests, make_role, drop_role);
}
