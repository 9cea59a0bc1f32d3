/* SPDX-License-Identifier: MIT */
/* A client is told by NOTIFY, which the server sends to a connection that listens. */
#include <errno.h>
#include <poll.h>

#include "driver/postgresql/own.h"

/* 1: there was a notification; 0: none; < 0: the connection is lost. */
static int take_heard(struct dbl_pg *conn, const char **said, struct dblock_error *err)
{
	bool alive = PQconsumeInput(conn->pg);

	conn->heard = PQnotifies(conn->pg);
	if (conn->heard) {
		*said = conn->heard->extra;
		return 1;
	}
	if (alive && PQstatus(conn->pg) != CONNECTION_BAD)
		return 0;
	conn->base.broken = true;
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "%s: the connection was lost", conn->url.shown);
}

/* False: the deadline has come, or `stop` is readable. */
static bool wait_for_more(struct dbl_pg *conn, int stop)
{
	struct pollfd fds[] = {{.fd = PQsocket(conn->pg), .events = POLLIN},
			       {.fd = stop, .events = POLLIN}};
	int ms, rc;

	do {
		ms = dbl_pg_ms_left(conn);
		rc = poll(fds, 2, ms);
	} while ((rc < 0 && errno == EINTR) || (rc == 0 && ms > 0));
	return rc > 0 && !fds[1].revents;
}

int dbl_pg_wait_ring(struct dbl_conn *base, const char *sql, int stop, const char **said,
		     struct dblock_error *err)
{
	struct dbl_pg *conn = (struct dbl_pg *)base;
	int rc;

	PQfreemem(conn->heard);
	conn->heard = NULL;
	*said = "";
	if (sql)
		return dbl_fail(err, DBLOCK_E_BUG, "to wait on a channel needs no statement here");
	do
		rc = take_heard(conn, said, err);
	while (rc == 0 && wait_for_more(conn, stop));
	return rc;
}
