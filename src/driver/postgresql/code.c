/* SPDX-License-Identifier: MIT */
/* PostgreSQL's SQLSTATEs, as outcomes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/postgresql/own.h"

/* Not an outcome: the connection is over; E_UNSURE if a write was under way, else E_UNAVAILABLE. */
enum { LOST = 1 };

struct code {
	const char *sqlstate; /* or the two letters of a class, after its members */
	int outcome;
};

/* A code that is not here is E_BUG. */
static const struct code codes[] = {
	{"", LOST},                      /* not from the server: from libpq */
	{"08P01", DBLOCK_E_BUG},         /* protocol violation: too few arguments */
	{"08", LOST},                    /* connection exception */
	{"25006", DBLOCK_E_READONLY},    /* read-only transaction */
	{"25P03", LOST},                 /* idle in transaction for too long */
	{"25P04", LOST},                 /* transaction timeout */
	{"26000", DBLOCK_E_UNAVAILABLE}, /* a pooler gave us a server without our statement */
	{"28", DBLOCK_E_DENIED},         /* password, role, pg_hba.conf */
	{"3D000", DBLOCK_E_INVALID},     /* no such database */
	{"3F000", DBLOCK_E_SCHEMA},      /* no such schema */
	{"40003", LOST},                 /* statement completion unknown */
	{"40", DBLOCK_E_CONFLICT},       /* serialization failure, deadlock */
	{"42501", DBLOCK_E_DENIED},      /* insufficient privilege */
	{"42703", DBLOCK_E_SCHEMA},      /* no such column */
	{"42804", DBLOCK_E_SCHEMA},      /* of another type */
	{"42883", DBLOCK_E_SCHEMA},      /* no such operator: of another type */
	{"42P01", DBLOCK_E_SCHEMA},      /* no such table */
	{"53100", DBLOCK_E_FULL},        /* disk full */
	{"53200", DBLOCK_E_NOMEM},       /* out of memory */
	{"53300", DBLOCK_E_UNAVAILABLE}, /* too many connections */
	{"55006", DBLOCK_E_BLOCKED},     /* object in use */
	{"55P03", DBLOCK_E_BLOCKED},     /* lock_timeout, NOWAIT */
	{"57014", DBLOCK_E_NO_ANSWER},   /* canceled: statement_timeout, pg_cancel_backend() */
	{"57P03", DBLOCK_E_UNAVAILABLE}, /* starting up, shutting down */
	{"57P", LOST},                   /* terminated: by an administrator, a crash, ... */
	{"58", DBLOCK_E_UNAVAILABLE},    /* the server's own disk or system */
	{"72000", DBLOCK_E_CONFLICT},    /* snapshot too old */
	{"XX001", DBLOCK_E_NOTDB},       /* data corrupted */
	{"XX002", DBLOCK_E_NOTDB},       /* index corrupted */
};

static int look_up(const char *sqlstate)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const char *prefix = codes[i].sqlstate;
		size_t len = strlen(prefix);

		if (len ? strncmp(prefix, sqlstate, len) == 0 : !*sqlstate)
			return codes[i].outcome;
	}
	return DBLOCK_E_BUG;
}

int dbl_pg_outcome(const char *sqlstate, bool writes, bool *over)
{
	int outcome = look_up(sqlstate);

	*over = outcome == LOST || outcome == DBLOCK_E_UNAVAILABLE;
	if (outcome == LOST)
		return writes ? DBLOCK_E_UNSURE : DBLOCK_E_UNAVAILABLE;
	return outcome;
}

/* A pooler ends a connection with the code of a protocol violation, whatever the reason is. */
static bool is_hung_up(const PGresult *error, const char *state)
{
	const char *severity = PQresultErrorField(error, PG_DIAG_SEVERITY);

	return severity && strcmp(severity, "FATAL") == 0 && strcmp(state, "08P01") == 0;
}

int dbl_pg_refused(struct dbl_pg *conn, const PGresult *error, bool writes,
		   struct dblock_error *err)
{
	const char *state = PQresultErrorField(error, PG_DIAG_SQLSTATE);
	const char *text = PQresultErrorField(error, PG_DIAG_MESSAGE_PRIMARY);
	const char *known = !state || is_hung_up(error, state) ? "" : state;
	bool over;
	int outcome = dbl_pg_outcome(known, writes, &over);

	if (over || PQstatus(conn->pg) == CONNECTION_BAD)
		conn->base.broken = true;
	dbl_fail_native(err, outcome, 0, state, "%s: %s", conn->url.shown,
			text ? text : PQresultErrorMessage(error));
	dbl_url_hide(&conn->url, err);
	return outcome;
}

int dbl_pg_no_reply(struct dbl_pg *conn, enum dbl_pg_wire why, bool writes,
		    struct dblock_error *err)
{
	const char *text = PQerrorMessage(conn->pg);
	int outcome = writes               ? DBLOCK_E_UNSURE
		      : why == DBL_PG_LATE ? DBLOCK_E_NO_ANSWER
					   : DBLOCK_E_UNAVAILABLE;

	if (why == DBL_PG_LATE)
		text = "no answer in time";
	else if (!*text)
		text = "the connection was lost";
	dbl_fail(err, outcome, "%s: %s", conn->url.shown, text);
	dbl_url_hide(&conn->url, err);
	return outcome;
}

static bool is_state_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

/* Is this the state in "FATAL: 28P01: password ...", five letters and digits and a colon? */
static bool is_state(const char *at)
{
	for (int i = 0; i < 5; i++) {
		if (!is_state_char(at[i]))
			return false;
	}
	return at[5] == ':' && at[6] == ' ';
}

static const char *find_state(const char *line, size_t len)
{
	for (size_t i = 3; i + 7 <= len; i++) {
		if (memcmp(line + i - 3, ":  ", 3) == 0 && is_state(line + i))
			return line + i;
	}
	return NULL;
}

/* "LOCATION:  auth_failed, auth.c:338" is for PostgreSQL's developers. */
static bool is_location(const char *line, size_t len)
{
	size_t end = len;

	while (end > 0 && line[end - 1] >= '0' && line[end - 1] <= '9')
		end--;
	return end < len && end >= 3 && memcmp(line + end - 3, ".c:", 3) == 0;
}

static void read_line(const char *line, size_t len, char state[6], struct dbl_str *text)
{
	const char *at = find_state(line, len);

	if (is_location(line, len))
		return;
	if (text->len > 0)
		dbl_str_add(text, "; ");
	if (!at) {
		dbl_str_addn(text, line, len);
		return;
	}
	memcpy(state, at, 5);
	state[5] = '\0';
	dbl_str_addn(text, line, (size_t)(at - line));
	dbl_str_addn(text, at + 7, len - (size_t)(at + 7 - line));
}

void dbl_pg_read_message(const char *message, char state[6], struct dbl_str *text)
{
	state[0] = '\0';
	while (*message) {
		size_t len;

		message += strspn(message, "\n\t ");
		len = strcspn(message, "\n");
		if (len > 0)
			read_line(message, len, state, text);
		message += len;
	}
}

/* The advice after the server's message, which says what is wrong, but not what to do. */
static const char *next_step(const char *state, int outcome, const char *text)
{
	if (strncmp(text, "could not translate host name", 29) == 0)
		return "; check the URL's host";
	if (strcmp(state, "3D000") == 0)
		return "; create the database, or correct the URL";
	if (strcmp(state, "08P01") == 0 && outcome == DBLOCK_E_INVALID)
		return "; a pooler in between does not take it: leave it out of the URL";
	if (outcome == DBLOCK_E_DENIED)
		return "; check user, password, and the server's pg_hba.conf";
	return "";
}

/* A pooler says all that it does not like with the code of a protocol violation. */
static int no_way_in(const char *text)
{
	return strstr(text, "unsupported startup parameter") ? DBLOCK_E_INVALID
							     : DBLOCK_E_UNAVAILABLE;
}

/* So many connect at this moment that a local socket takes no more: libpq says so by words alone. */
static int native_of(const char *text)
{
	char crowded[64];

	return text && strstr(text, strerror_r(EAGAIN, crowded, sizeof(crowded))) ? EAGAIN : 0;
}

int dbl_pg_no_connection(struct dbl_pg *conn, struct dblock_error *err)
{
	struct dbl_str text = {0};
	char state[6];
	bool over;
	int outcome;

	dbl_pg_read_message(PQerrorMessage(conn->pg), state, &text);
	outcome = dbl_pg_outcome(state, false, &over);
	if (PQconnectionNeedsPassword(conn->pg))
		outcome = DBLOCK_E_DENIED;
	if (strcmp(state, "08P01") == 0 && text.text)
		outcome = no_way_in(text.text);
	/* The server does not know a setting of the URL's `options`, or its value; or libpq does
	 * not know the value of a parameter, which it quotes ("invalid socket" is a lost one). */
	if (strcmp(state, "42704") == 0 || strncmp(state, "22", 2) == 0 ||
	    (!state[0] && text.text && strncmp(text.text, "invalid ", 8) == 0 &&
	     strchr(text.text, '"')))
		outcome = DBLOCK_E_INVALID;
	dbl_fail_native(err, outcome, native_of(text.text), state, "%s%s",
			text.text ? text.text : "no connection",
			next_step(state, outcome, text.text ? text.text : ""));
	dbl_str_free(&text);
	dbl_url_hide(&conn->url, err);
	return outcome;
}

static unsigned error_at(const PGresult *error)
{
	const char *at = PQresultErrorField(error, PG_DIAG_STATEMENT_POSITION);

	return at ? (unsigned)strtoul(at, NULL, 10) : 0;
}

void dbl_pg_tell_more(struct dbl_conn *conn, const PGresult *error)
{
	static const struct {
		const char *name;
		int field;
	} more[] = {{"DETAIL", PG_DIAG_MESSAGE_DETAIL},
		    {"HINT", PG_DIAG_MESSAGE_HINT},
		    {"CONTEXT", PG_DIAG_CONTEXT}};
	char text[600];

	conn->error_at = error_at(error);
	for (size_t i = 0; conn->told && i < sizeof(more) / sizeof(more[0]); i++) {
		const char *field = PQresultErrorField(error, more[i].field);

		if (!field)
			continue;
		snprintf(text, sizeof(text), "%s: %s", more[i].name, field);
		conn->told(conn->told_ctx, true, text);
	}
}
