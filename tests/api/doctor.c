/* SPDX-License-Identifier: MIT */
/* dblock_doctor(), on each database, as it is. */
#include "support/findings.h"

static struct findings examine(const char *prefix)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};

	options.prefix = prefix;
	options.timeout_ms = PLENTY_MS;
	expect(OK, dblock_doctor(test_url(), &options, keep_finding, &findings, &err));
	return findings;
}

static void tables_that_are_there(void **state)
{
	struct findings findings;

	(void)state;
	dblock_close(client_new(0), NULL);
	findings = examine(NULL);
	must_say(&findings, OK, "schema", "migrations are applied");
	must_say(&findings, OK, "rights", "read and write the tables");
	must_say(&findings, OK, "rights", "may run 'dblock reap'");
	must_say(&findings, OK, "clock", "this machine's");
	for (int i = 0; i < findings.n; i++) {
		if (findings.all[i].severity == DBLOCK_FINDING_WRONG)
			must_say(&findings, OK, findings.all[i].topic, findings.all[i].text);
	}
}

static void tables_that_are_not(void **state)
{
	struct findings findings;

	(void)state;
	dblock_close(client_new(0), NULL); /* a file with nothing in it gets its tables by itself */
	findings = examine("other_");
	must_say(&findings, WRONG, "schema", "are not there");
	assert_non_null(strstr(find_finding(&findings, "schema", "")->remedy, "dblock schema up"));
	assert_null(find_finding(&findings, "rights", "read and write"));
}

static void what_each_database_says_of_itself(void **state)
{
	struct findings findings = examine(NULL);

	(void)state;
	if (on_backend("sqlite")) {
		must_say(&findings, OK, "server", "SQLite 3.");
		must_say(&findings, OK, "durability", "WAL is on");
		must_say(&findings, OK, "durability", "synchronous = NORMAL");
		must_say(&findings, OK, "file", "test.db");
		must_say(&findings, OK, "wal", "KB");
		return;
	}
	must_say(&findings, OK, "pooler", "none is seen");
	must_say(&findings, OK, "rights", "may create tables");
	if (on_backend("postgresql")) {
		must_say(&findings, OK, "server", "PostgreSQL ");
		must_say(&findings, OK, "writable", "primary");
		/* As our servers are set up. */
		must_say(&findings, OK, "isolation", "serializable");
		must_say(&findings, WARNING, "durability", "fsync is off");
		must_say(&findings, OK, "failover", "no standby");
	} else {
		must_say(&findings, OK, "writable", "takes writes");
		must_say(&findings, OK, "isolation", "SERIALIZABLE");
		must_say(&findings, WARNING, "durability", "innodb_flush_log_at_trx_commit is 2");
		must_say(&findings, OK, "durability", "no replica can follow");
	}
}

static int stop(void *arg, const struct dblock_finding *finding)
{
	(void)finding;
	return ++*(int *)arg == 2 ? 77 : 0;
}

static void the_callback_may_stop_it(void **state)
{
	struct dblock_error err = {0};
	int calls = 0;

	(void)state;
	assert_int_equal(dblock_doctor(test_url(), NULL, stop, &calls, &err), 77);
	assert_int_equal(calls, 2);
}

static void what_cannot_be_looked_at(void **state)
{
	const char *url = on_backend("postgresql") ? "postgresql://me:s3kr3t@127.0.0.1:1/x"
			  : on_backend("mysql")    ? "mysql://me:s3kr3t@127.0.0.1:1/x"
						   : "sqlite:/nowhere/at/all.db";
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};
	int rc = dblock_doctor(url, NULL, keep_finding, &findings, &err);

	(void)state;
	expect_at(rc, on_backend("sqlite") ? DBLOCK_E_INVALID : DBLOCK_E_UNAVAILABLE, &err,
		  "dblock_doctor", __FILE__, __LINE__);
	assert_null(strstr(err.message, "s3kr3t"));
	assert_int_equal(findings.n, 0);
	expect(E_INVALID, dblock_doctor(test_url(), NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_doctor(NULL, NULL, keep_finding, &findings, &err));
}

static void severities_have_names(void **state)
{
	(void)state;
	assert_string_equal(dblock_severity_name(DBLOCK_FINDING_OK), "ok");
	assert_string_equal(dblock_severity_name(DBLOCK_FINDING_WARNING), "warning");
	assert_string_equal(dblock_severity_name(DBLOCK_FINDING_WRONG), "wrong");
	assert_string_equal(dblock_severity_name((enum dblock_severity)3), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_that_are_there),
		cmocka_unit_test(tables_that_are_not),
		cmocka_unit_test(what_each_database_says_of_itself),
		cmocka_unit_test(the_callback_may_stop_it),
		cmocka_unit_test(what_cannot_be_looked_at),
		cmocka_unit_test(severities_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
