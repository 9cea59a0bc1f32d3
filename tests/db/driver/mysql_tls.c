/* SPDX-License-Identifier: MIT */
/* TLS: certificates, and accounts that require them. MySQL makes its own certificates when it
 * initialises, tests/servers/mariadb the same for MariaDB. */
#include "db/driver/mysql_login_kit.h"

/* Makes "?ssl-..=" of the server's own files from a format; {} stands for their folder. */
static void with_files(struct world *w, char *out, size_t room, const char *fmt)
{
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT @@datadir");
	struct dbl_value row[1];
	char path[600];

	run(w, stmt, NOTHING);
	assert_true(fetch(w, stmt, row, 1));
	snprintf(path, sizeof(path), "%.*sclient-key.pem", (int)row[0].len, row[0].text);
	assert_int_equal(0, access(path, R_OK));
	*strrchr(path, '/') = '\0';
	while (strstr(fmt, "{}")) {
		size_t len = (size_t)(strstr(fmt, "{}") - fmt);
		int n = snprintf(out, room, "%.*s%s", (int)len, fmt, path);

		out += n;
		room -= (size_t)n;
		fmt += len + 2;
	}
	snprintf(out, room, "%s", fmt);
}

#define CERTIFICATE "ssl-cert={}/client-cert.pem&ssl-key={}/client-key.pem"

static void an_account_that_requires_tls(void **state)
{
	char files[1500];

	make_user(*state, "REQUIRE SSL");
	is_refused(SOCKET, ":s3cret", "", DBLOCK_E_DENIED, "REQUIREs SSL or X509, say ssl-mode");
	with_files(*state, files, sizeof(files), CERTIFICATE);
	logs_in(TCP, ":s3cret", "");
	logs_in(SOCKET, ":s3cret", "ssl-mode=REQUIRED");
	make_user(*state, "REQUIRE X509");
	is_refused(TCP, ":s3cret", "", DBLOCK_E_DENIED, "REQUIREs X509, say ssl-cert and ssl-key");
	logs_in(TCP, ":s3cret", files);
	/* A client certificate asks for TLS, without ssl-mode. */
	logs_in(SOCKET, ":s3cret", files);
}

static void certificates(void **state)
{
	char files[1500];

	make_user(*state, "");
	with_files(*state, files, sizeof(files), "ssl-ca={}/ca.pem");
	logs_in(TCP, ":s3cret", files);
	with_files(*state, files, sizeof(files), "ssl-ca={}/ca.pem&" CERTIFICATE);
	logs_in(TCP, ":s3cret", files);
	/* First the CA is not the one that signed; then it is, but the certificate is in nobody's
	 * name. */
	with_files(*state, files, sizeof(files), "ssl-ca={}/client-cert.pem");
	is_refused(TCP, ":s3cret", files, DBLOCK_E_UNAVAILABLE, "check ssl-mode, ssl-ca");
	with_files(*state, files, sizeof(files), "ssl-ca={}/ca.pem&ssl-mode=VERIFY_IDENTITY");
	is_refused(TCP, ":s3cret", files, DBLOCK_E_UNAVAILABLE, "and the server's certificate");
}

static void a_key_that_others_may_read(void **state)
{
	const char *path = write_file("key.pem", "");
	char more[900];

	make_user(*state, "");
	chmod(path, 0604);
	snprintf(more, sizeof(more), "ssl-cert=%s&ssl-key=%s", path, path);
	is_refused(TCP, ":s3cret", more, DBLOCK_E_INVALID, "others can read or change");
	snprintf(more, sizeof(more), "ssl-cert=/nowhere/c.pem&ssl-key=%s", path);
	is_refused(TCP, ":s3cret", more, DBLOCK_E_INVALID, "ssl-cert '/nowhere/c.pem' cannot be");
	is_refused(TCP, ":s3cret", "ssl-cert=/c", DBLOCK_E_INVALID, "ssl-cert without ssl-key");
	is_refused(TCP, ":s3cret", "ssl-key=/c", DBLOCK_E_INVALID, "ssl-key without ssl-cert");
}

/* ---- what is under way ----------------------------------------------------------------------- */

struct ticking {
	struct world *w;
	int ticks;
};

/* The lock that the statement waits for is given back at the second tick. */
static void tick(void *arg)
{
	struct ticking *ticking = arg;

	if (++ticking->ticks == 2)
		exec(ticking->w, ticking->w->other, "DO RELEASE_ALL_LOCKS()");
}

/* Naive: poll() waits for what the library has read ahead. */
static void a_statement_over_tls_ticks(void **state)
{
	struct ticking ticking = {.w = *state};
	struct world *w = *state;
	struct dbl_conn *conn;
	char url[1500], login[100], sql[100];

	make_user(w, "REQUIRE SSL");
	snprintf(login, sizeof(login), "%s:s3cret", user_name());
	make_url(url, sizeof(url), TCP, login, "ssl-mode=REQUIRED");
	must(w, open_url(url, in_ms(PLENTY_MS), &conn, &w->err));
	/* The same test may run by another client library on the same server. */
	snprintf(sql, sizeof(sql), "DO GET_LOCK('tls_%d', 0)", (int)getpid());
	exec(w, w->other, sql);
	conn->tick = tick;
	conn->tick_ctx = &ticking;
	snprintf(sql, sizeof(sql), "SELECT GET_LOCK('tls_%d', 3600)", (int)getpid());
	exec(w, conn, sql);
	assert_true(ticking.ticks >= 2);
	for (int i = 0; i < 20; i++)
		exec(w, conn, "SELECT REPEAT('x', 100000)");
	w->driver->close(conn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOGIN(an_account_that_requires_tls),
		LOGIN(certificates),
		LOGIN(a_key_that_others_may_read),
		LOGIN(a_statement_over_tls_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
