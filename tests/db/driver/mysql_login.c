/* SPDX-License-Identifier: MIT */
/* Logging in to MySQL and MariaDB by passwords, from wherever they come, over TCP and sockets; and
 * what a refusal says. */
#include <netinet/in.h>
#include <sys/socket.h>

#include "db/driver/mysql_login_kit.h"

/* A reason that gets lost at all gets lost at least once in a hundred attempts. */
enum { TIMES = 50 };

/* ---- passwords ------------------------------------------------------------------------------- */

static void a_wrong_password(void **state)
{
	struct dblock_error err;

	make_user(*state, "");
	logs_in(TCP, ":s3cret", "");
	logs_in(SOCKET, ":s3cret", "");
	for (int i = 0; i < TIMES; i++) {
		if (try_login(i % 2 ? TCP : SOCKET, ":wrong", "", &err) != DBLOCK_E_DENIED ||
		    err.native != 1045 || strcmp(err.sqlstate, "28000") != 0)
			fail_msg("the %d. time: %s", i + 1, err.message);
	}
	is_refused(TCP, "", "", DBLOCK_E_DENIED, "(using password: NO)");
	is_refused(TCP, ":", "", DBLOCK_E_DENIED, "check user, password and grants");
}

/* The server looks at the database's name last: it says no, and closes. Over TCP that may reset the
 * connection, and now and then what it said is lost with it: the link asks again then. */
static void is_not_there(enum way way, const char *more)
{
	char url[1500], login[100];
	int lost = 0;

	snprintf(login, sizeof(login), "%s:s3cret", user_name());
	make_url(url, sizeof(url), way, login, more);
	strchr(strchr(url, '@'), '/')[1] = 'n'; /* the real name begins with t_ */
	for (int i = 0; i < TIMES; i++) {
		struct dblock_error err = {0};
		struct dbl_conn *conn;
		int rc = open_url(url, in_ms(PLENTY_MS), &conn, &err);

		if (rc == DBLOCK_E_UNAVAILABLE && way == TCP && lost++ < TIMES / 10)
			continue;
		if (rc != DBLOCK_E_INVALID || err.native != 1049)
			fail_msg("%s, the %d. time: %s", more, i + 1, err.message);
	}
}

static void a_database_that_is_not_there(void **state)
{
	make_user(*state, "");
	is_not_there(SOCKET, "");
	is_not_there(TCP, "");
	is_not_there(TCP, "ssl-mode=DISABLED&get-server-public-key=1");
}

static void an_account_that_is_locked(void **state)
{
	make_user(*state, "ACCOUNT LOCK");
	is_refused(TCP, ":s3cret", "", DBLOCK_E_DENIED, "ACCOUNT UNLOCK lets it in");
	is_refused(SOCKET, ":s3cret", "", DBLOCK_E_DENIED, "ACCOUNT UNLOCK lets it in");
}

/* MariaDB lets such an account in, to change the password and for nothing else. */
static void a_password_that_is_over(void **state)
{
	struct dblock_error err;
	int rc;

	make_user(*state, "PASSWORD EXPIRE");
	rc = try_login(TCP, ":s3cret", "", &err);
	if (rc == 0 && !is_mysql(*state))
		return;
	assert_int_equal(rc, DBLOCK_E_DENIED);
	assert_int_equal(err.native, 1862);
	assert_non_null(strstr(err.message, "ALTER USER"));
}

static void no_connection_left(void **state)
{
	struct dblock_error err;
	struct dbl_conn *conn;
	char url[1500], login[100];
	int rc;

	make_user(*state, "WITH MAX_USER_CONNECTIONS 1");
	snprintf(login, sizeof(login), "%s:s3cret", user_name());
	make_url(url, sizeof(url), TCP, login, "");
	assert_int_equal(open_url(url, in_ms(PLENTY_MS), &conn, &err), 0);
	rc = try_login(TCP, ":s3cret", "", &err);
	this_driver()->close(conn);
	assert_int_equal(rc, DBLOCK_E_UNAVAILABLE);
	assert_non_null(strstr(err.message, "see max_user_connections"));
}

/* The server knows a new account only by a slow hash, and then wants the password itself; an
 * account that has logged in is known by a quick hash. MariaDB's client library asks for the
 * server's key unasked. */
static void a_cold_cache_and_a_warm_one(void **state)
{
	struct dblock_error err;
	int rc;

	if (!is_mysql(*state))
		skip(); /* caching_sha2_password is MySQL's */
	make_user(*state, "");
	rc = try_login(TCP, ":s3cret", "ssl-mode=DISABLED", &err);
	if (rc) {
		assert_int_equal(rc, DBLOCK_E_DENIED);
		assert_int_equal(err.native, 2061);
		assert_non_null(strstr(err.message, "get-server-public-key=1"));
		assert_non_null(strstr(err.message, "ssl-mode=REQUIRED"));
	}
	make_user(*state, "");
	logs_in(TCP, ":s3cret", "ssl-mode=DISABLED&get-server-public-key=1");
	make_user(*state, "");
	logs_in(SOCKET, ":s3cret", "");
	make_user(*state, "");
	logs_in(TCP, ":s3cret", "ssl-mode=REQUIRED");
	logs_in(TCP, ":s3cret", "ssl-mode=DISABLED");
}

/* ---- ways ------------------------------------------------------------------------------------ */

static bool has_ipv6(void)
{
	const struct sockaddr_in6 at = {.sin6_family = AF_INET6,
					.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0;

	if (fd >= 0)
		close(fd);
	return has;
}

/* The test's server listens there if the machine has the address. */
static void over_ipv6(void **state)
{
	if (!has_ipv6())
		skip(); /* this machine has no ::1 */
	make_user(*state, "");
	logs_in(V6, ":s3cret", "");
	is_refused(V6, ":wrong", "", DBLOCK_E_DENIED, "@'::1'");
}

static void by_the_environment(void **state)
{
	make_user(*state, "");
	setenv("MYSQL_PWD", "s3cret", 1);
	logs_in(TCP, "", "");
	logs_in(SOCKET, "", "");
	is_refused(TCP, ":wrong", "", DBLOCK_E_DENIED, "check user");
	is_refused(TCP, ":", "", DBLOCK_E_DENIED, "(using password: NO)");
}

static int open_by_file(const char *before, const char *text, const char *more,
			struct dblock_error *err)
{
	char url[1500];
	struct dbl_conn *conn;
	int rc;

	snprintf(url, sizeof(url), "mysql://%s?defaults-file=%s%s", before,
		 write_file("my.cnf", text), more);
	*err = (struct dblock_error){0};
	rc = open_url(url, in_ms(PLENTY_MS), &conn, err);
	if (rc == 0)
		this_driver()->close(conn);
	return rc;
}

static void by_an_option_file(void **state)
{
	const char *tcp = tcp_place(), *database = strchr(tcp, '/') + 1, *port = strchr(tcp, ':');
	struct dblock_error err = {0};
	char text[600], before[200];

	make_user(*state, "");
	/* dblock does not carry out the init-command, as programs of MySQL would. */
	snprintf(text, sizeof(text),
		 "[client]\nuser = %s\npassword = 's3cret' # quoted\nhost=127.0.0.1\nport=%.*s\n"
		 "init-command = KILL CONNECTION_ID()\n[other]\npassword = wrong\n",
		 user_name(), (int)(database - 1 - port - 1), port + 1);
	snprintf(before, sizeof(before), "/%s", database);
	if (open_by_file(before, text, "", &err))
		fail_msg("%s", err.message);
	assert_int_equal(open_by_file(before, text, "&defaults-group=other", &err),
			 DBLOCK_E_DENIED);
	/* The URL's user and password come before the file's. */
	snprintf(before, sizeof(before), ":wrong@/%s", database);
	assert_int_equal(open_by_file(before, text, "", &err), DBLOCK_E_DENIED);
	snprintf(before, sizeof(before), "dblock_nobody@/%s", database);
	assert_int_equal(open_by_file(before, text, "", &err), DBLOCK_E_DENIED);
	assert_non_null(strstr(err.message, "dblock_nobody"));
	/* The port comes from the file, the host does not. */
	snprintf(before, sizeof(before), "localhost:1/%s", database);
	assert_int_equal(open_by_file(before, text, "", &err), DBLOCK_E_UNAVAILABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOGIN(a_wrong_password),
		LOGIN(a_database_that_is_not_there),
		LOGIN(an_account_that_is_locked),
		LOGIN(a_password_that_is_over),
		LOGIN(no_connection_left),
		LOGIN(a_cold_cache_and_a_warm_one),
		LOGIN(over_ipv6),
		LOGIN(by_the_environment),
		LOGIN(by_an_option_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
