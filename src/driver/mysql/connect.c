/* SPDX-License-Identifier: MIT */
/* Connecting by a deadline. Waits in poll() end exactly then; the guard ends what the library does
 * in a blocking way (a TLS handshake). Only the resolver's own limits bound the look-up of a host's
 * name. */
#include <errmsg.h>
#include <errno.h>
#include <poll.h>

#include "driver/mysql/conn.h"
#include "driver/mysql/version.h"

/* Milliseconds to the deadline, rounded up; at most a second: poll() stops while the machine
 * sleeps. */
static int left_ms(const struct dbl_conn *conn)
{
	int64_t left = conn->deadline - dbl_now(conn->env);

	return left <= 0 ? 0 : left > 1000000 ? 1000 : (int)((left + 999) / 1000);
}

struct attempt {
	struct dbl_mysql_conn *conn;
	bool late; /* the deadline came in poll() */
};

static int wait_for(void *ctx, int fd, int events, int at_most_ms)
{
	struct attempt *attempt = ctx;
	struct dbl_mysql_conn *conn = attempt->conn;
	struct pollfd p = {.fd = fd, .events = (short)events};

	/* If the host has several addresses, this may be another socket with the same number. */
	dbl_mysql_guard_watch(&conn->guard, fd);
	for (;;) {
		int left = left_ms(&conn->base);
		bool last = at_most_ms >= 0 && at_most_ms <= left;
		int n = left == 0 ? 0 : poll(&p, 1, last ? at_most_ms : left);

		if (left == 0) {
			attempt->late = true;
			return -1;
		}
		if (n > 0)
			return p.revents;
		if (n < 0 && errno != EINTR)
			return -1;
		if (n == 0 && last)
			return 0;
	}
}

static void set_options(MYSQL *lib, const struct dbl_mysql_target *to)
{
	unsigned no_infile = 0;

	/* No time-outs are set: they could not be undone for later calls. Nor is
	 * MYSQL_OPT_RECONNECT, even to turn it off: a new Oracle library prints a warning to stderr
	 * then. */
	mysql_options(lib, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(lib, MYSQL_OPT_LOCAL_INFILE, &no_infile);
	dbl_mysql_lib_set_tls(lib, to);
}

static int failed(struct dbl_mysql_call *call, const struct dbl_mysql_target *to,
		  struct dblock_error *err)
{
	MYSQL *lib = call->conn->lib;
	unsigned native = call->late ? CR_SERVER_LOST : mysql_errno(lib);
	const char *text = *mysql_error(lib) ? mysql_error(lib) : "connection lost";
	int rc = dbl_mysql_call_failed(call, native, mysql_sqlstate(lib), text, err);

	dbl_err_suffix(err, "%s", dbl_mysql_advice(rc, native, to));
	return rc;
}

/* Some libraries go on without TLS if the server has none. */
static int check_tls(struct dbl_mysql_conn *conn, const struct dbl_mysql_target *to,
		     struct dblock_error *err)
{
	if (to->tls < DBL_MYSQL_TLS_REQUIRED || mysql_get_ssl_cipher(conn->lib))
		return 0;
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE,
			"the server has no TLS, but ssl-mode asks for it; set up TLS there, or use "
			"ssl-mode=PREFERRED");
}

/* A third of the time left, in whole seconds: connecting, reading and writing have a bound each. */
static unsigned timeout_s(const struct dbl_conn *conn)
{
	int64_t left = conn->deadline - dbl_now(conn->env);

	return left < 3000000 ? 0 : left > 60000000 ? 20 : (unsigned)(left / 3000000);
}

/* Ask the server once more why it refuses, with a new handle: the old one cannot be used for
 * another attempt, nor this one afterwards. */
static void learn_why(struct dbl_mysql_conn *conn, const struct dbl_mysql_target *to)
{
	unsigned seconds = timeout_s(&conn->base);
	MYSQL *fresh = seconds && dbl_mysql_lib_lost_reason(conn->lib) ? mysql_init(NULL) : NULL;

	if (!fresh)
		return;
	mysql_close(conn->lib);
	conn->lib = fresh;
	set_options(fresh, to);
	dbl_mysql_lib_ask_why(fresh, to, seconds);
}

static bool try_to_connect(struct attempt *attempt, const struct dbl_mysql_target *to)
{
	const struct dbl_mysql_wait wait = {.ctx = attempt, .poll = wait_for};
	struct dbl_mysql_conn *conn = attempt->conn;

	set_options(conn->lib, to);
	if (dbl_mysql_lib_connect(conn->lib, to, &wait))
		return true;
	if (!attempt->late)
		learn_why(conn, to);
	return false;
}

int dbl_mysql_connect(struct dbl_mysql_conn *conn, const struct dbl_mysql_target *to,
		      struct dblock_error *err)
{
	struct attempt attempt = {.conn = conn};
	struct dbl_mysql_call call;
	bool connected;
	int rc = dbl_mysql_call_begin(&call, &conn->base, false, err);

	if (rc)
		return rc;
	connected = try_to_connect(&attempt, to);
	dbl_mysql_call_end(&call);
	call.late = call.late || attempt.late;
	if (!connected || call.late)
		return failed(&call, to, err);
	if (!dbl_mysql_guard_watch(&conn->guard, dbl_mysql_lib_socket(conn->lib)))
		return dbl_fail_native(err, DBLOCK_E_UNAVAILABLE, errno, NULL,
				       "no file descriptor left in this process");
	rc = dbl_mysql_check_version(mysql_get_server_info(conn->lib), err);
	if (rc == 0)
		rc = check_tls(conn, to, err);
	return rc ? rc : dbl_mysql_check_writable(conn, to, err);
}
