/* SPDX-License-Identifier: MIT */
/* Opening MySQL and MariaDB: what a URL may say, and what a refusal says. */
#include "db/driver/driver_kit.h"

/* Makes a URL: DBLOCK_TEST_URL with other parts; NULL leaves a part as it is. */
static void make_url(char *out, size_t room, const char *login, const char *database,
		     const char *more)
{
	const char *url = env_text("DBLOCK_TEST_URL");
	const char *at = strchr(url, '@');
	const char *path = strchr(at, '/') + 1;
	const char *query = path + strcspn(path, "?");

	snprintf(out, room, "mysql://%.*s%.*s%.*s%s%s%s",
		 login ? (int)strlen(login) : (int)(at - strlen("mysql://") - url),
		 login ? login : url + strlen("mysql://"), (int)(path - at), at,
		 database ? (int)strlen(database) : (int)(query - path), database ? database : path,
		 query, more ? (*query ? "&" : "?") : "", more ? more : "");
}

static void refused(const char *url, int outcome, const char *part)
{
	struct dblock_error err = {0};
	struct dbl_conn *conn;
	int rc = open_url(url, in_ms(PLENTY_MS), &conn, &err);

	if (rc != outcome)
		fail_msg("%s: %s, %s", url, dblock_outcome_name(rc), err.message);
	assert_null(conn);
	assert_int_equal(err.code, outcome);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
}

static void refused_with(const char *login, const char *database, const char *more, int outcome,
			 const char *part)
{
	char url[1000];

	make_url(url, sizeof(url), login, database, more);
	refused(url, outcome, part);
}

static void what_is_no_url(void **state)
{
	(void)state;
	refused("mysql://h", DBLOCK_E_INVALID, "names no database; write mysql://host/DATABASE");
	refused("mysql://h/", DBLOCK_E_INVALID, "names no database");
	refused("mariadb://u:s3cr3t@h?socket=/x", DBLOCK_E_INVALID, "names no database");
	refused("mysql://h:0/d", DBLOCK_E_INVALID, "no port from 1 to 65535");
	refused("mysql://h:65536/d", DBLOCK_E_INVALID, "no port from 1 to 65535");
	refused("mysql://h:-1/d", DBLOCK_E_INVALID, "no port from 1 to 65535");
	refused("mysql://h:3306x/d", DBLOCK_E_INVALID, "no port from 1 to 65535");
	refused("mysql://h:99999999999999999999/d", DBLOCK_E_INVALID, "no port from 1 to 65535");
	refused("mysql://a,b/d?socket=/x", DBLOCK_E_INVALID, "give one of the two");
	refused("mysql://a,b%3dc/d", DBLOCK_E_INVALID, "'b=c' is not the name of a host");
	refused("mysql://a=b/d", DBLOCK_E_INVALID, "is not the name of a host");
	refused("mysql://h/d?socket=/x", DBLOCK_E_INVALID, "give one of the two");
	refused("mysql://h/d?timeout=3", DBLOCK_E_INVALID,
		"unknown parameter 'timeout' for mysql; known: socket ssl-mode ssl-ca ssl-cert");
	refused("mysql://h/d?ssl-mode=on", DBLOCK_E_INVALID,
		"ssl-mode 'on' is none of: DISABLED PREFERRED REQUIRED VERIFY_CA VERIFY_IDENTITY");
	refused("mysql://h/d?ssl-ca=/nowhere/ca.pem", DBLOCK_E_INVALID, "/nowhere/ca.pem");
	refused("mysql://h/d?defaults-file=/nowhere/my.cnf", DBLOCK_E_INVALID,
		"defaults-file '/nowhere/my.cnf' cannot be read: No such file");
	refused("mysql://h/d?defaults-group=x", DBLOCK_E_INVALID, "without defaults-file");
}

static void a_wrong_password_is_not_shown(void **state)
{
	char url[1000];
	struct dblock_error err = {0};
	struct dbl_conn *conn;

	(void)state;
	make_url(url, sizeof(url), "dblock_nobody:s3cr3t%21", NULL, NULL);
	assert_int_equal(open_url(url, in_ms(PLENTY_MS), &conn, &err), DBLOCK_E_DENIED);
	assert_null(conn);
	assert_non_null(strstr(err.message, "dblock_nobody"));
	assert_non_null(strstr(err.message, "check user, password"));
	assert_null(strstr(err.message, "s3cr3t"));
	assert_true(err.native == 1045 || err.native == 1698);
	assert_string_equal(err.sqlstate, "28000");
}

/* The password is also a word of the message: the message must not show by a gap that it was cut
 * out. */
static void a_password_in_the_servers_words(void **state)
{
	(void)state;
	refused_with("dblock_same:dblock_same", NULL, NULL, DBLOCK_E_DENIED, "'dblock_same'@");
	refused_with("dblock_same:user", NULL, NULL, DBLOCK_E_DENIED, "for user 'dblock_same'@");
}

static void an_unknown_database(void **state)
{
	(void)state;
	refused_with(NULL, "dblock_nowhere", NULL, DBLOCK_E_INVALID, "dblock_nowhere");
}

static void no_server_at_that_socket(void **state)
{
	(void)state;
	refused("mysql://u:s3cr3t@/d?socket=%2Fnowhere%2Fmy.sock", DBLOCK_E_UNAVAILABLE,
		"/nowhere/my.sock");
	refused("mysql://u@localhost/d?socket=%2Fnowhere%2Fmy.sock", DBLOCK_E_UNAVAILABLE,
		"/nowhere/my.sock");
}

/* "localhost" with a port means TCP, though to the client library it would be a unix socket. */
static void localhost_is_a_host(void **state)
{
	(void)state;
	refused("mysql://u@localhost:1/d", DBLOCK_E_UNAVAILABLE, "127.0.0.1");
	refused("mysql://u@:1/d", DBLOCK_E_UNAVAILABLE, "127.0.0.1");
}

/* The connection is encrypted or refused: never quietly in the clear. */
static void tls_that_is_required(void **state)
{
	struct world *w = *state;
	struct dblock_error err = {0};
	struct dbl_value row[2];
	struct dbl_stmt *stmt;
	char url[1000];
	int rc;

	make_url(url, sizeof(url), NULL, NULL, "ssl-mode=REQUIRED");
	w->driver->close(w->conn);
	rc = open_url(url, in_ms(PLENTY_MS), &w->conn, &err);
	if (rc) {
		assert_int_equal(rc, DBLOCK_E_UNAVAILABLE);
		w->conn = connect_db(w);
		return;
	}
	stmt = prepare(w, w->conn, "SHOW STATUS LIKE 'Ssl_cipher'");
	run(w, stmt, NOTHING);
	assert_true(fetch(w, stmt, row, 2));
	assert_true(row[1].len > 0);
}

static void opens(const char *more)
{
	struct dblock_error err = {0};
	struct dbl_conn *conn;
	char url[1000];

	make_url(url, sizeof(url), NULL, NULL, more);
	if (open_url(url, in_ms(PLENTY_MS), &conn, &err))
		fail_msg("%s: %s", more, err.message);
	this_driver()->close(conn);
}

static void tls_that_is_not_required(void **state)
{
	(void)state;
	opens("ssl-mode=DISABLED");
	opens("ssl-mode=PREFERRED");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_url),
		cmocka_unit_test(a_wrong_password_is_not_shown),
		cmocka_unit_test(a_password_in_the_servers_words),
		cmocka_unit_test(an_unknown_database),
		cmocka_unit_test(no_server_at_that_socket),
		cmocka_unit_test(localhost_is_a_host),
		CASE(tls_that_is_required),
		cmocka_unit_test(tls_that_is_not_required),
	};

	if (strcmp(env_text("DBLOCK_TEST_BACKEND"), "mysql") != 0) {
		puts("mysql_open: only for mysql");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
