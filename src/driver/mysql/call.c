/* SPDX-License-Identifier: MIT */
/*
 * A call of the client library. Whatever may wait for the server is done between call_begin and
 * call_end:
 *   - a thread of the connection shuts the socket down at the deadline (guard.h): as exact as the
 *     thread's wake-up, for every call but the look-up of a host's name (connect.c);
 *   - SIGPIPE is blocked, since the libraries write to sockets without MSG_NOSIGNAL (over TLS both
 *     do) and rely on having set it to "ignore" (lib.c).
 * A call takes the whole result from the server at once, so rows that nobody fetches are never in
 * the way.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "driver/mysql/conn.h"
#include "driver/mysql/error.h"

/* A command without an answer may take this long, and until the deadline of its call; it fits into
 * any socket's buffer. */
#define GOODBYE_US 100000

int dbl_mysql_call_begin(struct dbl_mysql_call *call, struct dbl_conn *base, bool writes,
			 struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;

	*call = (struct dbl_mysql_call){.conn = conn, .writes = writes};
	if (base->broken)
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection was lost before");
	if (base->deadline <= dbl_now(base->env))
		return dbl_fail(err, DBLOCK_E_NO_ANSWER, "no time left; nothing was sent");
	dbl_mysql_lib_enter(&call->before);
	if (!conn->adopted)
		dbl_mysql_guard_arm(&conn->guard, base->deadline);
	return 0;
}

void dbl_mysql_call_end(struct dbl_mysql_call *call)
{
	unsigned status = call->conn->lib->server_status;

	call->late = !call->conn->adopted && dbl_mysql_guard_disarm(&call->conn->guard);
	/* Without autocommit the next statement begins a transaction. */
	call->conn->base.in_tx =
		(status & SERVER_STATUS_IN_TRANS) || !(status & SERVER_STATUS_AUTOCOMMIT);
	if (call->late)
		call->conn->base.broken = true; /* even if the answer came just before */
	dbl_mysql_lib_leave(&call->before);
}

int dbl_mysql_call_failed(const struct dbl_mysql_call *call, unsigned native, const char *sqlstate,
			  const char *text, struct dblock_error *err)
{
	struct dbl_mysql_verdict verdict = dbl_mysql_judge(native, call->writes);

	if (call->conn->several && dbl_mysql_is_read_only(native))
		verdict = (struct dbl_mysql_verdict){.code = DBLOCK_E_UNAVAILABLE, .broken = true};
	if (verdict.broken)
		call->conn->base.broken = true;
	if (!verdict.lost)
		return dbl_fail_native(err, verdict.code, (int)native, sqlstate, "%s (error %u)",
				       text, native);
	if (call->late && !call->writes)
		return dbl_fail_native(err, DBLOCK_E_NO_ANSWER, (int)native, sqlstate,
				       "the database did not answer in time");
	return dbl_fail_native(err, verdict.code, (int)native, sqlstate, "%s (error %u)%s",
			       call->late ? "the database did not answer in time" : text, native,
			       call->writes ? "; it may have been carried out, or not" : "");
}

void dbl_mysql_say_goodbye(struct dbl_mysql_conn *conn, int64_t deadline)
{
	int64_t soon = dbl_add(dbl_now(conn->base.env), GOODBYE_US);

	if (conn->base.broken)
		dbl_mysql_guard_cut(&conn->guard);
	else
		dbl_mysql_guard_arm(&conn->guard, deadline > soon ? deadline : soon);
}

void dbl_mysql_aside_begin(struct dbl_mysql_call *call, struct dbl_mysql_conn *conn)
{
	*call = (struct dbl_mysql_call){.conn = conn};
	dbl_mysql_lib_enter(&call->before);
	if (!conn->adopted)
		dbl_mysql_say_goodbye(conn, conn->base.deadline);
}

/* Wait for the beginning of the answer, or the end of the connection: the guard shuts it down at the
 * deadline. Nothing of the answer can have been read before, so poll() sees it, also over TLS. (MariaDB's
 * reports of progress would be taken for it, unless progress_report_time is 0; the library's non-blocking
 * calls know better, but block over TLS.) */
static void wait_for_answer(struct dbl_mysql_conn *conn)
{
	enum { TICK_MS = 1000 };
	struct pollfd fd = {.fd = dbl_mysql_lib_socket(conn->lib), .events = POLLIN};
	int rc;

	do {
		rc = poll(&fd, 1, TICK_MS);
		if (rc == 0)
			conn->base.tick(conn->base.tick_ctx);
	} while (rc == 0 || (rc < 0 && errno == EINTR));
}

bool dbl_mysql_query(struct dbl_mysql_conn *conn, const char *sql)
{
	if (!conn->base.tick)
		return mysql_real_query(conn->lib, sql, strlen(sql)) == 0;
	if (mysql_send_query(conn->lib, sql, strlen(sql)))
		return false;
	wait_for_answer(conn);
	return !mysql_read_query_result(conn->lib);
}

/* Take all results: a CALL answers with several. (Of these only the first is waited for with ticks: the
 * library may have read the next one ahead, where poll() would not see it.) */
bool dbl_mysql_throw_away(MYSQL *lib, int64_t *changed)
{
	int more;

	*changed = 0;
	do {
		MYSQL_RES *result = mysql_store_result(lib);

		if (result)
			mysql_free_result(result);
		else if (mysql_errno(lib))
			return false;
		else
			*changed += (int64_t)mysql_affected_rows(lib);
		more = mysql_next_result(lib);
	} while (more == 0);
	return more < 0;
}
