/* SPDX-License-Identifier: MIT */
/* The doctor where something is refused. Each call of the driver fails in turn, in each way:
 * whatever it was, somebody is told. The last cases check what the doctor says of histories of each
 * kind. */
#include "api/client.h"
#include "doctor/doctor.h"
#include "support/findings.h"
#include "support/thin.h"

#define REFUSED "refused, in a test"

/* ---- a driver that fails -------------------------------------------------------------------- */

static struct {
	struct dbl_env env;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	int countdown, code;
	bool hit;
} world;

static bool refuses(struct dblock_error *err)
{
	if (world.countdown == 0 || --world.countdown > 0)
		return false;
	world.hit = true;
	(void)dbl_fail(err, world.code, REFUSED);
	return true;
}

static int refuse_open(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		       int64_t deadline, struct dblock_error *err)
{
	*conn = NULL;
	return refuses(err) ? world.code : world.real->open(conn, url, env, deadline, err);
}

/* A ROLLBACK is not refused: a broken connection undoes the work as well. */
static int refuse_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	return !strstr(sql, "ROLLBACK") && refuses(err) ? world.code
							: world.real->exec(conn, sql, err);
}

static int refuse_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			  struct dblock_error *err)
{
	return refuses(err) ? world.code : world.real->prepare(conn, sql, stmt, err);
}

static int refuse_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		      int64_t *changed, struct dblock_error *err)
{
	return refuses(err) ? world.code : world.real->run(stmt, args, n, changed, err);
}

static int refuse_next(struct dbl_stmt *stmt, struct dbl_value *row, unsigned n,
		       struct dblock_error *err)
{
	return refuses(err) ? world.code : world.real->next(stmt, row, n, err);
}

static const struct dbl_driver *intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	world.real = real;
	world.driver = *real;
	world.driver.open = refuse_open;
	world.driver.exec = refuse_exec;
	world.driver.prepare = refuse_prepare;
	world.driver.run = refuse_run;
	world.driver.next = refuse_next;
	return &world.driver;
}

/* ---- each call in turn ---------------------------------------------------------------------- */

static int count_bad(const struct findings *findings)
{
	int n = 0;

	for (int i = 0; i < findings->n; i++)
		n += findings->all[i].severity != DBLOCK_FINDING_OK;
	return n;
}

/* A refusal is told by its own message, or by a finding that it causes. `usual` is the number of
 * findings where nothing is refused. */
static bool is_told(const struct findings *findings, int usual, int rc,
		    const struct dblock_error *err)
{
	for (int i = 0; i < findings->n; i++) {
		if (strstr(findings->all[i].text, REFUSED) ||
		    strstr(findings->all[i].text, "may not run 'dblock reap'"))
			return true;
	}
	return rc ? strstr(err->message, REFUSED) != NULL : count_bad(findings) > usual;
}

/* Lets the n-th call fail with this code. Returns false if there are not so many calls. */
static bool examine(int n, int code)
{
	static int usual;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};
	int rc;

	options.timeout_ms = PLENTY_MS;
	world.countdown = n;
	world.code = code;
	world.hit = false;
	rc = dbl_client_doctor(test_url(), &options, &world.env, keep_finding, &findings, &err);
	if (!world.hit)
		usual = count_bad(&findings);
	else if (!is_told(&findings, usual, rc, &err)) {
		print_findings(&findings);
		fail_msg("%s at call %d: nobody is told (%s)", dblock_outcome_name(code), n,
			 dblock_outcome_name(rc));
	}
	return world.hit;
}

static void whatever_is_refused_is_told(void **state)
{
	static const int codes[] = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_BLOCKED, DBLOCK_E_DENIED,
				    DBLOCK_E_READONLY, DBLOCK_E_BUG};

	(void)state;
	dblock_close(client_new(0), NULL);
	world.env = *dbl_env_system();
	world.env.intercept = intercept;
	assert_false(examine(0, codes[0]));
	for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		int n = 1;

		/* On a server each call is played with one or two of the codes (support/thin.h). */
		while (!tries_here((unsigned)n + i, 3) || examine(n, codes[i]))
			n++;
		assert_true(n > 10);
	}
}

/* ---- histories ------------------------------------------------------------------------------ */

static struct findings examine_history(const struct dbl_doctor_schema *schema)
{
	const struct dbl_env *env = dbl_env_system();
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};
	struct dbl_target target;

	expect(OK, dbl_target_init(&target, test_url(), NULL, NULL, env, &err));
	expect(OK, dbl_doctor(&target, schema, dbl_now(env) + dbl_ms(PLENTY_MS), keep_finding,
			      &findings, &err));
	dbl_target_free(&target);
	return findings;
}

static void histories(void **state)
{
	struct dbl_doctor_schema half = {.applied = 3, .pending = 2, .first = "0004_more"};
	struct dbl_doctor_schema begun = {.running = 1, .pending = 4, .first = "0001_session"};
	struct dbl_doctor_schema newer = {.applied = 5, .newer = 2};
	struct dbl_doctor_schema changed = {.applied = 5, .changed = 1};
	struct dbl_doctor_schema another = {.rc = DBLOCK_E_SCHEMA, .err = {.message = "not ours"}};
	struct dbl_doctor_schema secret = {.rc = DBLOCK_E_DENIED, .err = {.message = "secret"}};
	struct findings findings;

	(void)state;
	dblock_close(client_new(0), NULL);
	findings = examine_history(&half);
	must_say(&findings, WRONG, "schema",
		 "2 of 5 migrations are not applied; the first is 0004");
	/* The doctor says nothing of tables that are not as they should be. */
	assert_null(find_finding(&findings, "rights", "this user may read and write"));
	findings = examine_history(&begun);
	must_say(&findings, WRONG, "schema", "which was begun and not finished");
	findings = examine_history(&newer);
	must_say(&findings, OK, "schema", "all 5 migrations are applied");
	must_say(&findings, WARNING, "schema", "2 migrations are of a newer dblock");
	findings = examine_history(&changed);
	must_say(&findings, WARNING, "schema", "1 migrations were applied from another text");
	findings = examine_history(&another);
	must_say(&findings, WRONG, "schema", "not ours");
	findings = examine_history(&secret);
	must_say(&findings, WRONG, "schema", "may not be read: secret");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_is_refused_is_told),
		cmocka_unit_test(histories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
