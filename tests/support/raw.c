/* SPDX-License-Identifier: MIT */
#include "support/raw.h"

#include "base/mem.h"
#include "base/str.h"
#include "sql/dialect.h"

#define SERVER_NOW_PG "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
#define SERVER_NOW_MY "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)"

struct raw {
	const struct dbl_driver *driver;
	const struct dbl_env *env;
	struct dbl_conn *conn;
	struct dblock_error err;
	char text[2048];
};

/* A server that has just come back may hang up on who is slow to say who he is. */
static int connect_surely(struct raw *raw, const struct dbl_url *url, struct dblock_error *err)
{
	int64_t until = dbl_now(raw->env) + dbl_ms(PLENTY_MS);
	int rc;

	do
		rc = raw->driver->open(&raw->conn, url, raw->env, until, err);
	while (rc == DBLOCK_E_UNAVAILABLE && dbl_now(raw->env) < until);
	return rc;
}

struct raw *raw_open_url(const char *text, const struct dbl_env *env)
{
	struct raw *raw = calloc(1, sizeof(*raw));
	const struct dbl_dialect *dialect;
	struct dblock_error err;
	struct dbl_url url;

	raw->env = env ? env : dbl_env_system();
	expect(OK, dbl_url_parse(&url, text, &err));
	expect(OK, dbl_dialect_find(url.scheme, &dialect, &err));
	raw->driver = dialect->driver;
	expect(OK, connect_surely(raw, &url, &err));
	dbl_url_free(&url);
	/* The server's default is SERIALIZABLE: because of one transaction that is left open
	 * PostgreSQL would refuse those of other tests. */
	if (on_backend("mysql"))
		raw_exec(raw, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
	if (on_backend("postgresql"))
		raw_exec(raw, "SET default_transaction_isolation = 'read committed'");
	return raw;
}

struct raw *raw_open(const struct dbl_env *env)
{
	return raw_open_url(test_url(), env);
}

void raw_close(struct raw *raw)
{
	raw->driver->close(raw->conn);
	free(raw);
}

static const char *sql_of(const char *word)
{
	if (on_backend("postgresql"))
		return SERVER_NOW_PG;
	if (on_backend("mysql"))
		return SERVER_NOW_MY;
	return strcmp(word, "{now}") == 0 ? "$wall" : "$boot";
}

/* Returns the statement as it is sent; the caller frees it. */
static DBL_PRINTF(1, 0) char *make_sql(const char *fmt, va_list args)
{
	static const char *const words[] = {"{now}", "{boot}"};
	char plain[4096];
	struct dbl_str sql = {0};

	vsnprintf(plain, sizeof(plain), fmt, args);
	for (const char *at = plain; *at;) {
		const char *word = NULL;

		for (int i = 0; i < 2; i++) {
			if (strncmp(at, words[i], strlen(words[i])) == 0)
				word = words[i];
		}
		dbl_str_addn(&sql, word ? sql_of(word) : at, word ? strlen(sql_of(word)) : 1);
		at += word ? strlen(word) : 1;
	}
	return dbl_str_take(&sql);
}

static bool is_verb(const char *sql)
{
	static const char *const verbs[] = {"BEGIN", "COMMIT", "ROLLBACK", "SET ",        "KILL ",
					    "START", "CREATE", "DROP",     "LOCK TABLES", "UNLOCK"};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strncmp(sql, verbs[i], strlen(verbs[i])) == 0)
			return true;
	}
	return false;
}

/* The statement is prepared, so that SQLite's driver binds its clocks. *stmt is NULL for BEGIN,
 * COMMIT and ROLLBACK. */
static DBL_PRINTF(2, 0) int run_sql(struct raw *raw, const char *fmt, va_list args,
				    struct dbl_stmt **stmt)
{
	char *sql = make_sql(fmt, args);
	int64_t changed;
	int rc;

	*stmt = NULL;
	raw->conn->deadline = dbl_now(raw->env) + dbl_ms(PLENTY_MS);
	if (is_verb(sql)) {
		rc = raw->driver->exec(raw->conn, sql, &raw->err);
	} else {
		rc = raw->driver->prepare(raw->conn, sql, stmt, &raw->err);
		if (rc == 0)
			rc = raw->driver->run(*stmt, NULL, 0, &changed, &raw->err);
	}
	if (rc)
		print_message("%s\n%s\n", sql, raw->err.message);
	dbl_free(sql);
	return rc;
}

int raw_try_exec(struct raw *raw, const char *fmt, ...)
{
	struct dbl_stmt *stmt;
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = run_sql(raw, fmt, args, &stmt);
	va_end(args);
	return rc;
}

/* The servers' default is serializable: a heartbeat may conflict with a statement that stands
 * alone, which then has to be sent again. (Within a transaction that does not help.) */
void raw_exec(struct raw *raw, const char *fmt, ...)
{
	int rc, times = 0;

	do {
		struct dbl_stmt *stmt;
		va_list args;

		va_start(args, fmt);
		rc = run_sql(raw, fmt, args, &stmt);
		va_end(args);
	} while (rc == DBLOCK_E_CONFLICT && ++times < 10);
	assert_int_equal(rc, 0);
}

/* Returns the first row of one column, and reads on to the end; the type is NULL if there is no
 * row. */
static struct dbl_value one_value(struct raw *raw, struct dbl_stmt *stmt)
{
	struct dbl_value row[1], kept = {.type = DBL_NULL};
	int rc = raw->driver->next(stmt, row, 1, &raw->err);

	if (rc == 1) {
		kept = row[0];
		if (kept.type == DBL_TEXT) {
			snprintf(raw->text, sizeof(raw->text), "%.*s", (int)kept.len, kept.text);
			kept.text = raw->text;
		}
		while ((rc = raw->driver->next(stmt, row, 1, &raw->err)) == 1)
			;
	}
	assert_int_equal(rc, 0);
	return kept;
}

/* MySQL fails to read information_schema.processlist while anybody's statement has a character beyond the
 * first plane: another test's. */
static bool may_try_again(const struct raw *raw, int rc, int *times)
{
	if (rc == 0 || !strstr(raw->err.message, "(error 3854)") || ++*times > 500)
		return false;
	sleep_ms(10);
	return true;
}

int64_t raw_int(struct raw *raw, const char *fmt, ...)
{
	struct dbl_value value;
	struct dbl_stmt *stmt;
	int rc, times = 0;

	do {
		va_list args;

		va_start(args, fmt);
		rc = run_sql(raw, fmt, args, &stmt);
		va_end(args);
	} while (may_try_again(raw, rc, &times));
	assert_int_equal(rc, 0);
	value = one_value(raw, stmt);
	assert_int_not_equal(value.type, DBL_TEXT);
	return value.type == DBL_INT ? value.i : -1;
}

const char *raw_text(struct raw *raw, const char *fmt, ...)
{
	struct dbl_value value;
	struct dbl_stmt *stmt;
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = run_sql(raw, fmt, args, &stmt);
	va_end(args);
	assert_int_equal(rc, 0);
	value = one_value(raw, stmt);
	return value.type == DBL_TEXT ? value.text : NULL;
}

void raw_lock_row(struct raw *raw, const char *name)
{
	int64_t token;

	raw_exec(raw, on_backend("sqlite") ? "BEGIN IMMEDIATE" : "BEGIN");
	token = raw_int(raw, "SELECT token FROM dblock_lock WHERE name = '%s'%s", name,
			on_backend("sqlite")       ? ""
			: on_backend("postgresql") ? " FOR SHARE"
						   : " LOCK IN SHARE MODE");
	assert_true(token > 0);
}
