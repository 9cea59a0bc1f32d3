/* SPDX-License-Identifier: MIT */
/* A client is told by KILL QUERY, which ends the statement that its connection sleeps in. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "driver/mysql/conn.h"

/* The error after KILL QUERY. Some servers send it, others let a sleep end as if it were over. */
enum { INTERRUPTED = 1317 };

/* True: there is an answer, or the connection is gone (the guard shuts it down at the deadline).
 * False: `stop` is readable. */
static bool wait_for_answer(MYSQL *lib, int stop)
{
	struct pollfd fds[] = {{.fd = dbl_mysql_lib_socket(lib), .events = POLLIN},
			       {.fd = stop, .events = POLLIN}};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return !fds[1].revents;
}

/* 1: the sleep has ended; 0: it was stopped, and the answer is still to come; < 0: it failed. */
static int sleep_in(MYSQL *lib, const char *sql, int stop)
{
	int64_t ignored;

	if (mysql_send_query(lib, sql, strlen(sql)))
		return -1;
	if (!wait_for_answer(lib, stop))
		return 0;
	return !mysql_read_query_result(lib) && dbl_mysql_throw_away(lib, &ignored) ? 1 : -1;
}

int dbl_mysql_wait(struct dbl_conn *base, const char *sql, int stop, const char **said,
		   struct dblock_error *err)
{
	MYSQL *lib = ((struct dbl_mysql_conn *)base)->lib;
	struct dbl_mysql_call call;
	int rc, ended;

	*said = "";
	if (!sql)
		return dbl_fail(err, DBLOCK_E_BUG,
				"to wait on a channel needs a statement that sleeps");
	rc = dbl_mysql_call_begin(&call, base, false, err);
	if (rc)
		return rc;
	ended = sleep_in(lib, sql, stop);
	dbl_mysql_call_end(&call);
	if (ended == 0)
		base->broken = true;
	if (ended >= 0)
		return ended;
	if (mysql_errno(lib) == INTERRUPTED)
		return 1;
	return dbl_mysql_call_failed(&call, mysql_errno(lib), mysql_sqlstate(lib), mysql_error(lib),
				     err);
}
