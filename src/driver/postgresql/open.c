/* SPDX-License-Identifier: MIT */
/* Connecting to PostgreSQL. */
#include <poll.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "driver/postgresql/own.h"

/* Does libpq read the password that we would hide? It ends the password at the first '@', RFC 3986
 * at the last one, and its messages show what it takes for host or port. */
static bool same_password(const struct dbl_url *url, const PQconninfoOption *options)
{
	const char *ours = dbl_url_param(url, "password");

	ours = ours ? ours : url->password;
	for (; options->keyword; options++) {
		if (strcmp(options->keyword, "password") == 0 && options->val)
			return ours && strcmp(options->val, ours) == 0;
	}
	return !ours || !*ours;
}

/* libpq's message may have the URL, or a part of it. */
static int refuse_unread(const struct dbl_url *url, const char *why, struct dblock_error *err)
{
	if (!why || strstr(why, "out of memory"))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (url->password || dbl_url_param(url, "password"))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: libpq cannot read it (what it says may have the password in "
				"it); look at the parameters, and for what is not percent-encoded");
	return dbl_fail(err, DBLOCK_E_INVALID, "URL: %s", why);
}

static int check_options(const struct dbl_url *url, struct dblock_error *err)
{
	char *why = NULL;
	PQconninfoOption *options = PQconninfoParse(url->whole, &why);
	int rc = 0;

	if (!options)
		rc = refuse_unread(url, why, err);
	else if (!same_password(url, options))
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "URL: the password must be percent-encoded: %%40 for @, %%2F for /");
	PQconninfoFree(options);
	PQfreemem(why);
	return rc;
}

static int check_url(const struct dbl_url *url, struct dblock_error *err)
{
	size_t len = strlen(url->scheme);
	const char *port;

	if (strncmp(url->whole, url->scheme, len) || strncmp(url->whole + len, "://", 3))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: write postgresql://user@host/database, in small letters");
	port = dbl_url_param(url, "port");
	if (port && port[strspn(port, "0123456789,")])
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: port=%.40s is not a number; use 1 to 65535", port);
	return check_options(url, err);
}

/* The last of equal keywords counts: so defaults are before the URL. */
static PGconn *start(const struct dbl_url *url)
{
	const char *const keys[] = {"fallback_application_name", "keepalives_idle",
				    "keepalives_interval",       "keepalives_count",
				    "tcp_user_timeout",          "dbname",
				    "client_encoding",           NULL};
	const char *const values[] = {"dblock", "30", "10", "3", "30000", url->whole, "UTF8", NULL};

	return PQconnectStartParams(keys, values, 1);
}

/* A notice is never printed. A commit whose wait for the synchronous standby was cut short succeeds
 * with a warning that only the place in the server's source tells from others; its text is
 * translated. */
static void on_notice(void *ctx, const PGresult *notice)
{
	struct dbl_pg *conn = ctx;
	const char *state = PQresultErrorField(notice, PG_DIAG_SQLSTATE);
	const char *place = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);

	if (state && place && strcmp(state, "01000") == 0 &&
	    strcmp(place, "SyncRepWaitForLSN") == 0)
		conn->unreplicated = true;
}

int dbl_pg_check_version(const PGconn *pg, struct dblock_error *err)
{
	const char *version = PQparameterStatus(pg, "server_version");

	return dbl_version_check("PostgreSQL", version ? version : "", DBL_LEAST_POSTGRESQL,
				 "update the server", err);
}

static int finish_connecting(struct dbl_pg *conn, struct dblock_error *err)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
		if (!dbl_pg_wait(conn, status == PGRES_POLLING_READING ? POLLIN : POLLOUT))
			return dbl_fail(err, DBLOCK_E_TIMEOUT, "%s: no connection in time",
					conn->url.shown);
		status = PQconnectPoll(conn->pg);
	}
	if (status == PGRES_POLLING_FAILED)
		return dbl_pg_no_connection(conn, err);
	PQsetnonblocking(conn->pg, 1);
	if (dbl_pg_check_version(conn->pg, err) == 0)
		return 0;
	dbl_err_prefix(err, "%s", conn->url.shown);
	return DBLOCK_E_INVALID;
}

static int connect_to(struct dbl_pg *conn, const struct dbl_url *url, struct dblock_error *err)
{
	int rc = dbl_url_parse(&conn->url, url->whole, err);

	if (rc)
		return rc;
	conn->id = dbl_random_id(conn->base.env);
	conn->pg = start(url);
	if (!conn->pg)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	PQsetErrorVerbosity(conn->pg, PQERRORS_VERBOSE);
	PQsetNoticeReceiver(conn->pg, on_notice, conn);
	if (PQstatus(conn->pg) == CONNECTION_BAD)
		return dbl_pg_no_connection(conn, err);
	return finish_connecting(conn, err);
}

int dbl_pg_open(struct dbl_conn **out, const struct dbl_url *url, const struct dbl_env *env,
		int64_t deadline, struct dblock_error *err)
{
	struct dbl_pg *conn;
	int rc = check_url(url, err);

	*out = NULL;
	if (rc)
		return rc;
	conn = dbl_alloc(sizeof(*conn));
	if (!conn)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	conn->base = (struct dbl_conn){.driver = &dbl_postgresql, .env = env, .deadline = deadline};
	rc = connect_to(conn, url, err);
	if (rc) {
		dbl_postgresql.close(&conn->base);
		return rc;
	}
	conn->base.backend = PQbackendPID(conn->pg);
	*out = &conn->base;
	return 0;
}
