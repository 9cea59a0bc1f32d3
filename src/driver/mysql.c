/* SPDX-License-Identifier: MIT */
/*
 * MySQL and MariaDB. What can wait for the server runs between call_begin and call_end:
 *   - a thread of the connection shuts the socket down at the deadline (mysql_guard.h): exact to
 *     the thread's wake-up, for every call but the look-up of a host's name (mysql_connect.c);
 *   - SIGPIPE is blocked, since the libraries write to sockets without MSG_NOSIGNAL (over TLS both
 *     do) and rely on having set it to "ignore" (mysql_lib.c).
 * Results are taken from the server as a whole by the call that asks for them, so that rows that
 * nobody fetches never stand in the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/host.h"
#include "base/mem.h"
#include "driver/mysql_conn.h"
#include "driver/mysql_error.h"
#include "driver/mysql_placeholder.h"

/* What the server does not answer may take this long, and to the deadline of the call that it
 * belongs to; it fits into any socket's buffer. */
#define GOODBYE_US 100000

static void block_sigpipe(sigset_t *before)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, before);
}

/* One that came meanwhile is ours: take it away before the caller's mask lets it through. */
static void unblock_sigpipe(const sigset_t *before)
{
	const struct timespec now = {0, 0};
	sigset_t pipe;

	if (sigismember(before, SIGPIPE) == 1)
		return;
	sigpending(&pipe);
	if (sigismember(&pipe, SIGPIPE) == 1) {
		sigemptyset(&pipe);
		sigaddset(&pipe, SIGPIPE);
		while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

int dbl_mysql_call_begin(struct dbl_mysql_call *call, struct dbl_conn *base, bool writes,
			 struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;

	*call = (struct dbl_mysql_call){.conn = conn, .writes = writes};
	if (base->broken)
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection was lost before");
	if (base->deadline <= dbl_now(base->env))
		return dbl_fail(err, DBLOCK_E_TIMEOUT, "no time left; nothing was sent");
	dbl_mysql_lib_enter();
	block_sigpipe(&call->before);
	if (!conn->adopted)
		dbl_mysql_guard_arm(&conn->guard, base->deadline);
	return 0;
}

void dbl_mysql_call_end(struct dbl_mysql_call *call)
{
	unsigned status = call->conn->lib->server_status;

	call->late = !call->conn->adopted && dbl_mysql_guard_disarm(&call->conn->guard);
	/* Without autocommit the next statement begins one. */
	call->conn->base.in_tx =
		(status & SERVER_STATUS_IN_TRANS) || !(status & SERVER_STATUS_AUTOCOMMIT);
	if (call->late)
		call->conn->base.broken = true; /* even if the answer came just before */
	unblock_sigpipe(&call->before);
}

int dbl_mysql_call_failed(const struct dbl_mysql_call *call, unsigned native, const char *sqlstate,
			  const char *text, struct dblock_error *err)
{
	struct dbl_mysql_verdict verdict = dbl_mysql_judge(native, call->writes);

	if (verdict.broken)
		call->conn->base.broken = true;
	if (!verdict.lost)
		return dbl_fail_native(err, verdict.code, (int)native, sqlstate, "%s (error %u)",
				       text, native);
	if (call->late && !call->writes)
		return dbl_fail_native(err, DBLOCK_E_TIMEOUT, (int)native, sqlstate,
				       "the database did not answer in time");
	return dbl_fail_native(err, verdict.code, (int)native, sqlstate, "%s (error %u)%s",
			       call->late ? "the database did not answer in time" : text, native,
			       call->writes ? "; it may have been carried out, or not" : "");
}

/* In a child process the connection is the parent's: not a byte may go out on it, and a lock of the
 * guard may be held by a thread that does not exist here. */
static void leave_to_parent(struct dbl_mysql_conn *conn)
{
	int fd = dbl_mysql_lib_socket(conn->lib);
	int nowhere = fd >= 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (nowhere >= 0) {
		dup2(nowhere, fd);
		close(nowhere);
	} else if (fd >= 0) {
		close(fd);
	}
	dbl_mysql_guard_abandon(&conn->guard);
}

static void say_goodbye(struct dbl_mysql_conn *conn, int64_t deadline)
{
	int64_t soon = dbl_add(dbl_now(conn->base.env), GOODBYE_US);

	if (conn->base.broken)
		dbl_mysql_guard_cut(&conn->guard);
	else
		dbl_mysql_guard_arm(&conn->guard, deadline > soon ? deadline : soon);
}

/* The library's handle goes first: what is done to statements later stays in memory. */
static void close_own(struct dbl_mysql_conn *conn)
{
	bool is_ours = conn->pid == dbl_host_pid();

	if (is_ours)
		say_goodbye(conn, 0);
	else
		leave_to_parent(conn);
	mysql_close(conn->lib);
	dbl_mysql_stmts_free(conn);
	if (is_ours)
		dbl_mysql_guard_stop(&conn->guard);
}

static void mysql_driver_close(struct dbl_conn *base)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;
	sigset_t before;

	dbl_mysql_lib_enter();
	block_sigpipe(&before);
	if (conn->adopted)
		dbl_mysql_stmts_free(conn);
	else
		close_own(conn);
	unblock_sigpipe(&before);
	dbl_free(conn);
}

void dbl_mysql_aside_begin(struct dbl_mysql_call *call, struct dbl_mysql_conn *conn)
{
	*call = (struct dbl_mysql_call){.conn = conn};
	dbl_mysql_lib_enter();
	block_sigpipe(&call->before);
	if (!conn->adopted)
		say_goodbye(conn, conn->base.deadline);
}

static int make(struct dbl_mysql_conn **out, const struct dbl_env *env, int64_t deadline,
		struct dblock_error *err)
{
	struct dbl_mysql_conn *conn;

	if (!dbl_mysql_lib_init())
		return dbl_fail(err, DBLOCK_E_NOMEM, "the MySQL client library does not start");
	conn = dbl_alloc(sizeof(*conn));
	if (!conn)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	conn->base = (struct dbl_conn){.driver = &dbl_mysql, .env = env, .deadline = deadline};
	conn->pid = dbl_host_pid();
	conn->lib = mysql_init(NULL);
	if (conn->lib && dbl_mysql_guard_start(&conn->guard, env) == 0) {
		*out = conn;
		return 0;
	}
	if (conn->lib)
		mysql_close(conn->lib);
	dbl_free(conn);
	return dbl_fail(err, DBLOCK_E_NOMEM, "no memory, or no thread, for a connection");
}

static int open_at(struct dbl_conn **out, const struct dbl_mysql_target *target,
		   const struct dbl_url *url, const struct dbl_env *env, int64_t deadline,
		   struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = NULL;
	int rc = make(&conn, env, deadline, err);

	if (rc)
		return rc;
	rc = dbl_mysql_connect(conn, target, err);
	if (rc == 0) {
		conn->base.backend = (int64_t)mysql_thread_id(conn->lib);
		*out = &conn->base;
		return 0;
	}
	dbl_err_prefix(err, "%.200s", url->shown);
	dbl_url_hide(url, err);
	conn->base.broken = true;
	mysql_driver_close(&conn->base);
	return rc;
}

static int mysql_driver_open(struct dbl_conn **out, const struct dbl_url *url,
			     const struct dbl_env *env, int64_t deadline, struct dblock_error *err)
{
	struct dbl_mysql_options options = {.text = NULL};
	struct dbl_mysql_target target;
	int rc = dbl_mysql_target_read(&target, &options, url, err);

	*out = NULL;
	if (rc == 0)
		rc = open_at(out, &target, url, env, deadline, err);
	dbl_mysql_options_free(&options);
	return rc;
}

/* A CALL answers with several results. */
bool dbl_mysql_throw_away(MYSQL *lib)
{
	int more;

	do {
		MYSQL_RES *result = mysql_store_result(lib);

		if (result)
			mysql_free_result(result);
		else if (mysql_errno(lib))
			return false;
		more = mysql_next_result(lib);
	} while (more == 0);
	return more < 0;
}

static int mysql_driver_exec(struct dbl_conn *base, const char *sql, struct dblock_error *err)
{
	MYSQL *lib = ((struct dbl_mysql_conn *)base)->lib;
	struct dbl_mysql_call call;
	bool done;
	int rc;

	if (dbl_mysql_is_empty(sql))
		return dbl_fail(err, DBLOCK_E_BUG, "the statement is empty");
	rc = dbl_mysql_call_begin(&call, base, true, err);
	if (rc)
		return rc;
	done = mysql_real_query(lib, sql, strlen(sql)) == 0 && dbl_mysql_throw_away(lib);
	dbl_mysql_call_end(&call);
	if (done)
		return 0;
	return dbl_mysql_call_failed(&call, mysql_errno(lib), mysql_sqlstate(lib), mysql_error(lib),
				     err);
}

/* The character set is among what is reset. */
static int mysql_driver_reset(struct dbl_conn *base, struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;
	struct dbl_mysql_call call;
	bool done;
	int rc;

	rc = dbl_mysql_call_begin(&call, base, true, err);
	if (rc)
		return rc;
	dbl_mysql_stmts_free(conn);
	done = mysql_reset_connection(conn->lib) == 0 &&
	       mysql_set_character_set(conn->lib, "utf8mb4") == 0;
	dbl_mysql_call_end(&call);
	if (done)
		return 0;
	return dbl_mysql_call_failed(&call, mysql_errno(conn->lib), mysql_sqlstate(conn->lib),
				     mysql_error(conn->lib), err);
}

static void *mysql_driver_handle(struct dbl_conn *base)
{
	return ((struct dbl_mysql_conn *)base)->lib;
}

const struct dbl_driver dbl_mysql = {
	.name = "mysql",
	.open = mysql_driver_open,
	.adopt = dbl_mysql_adopt,
	.handle = mysql_driver_handle,
	.close = mysql_driver_close,
	.reset = mysql_driver_reset,
	.state = dbl_mysql_state,
	.exec = mysql_driver_exec,
	.prepare = dbl_mysql_prepare,
	.forget = dbl_mysql_forget,
	.run = dbl_mysql_run,
	.next = dbl_mysql_next,
	.wait = dbl_mysql_wait,
};
