/* SPDX-License-Identifier: MIT */
/* Connecting to PostgreSQL. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "driver/hosts.h"
#include "driver/postgresql/hosts.h"
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

/* The last of equal keywords counts: so defaults are before the URL, and one host of its list is
 * behind it. An empty value counts for none. */
static PGconn *start(const struct dbl_url *url, const struct dbl_pg_host *host)
{
	const char *const keys[] = {"fallback_application_name",
				    "keepalives_idle",
				    "keepalives_interval",
				    "keepalives_count",
				    "tcp_user_timeout",
				    "dbname",
				    "client_encoding",
				    "host",
				    "hostaddr",
				    "port",
				    NULL};
	const char *const values[] = {"dblock",      "30",       "10",   "3",
				      "30000",       url->whole, "UTF8", host->name,
				      host->address, host->port, NULL};

	return PQconnectStartParams(keys, values, 1);
}

/* Tell of a notice as psql prints it. */
static void tell(const struct dbl_conn *conn, const PGresult *notice)
{
	const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY);
	const char *what = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
	const char *detail = PQresultErrorField(notice, PG_DIAG_MESSAGE_DETAIL);
	const char *hint = PQresultErrorField(notice, PG_DIAG_MESSAGE_HINT);
	char text[1000];

	snprintf(text, sizeof(text), "%s: %s%s%s%s%s", severity ? severity : "NOTICE",
		 what ? what : "", detail ? "; DETAIL: " : "", detail ? detail : "",
		 hint ? "; HINT: " : "", hint ? hint : "");
	conn->told(conn->told_ctx, false, text);
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
	else if (conn->base.told)
		tell(&conn->base, notice);
}

int dbl_pg_check_version(const PGconn *pg, struct dblock_error *err)
{
	const char *version = PQparameterStatus(pg, "server_version");

	return dbl_version_check("PostgreSQL", version ? version : "", DBL_LEAST_POSTGRESQL,
				 "update the server", err);
}

/* What an attempt to connect needs. */
struct opening {
	struct dbl_pg *conn;
	const struct dbl_url *url;
	struct dbl_pg_hosts hosts;
	struct dbl_pg_host host; /* the one that is tried now, */
	struct addrinfo *found;  /* and its addresses; NULL: libpq finds them */
};

static int wait_for(struct dbl_pg *conn, struct dblock_error *err)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
		if (!dbl_pg_wait(conn, status == PGRES_POLLING_READING ? POLLIN : POLLOUT))
			return dbl_fail(err, DBLOCK_E_NO_ANSWER, "no connection in time");
		status = PQconnectPoll(conn->pg);
	}
	if (status == PGRES_POLLING_FAILED)
		return dbl_pg_no_connection(conn, err);
	PQsetnonblocking(conn->pg, 1);
	return dbl_pg_check_version(conn->pg, err);
}

/* Is a setting on, as the server said while it connected? Before version 14 it does not say. */
static bool is_on(const struct dbl_pg *conn, const char *setting)
{
	const char *value = PQparameterStatus(conn->pg, setting);

	return value && strcmp(value, "on") == 0;
}

/* Ask an older server. */
static int ask_read_only(struct dbl_pg *conn, bool *is, struct dblock_error *err)
{
	struct dbl_pg_reply reply = {.n_wanted = 1};
	enum dbl_pg_wire wire = DBL_PG_LOST;

	if (PQsendQuery(conn->pg, "SHOW transaction_read_only"))
		wire = dbl_pg_talk(conn, &reply);
	*is = PQntuples(reply.rows) == 1 && strcmp(PQgetvalue(reply.rows, 0, 0), "on") == 0;
	dbl_pg_reply_free(&reply);
	return wire == DBL_PG_OK ? 0 : dbl_pg_no_reply(conn, wire, false, err);
}

/* A default of read-only is overridden by who uses the one server that there is. Of several servers
 * it marks those that are not to be written. */
static int check_writable(const struct opening *opening, struct dblock_error *err)
{
	bool several = opening->hosts.n > 1, read_only = false;
	int rc = 0;

	if (opening->hosts.chooses || !(several || opening->url->writes))
		return 0;
	if (is_on(opening->conn, "in_hot_standby"))
		return dbl_fail(err, DBLOCK_E_READONLY,
				"it is a hot standby, which cannot be written; name the primary");
	if (several && !PQparameterStatus(opening->conn->pg, "in_hot_standby"))
		rc = ask_read_only(opening->conn, &read_only, err);
	else if (several)
		read_only = is_on(opening->conn, "default_transaction_read_only");
	if (rc || !read_only)
		return rc;
	return dbl_fail(err, DBLOCK_E_READONLY,
			"it is a standby, or default_transaction_read_only is on; name the "
			"primary, or say target_session_attrs=any");
}

/* One way to the server: one host, at one address. */
static int connect_by(struct opening *opening, int64_t deadline, struct dblock_error *err)
{
	struct dbl_pg *conn = opening->conn;
	int rc;

	conn->base.deadline = deadline;
	PQfinish(conn->pg);
	conn->pg = start(opening->url, &opening->host);
	if (!conn->pg)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	PQsetErrorVerbosity(conn->pg, PQERRORS_VERBOSE);
	PQsetNoticeReceiver(conn->pg, on_notice, conn);
	if (PQstatus(conn->pg) == CONNECTION_BAD)
		return dbl_pg_no_connection(conn, err);
	rc = wait_for(conn, err);
	return rc ? rc : check_writable(opening, err);
}

/* libpq itself finds the only one, and names the host in its messages then. */
static int open_address(void *ctx, unsigned number, int64_t by, struct dblock_error *err)
{
	struct opening *opening = ctx;
	const struct addrinfo *at = opening->found;
	char text[NI_MAXHOST];

	if (!at || !at->ai_next)
		return connect_by(opening, by, err);
	while (number-- > 0)
		at = at->ai_next;
	if (getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof(text), NULL, 0, NI_NUMERICHOST))
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "an address of %s cannot be read",
				opening->host.name);
	opening->host.address = text;
	return connect_by(opening, by, err);
}

static int open_addresses(struct opening *opening, int64_t by, struct dblock_error *err)
{
	struct dbl_hosts addresses = {.n = 1,
				      .env = opening->conn->base.env,
				      .deadline = by,
				      .each = opening->hosts.each,
				      .open = open_address,
				      .ctx = opening};
	int rc = dbl_pg_host_look_up(&opening->host, &opening->found, err);

	if (rc)
		return rc;
	for (const struct addrinfo *at = opening->found; at && at->ai_next; at = at->ai_next)
		addresses.n++;
	rc = dbl_hosts_open(&addresses, err);
	if (opening->found)
		freeaddrinfo(opening->found);
	return rc;
}

/* What libpq says names the host, but of several addresses only those. */
static int open_host(void *ctx, unsigned host, int64_t by, struct dblock_error *err)
{
	struct opening *opening = ctx;
	int rc;

	opening->host = opening->hosts.list[host];
	opening->conn->base.hosts = opening->hosts.n;
	opening->conn->base.host = host;
	rc = open_addresses(opening, by, err);
	if (rc && opening->hosts.n > 1)
		dbl_err_prefix(err, "%s:%s",
			       opening->host.name ? opening->host.name : opening->host.address,
			       opening->host.port);
	else if (rc && PQstatus(opening->conn->pg) != CONNECTION_BAD)
		dbl_err_prefix(err, "%s", opening->conn->url.shown);
	return rc;
}

static int open_any(struct dbl_pg *conn, const struct dbl_url *url, int64_t deadline,
		    struct dblock_error *err)
{
	struct opening opening = {.conn = conn, .url = url};
	struct dbl_hosts hosts = {.only = url->only_host,
				  .good = url->good_host,
				  .env = conn->base.env,
				  .deadline = deadline,
				  .open = open_host,
				  .ctx = &opening};
	int rc = dbl_url_parse(&conn->url, url->whole, err);

	if (rc)
		return rc;
	conn->id = dbl_random_id(conn->base.env);
	dbl_pg_hosts_read(&opening.hosts, url);
	hosts.n = opening.hosts.n;
	/* connect_timeout is the time of each address. */
	hosts.each = opening.hosts.each ? DBL_NEVER : 0;
	rc = dbl_hosts_open(&hosts, err);
	dbl_pg_hosts_free(&opening.hosts);
	return rc;
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
	conn->base = (struct dbl_conn){.driver = &dbl_postgresql, .env = env};
	rc = open_any(conn, url, deadline, err);
	if (rc) {
		dbl_postgresql.close(&conn->base);
		return rc;
	}
	conn->base.deadline = deadline;
	/* What does not tell its number is no server of PostgreSQL's, but in between. */
	conn->base.backend = PQbackendPID(conn->pg) ? PQbackendPID(conn->pg) : INT32_MIN;
	*out = &conn->base;
	return 0;
}
