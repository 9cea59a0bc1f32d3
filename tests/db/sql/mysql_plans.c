/* SPDX-License-Identifier: MIT */
/* Each text of sql/mysql as the server plans it, in tables of some hundred rows: no table of ours is read
 * as a whole, unless that is meant; and the server has no warning about a text, as that it is deprecated. */
#include "base/mem.h"
#include "base/sqlscan.h"
#include "base/str.h"
#include "driver/value.h"
#include "sql/dialect.h"
#include "support/raw.h"

/* This key is in one row of each table, for each text that may be an argument; KEY is it for numbers. */
enum { ROWS = 300, KEY = 7, COLUMNS_MAX = 40 };
static const char key[] = "00000000000000000000000000000007";

/* The tables that a statement may read as a whole, by their names in it, and why. */
static const struct {
	enum dbl_op op;
	const char *tables, *why;
} whole[] = {
	{DBL_OP_list, " l w r ", "a page of all names"},
	{DBL_OP_graph, " w l q ", "all that wait"},
	{DBL_OP_own_rows, " w ", "what a client has, once it has lost a connection"},
	{DBL_OP_history_tip, " k v s ", "histories are few; after a lost connection"},
	{DBL_OP_heartbeat, " v ", "grants that are being taken away: few, and not for long"},
	{DBL_OP_revocations, " v ", "the same, by who was told that there are some"},
	{DBL_OP_look, " a p ", "sessions, where a grant is being taken away; the next ones too"},
	{DBL_OP_line, " a p ", ""},
	{DBL_OP_revoked, " a p ", ""},
	{DBL_OP_revoke_grants, " p ", ""},
	{DBL_OP_reap_suspects, " k s m ", "the reaper, as all that follow"},
	{DBL_OP_reap_local, " s ", ""},
	{DBL_OP_reap_waiters, " dblock_queue s ", ""},
	{DBL_OP_reap_rows, " dblock_queue ", ""},
	{DBL_OP_reap_dead, " s l w ", ""},
	{DBL_OP_reap_requests, " r q ", ""},
	{DBL_OP_reap_revoked, " m a p ", ""},
	{DBL_OP_reap_revocations, " m s ", ""},
	{DBL_OP_purge_list, " l w ", ""},
	{DBL_OP_purge_delete, " f w ", ""},
	{DBL_OP_metrics_grants, " l q s ", "who counts all, as the three that follow"},
	{DBL_OP_metrics_waiters, " q s w ", ""},
	{DBL_OP_metrics_names, " q s w ", ""},
	{DBL_OP_metrics_sessions, " s ", ""},
	{DBL_OP_outbox_topics, " dblock_outbox x ", "who counts all that waits"},
	{DBL_OP_doctor_outbox, " o ", ""},
	{DBL_OP_schema_hold, " dblock_lock ", "all locks, before the tables go"},
	{DBL_OP_schema_close, " dblock_lock l ", ""},
};

/* The warnings that the server may give: the number, and a part of the message. */
static const struct {
	int64_t number;
	const char *part, *why;
} said[] = {
	{1276, "", "a column of the query around it: so it is meant"},
	{1758, "", "of these questions themselves"},
	{3135, "NO_ZERO_DATE", "we have no dates"},
	{1287, "PROCESSLIST", "performance_schema.processlist is empty where that is switched off"},
};

struct world {
	const struct dbl_dialect *dialect;
	struct dbl_conn *conn;
	struct raw *raw;
	bool planned[DBL_OP_COUNT]; /* reads tables of ours, as far as the server says */
	bool heard;                 /* warnings are read after each text */
	int problems;
};

#define BY (dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS))
static void problem(struct world *w, enum dbl_op op, const char *sql, const char *what)
{
	print_error("%s: %s\n%s\n", dbl_ops[op].name, what, sql);
	w->problems++;
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define NUMBERED                                                                                   \
	" FROM (WITH RECURSIVE g AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM g WHERE n < %d)"    \
	" SELECT n, LPAD(n, 32, '0') AS k FROM g) AS g"

static void fill(struct raw *raw)
{
	static const char *const rows[] = {
		"dblock_session (id, host, pid, app, ttl, opened, expires, beat) "
		"SELECT k, k, n, 'a', n, n, {now} + 3600000000, n",
		"dblock_lock (name, token, nonce, session, host, pid, thread, reentry, acquired, "
		"queued, queue_version) SELECT k, n, n, k, k, n, n, 1, n, TRUE, n",
		"dblock_queue (name, ticket, nonce, session, thread, bell, since, host, pid, "
		"blocks) SELECT k, n, n, k, n, '', n, k, n, TRUE",
		"dblock_queue (name, ticket, nonce, session, thread, bell, since, host, pid, "
		"token) SELECT k, 1000 + n, 1000 + n, k, n, '', n, k, n, n",
		"dblock_request SELECT k, n, k, n, '', '', 0, '', 0",
		"dblock_revocation SELECT k, k, n, n, 3, '', 0, '', n, 0",
		"dblock_suspect SELECT k, k, n, n, n",
		"dblock_event SELECT n + 9, n, 1, k, n, k, n, '', k, k, n, '', ''",
		"dblock_once SELECT k, k, n, k, n, {now} + 3600000000 + n",
		"dblock_flight SELECT k, n, {now}, n, {now} + 3600000000 + n, 0, ''",
		"dblock_latch SELECT k, n, n, n, n, ' ', '', {now} + 3600000000 + n",
		"dblock_migration (scope, version, name, kind, state, seq, checksum, "
		"token_checksum, steps, step_begun, step_done, started, applied_by, tool) "
		"SELECT k, n, k, 'sql', 'applied', n, '', '', n, n, n, n, k, ''",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char fmt[1024];

		snprintf(fmt, sizeof(fmt), "INSERT INTO %s" NUMBERED, rows[i], ROWS);
		raw_exec(raw, "%s", fmt);
	}
}

/* ---- statements ------------------------------------------------------------------------------ */

static void fill_in(enum dbl_op op, int64_t number, struct dbl_value args[DBL_ARGS_MAX])
{
	const char *types = dbl_ops[op].args;

	for (unsigned i = 0; i < DBL_ARGS_MAX; i++)
		args[i] = i < strlen(types) && (types[i] == 't' || types[i] == 'T')
				  ? dbl_text(key)
				  : dbl_int(number);
	if (op == DBL_OP_batch)
		args[4] = dbl_text("[[1,\"00000000000000000000000000000007\",7,7,7,7,7,\"\",0,0],"
				   "[0,\"00000000000000000000000000000008\",8,8,8,8,8,\"\",0,0]]");
}

static struct dbl_stmt *prepare(struct world *w, enum dbl_op op, const char *sql)
{
	struct dblock_error err = {0};
	struct dbl_stmt *stmt = NULL;

	w->conn->deadline = BY;
	if (w->dialect->driver->prepare(w->conn, sql, &stmt, &err))
		problem(w, op, sql, err.message);
	return stmt;
}

/* Prepares and runs the text; each row goes to `each`. */
static void run(struct world *w, enum dbl_op op, const char *sql, int64_t number,
		void (*each)(struct world *, enum dbl_op, const char *, const struct dbl_value *,
			     unsigned))
{
	const struct dbl_driver *driver = w->dialect->driver;
	struct dbl_value args[DBL_ARGS_MAX], row[COLUMNS_MAX];
	struct dbl_stmt *stmt = prepare(w, op, sql);
	struct dblock_error err = {0};
	int64_t changed;

	fill_in(op, number, args);
	if (stmt && driver->run(stmt, args, DBL_ARGS_MAX, &changed, &err))
		problem(w, op, sql, err.message);
	else if (stmt && stmt->columns)
		while (driver->next(stmt, row, stmt->columns, &err) == 1 && each)
			each(w, op, sql, row, stmt->columns);
}

/* ---- what the server says -------------------------------------------------------------------- */

/* Checks the warnings: row[0] is their number, and the first three follow: number, text. */
static void hear(struct world *w, enum dbl_op op, const char *sql, const struct dbl_value *row,
		 unsigned n)
{
	for (unsigned i = 1; i < n && (int64_t)(i + 1) / 2 <= row[0].i; i += 2) {
		bool known = false;
		char text[512];

		snprintf(text, sizeof(text), "%.*s", (int)row[i + 1].len, row[i + 1].text);
		for (size_t k = 0; k < sizeof(said) / sizeof(said[0]); k++)
			known |= said[k].number == row[i].i && strstr(text, said[k].part);
		if (!known)
			problem(w, op, sql, text);
	}
}

/* Reads the server's warnings about the statement that was run last. */
static void listen_to_server(struct world *w, enum dbl_op op)
{
	static const char *const asked[] = {
		"GET DIAGNOSTICS @n = NUMBER",
		"GET DIAGNOSTICS CONDITION 1 @n1 = MYSQL_ERRNO, @t1 = MESSAGE_TEXT",
		"GET DIAGNOSTICS CONDITION 2 @n2 = MYSQL_ERRNO, @t2 = MESSAGE_TEXT",
		"GET DIAGNOSTICS CONDITION 3 @n3 = MYSQL_ERRNO, @t3 = MESSAGE_TEXT"};

	for (int i = 0; i < 4; i++) {
		w->conn->deadline = BY;
		(void)w->dialect->driver->exec(w->conn, asked[i], NULL);
	}
	run(w, op,
	    "SELECT CAST(@n AS SIGNED), CAST(@n1 AS SIGNED), @t1, CAST(@n2 AS SIGNED), @t2,"
	    " CAST(@n3 AS SIGNED), @t3",
	    0, hear);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static bool has_text(const struct dbl_value *value, const char *part)
{
	return value->type == DBL_TEXT && memmem(value->text, value->len, part, strlen(part));
}

static bool may_be_whole(enum dbl_op op, const struct dbl_value *table)
{
	char name[80];

	snprintf(name, sizeof(name), " %.*s ", (int)table->len, table->text);
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		if (whole[i].op == op && strstr(whole[i].tables, name))
			return true;
	}
	return false;
}

/* Judges a row of a plan. MySQL's has the partitions behind the table, and the filtered rows before
 * the last column. */
static void judge(struct world *w, enum dbl_op op, const char *sql, const struct dbl_value *row,
		  unsigned n)
{
	const struct dbl_value *table = &row[2], *type = &row[n == 12 ? 4 : 3],
			       *rows = &row[n == 12 ? 9 : 8], *extra = &row[n - 1];
	char what[128];

	if (table->type == DBL_NULL || table->text[0] == '<' || rows->type == DBL_NULL ||
	    has_text(extra, "Table function") || has_text(extra, "Recursive"))
		return;
	w->planned[op] = true;
	if (((type->len == 3 && has_text(type, "ALL")) ||
	     (type->len == 5 && has_text(type, "index"))) &&
	    !may_be_whole(op, table)) {
		snprintf(what, sizeof(what), "reads all of %.*s", (int)table->len, table->text);
		problem(w, op, sql, what);
	}
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Skips what MariaDB sets for a statement: that cannot be explained. */
static const char *first_word(const char *sql)
{
	for (;;) {
		size_t len = strspn(sql, " \t\n");

		if (strncmp(sql + len, "/*M! SET STATEMENT", 18) == 0)
			len = (size_t)(strstr(sql, "*/") + 2 - sql);
		len = len ? len : dbl_sql_skip(sql);
		if (len == 0)
			return sql;
		sql += len;
	}
}

static bool begins(const char *sql, const char *words)
{
	char word[12];

	snprintf(word, sizeof(word), " %.*s ", (int)strcspn(sql, " \n"), sql);
	return strstr(words, word) != NULL;
}

static void try_text(struct world *w, enum dbl_op op, const char *sql)
{
	char text[16384];

	sql = first_word(sql);
	if (!w->heard && begins(sql, " SET ") && !strstr(sql, " :")) {
		run(w, op, sql, 7000, NULL);
		listen_to_server(w, op);
	}
	if (!begins(sql, " SELECT WITH INSERT UPDATE DELETE ") || strstr(sql, ":key"))
		return;
	snprintf(text, sizeof(text), "EXPLAIN FORMAT=TRADITIONAL %s", sql);
	if (strstr(sql, "dblock_"))
		run(w, op, text, KEY, judge);
	if (w->heard)
		return;
	(void)prepare(w, op, sql);
	listen_to_server(w, op);
	if (dbl_ops[op].kind == DBL_KIND_READ) {
		run(w, op, sql, KEY, NULL);
		listen_to_server(w, op);
	}
}

/* Tries each part of the text. Parts begin with lines such as `-- answer`: two words. */
static void try_parts(struct world *w, enum dbl_op op)
{
	char *text = dbl_strdup(w->dialect->sql[op]), *from = text, *at = text;

	while ((at = strstr(at, "\n-- "))) {
		size_t len = strspn(at + 4, "abcdefghijklmnopqrstuvwxyz");

		if (len && at[4 + len] == '\n') {
			*at = '\0';
			try_text(w, op, from);
			from = at + 5 + len;
		}
		at += 4 + len;
	}
	try_text(w, op, from);
	dbl_free(text);
}

static void try_all(struct world *w)
{
	for (enum dbl_op op = 0; op < DBL_OP_COUNT; op++) {
		bool is_theirs = op >= DBL_OP_history_golang && op <= DBL_OP_history_node;

		/* One of these sleeps; the other is a part of a statement. */
		if (op != DBL_OP_doorbell && op != DBL_OP_optimistic_time && !is_theirs)
			try_parts(w, op);
	}
}

static void each_text_is_planned_by_key(void **state)
{
	struct world w = {.raw = raw_open(NULL)};
	struct dblock_error err = {0};
	struct dbl_url url;

	(void)state;
	dblock_close(client_new(0), NULL);
	fill(w.raw);
	expect(OK, dbl_dialect_find("mysql", &w.dialect, &err));
	expect(OK, dbl_url_parse(&url, test_url(), &err));
	expect(OK, w.dialect->driver->open(&w.conn, &url, dbl_env_system(), BY, &err));
	dbl_url_free(&url);
	w.conn->deadline = BY;
	expect(OK, w.dialect->driver->exec(w.conn,
					   "ANALYZE TABLE dblock_session, dblock_lock, "
					   "dblock_queue, dblock_request, dblock_revocation, "
					   "dblock_suspect, dblock_once, dblock_flight",
					   &err));
	try_all(&w);
	w.heard = true;
	raw_exec(w.raw, "UPDATE dblock_lock SET session = NULL, queued = FALSE");
	try_all(&w);
	assert_true(w.planned[DBL_OP_acquire] && w.planned[DBL_OP_hand_over] &&
		    w.planned[DBL_OP_grant] && w.planned[DBL_OP_batch]);
	w.dialect->driver->close(w.conn);
	raw_close(w.raw);
	assert_int_equal(w.problems, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_text_is_planned_by_key)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
