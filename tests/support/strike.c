/* SPDX-License-Identifier: MIT */
#include "support/strike.h"

#include "base/err.h"
#include "driver/driver.h"

enum { NAMES = 1024, REAL_SLEEP_US = 200 };

/* A statement's operation, by its text: it begins with "-- name:". */
struct named {
	const struct dbl_stmt *stmt;
	enum dbl_op op;
};

/* A request on its way for long, with the connection that it is on its way on. */
struct letter {
	struct dbl_conn *conn; /* NULL: there is none */
	struct dbl_stmt *stmt; /* NULL: text to be executed */
	char *sql;
	struct dbl_value args[DBL_ARGS_MAX];
	unsigned n;
	bool closed; /* by the library */
};

struct strike {
	struct dbl_env env, calm;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	_Atomic int64_t skew; /* us that our clock is ahead */
	pthread_mutex_t mutex; /* guards what follows */
	enum strike_kind kind;
	bool armed, struck, pooled;
	int left, calls;
	enum dbl_op op; /* that was struck; DBL_OP_COUNT: none of them */
	char what[64];
	struct letter letter;
	const struct dbl_stmt *half; /* whose reply breaks off */
	int half_rows; /* that it has given */
	struct named names[NAMES];
	unsigned n_names;
};

/* ---- time ----------------------------------------------------------------------------------- */

int64_t strike_now_us(struct strike *s)
{
	return dbl_now(dbl_env_system()) + s->skew;
}

int64_t strike_jumped_us(struct strike *s)
{
	return s->skew;
}

void strike_jump_ms(struct strike *s, int64_t ms)
{
	s->skew += ms * 1000;
}

static int64_t strike_now(void *ctx)
{
	return strike_now_us(ctx);
}

static int64_t strike_wall(void *ctx)
{
	(void)ctx;
	return dbl_wall(dbl_env_system());
}

static int strike_random(void *ctx, void *bytes, size_t len)
{
	(void)ctx;
	return dbl_env_system()->random(NULL, bytes, len);
}

static void jump_to(struct strike *s, int64_t until)
{
	int64_t left = until - strike_now_us(s);

	if (left > 0)
		s->skew += left;
}

static bool oversleeps(struct strike *s)
{
	bool yes;

	pthread_mutex_lock(&s->mutex);
	yes = s->armed && s->struck && (s->kind == STRIKE_STUBBORN || s->kind == STRIKE_DOWN);
	pthread_mutex_unlock(&s->mutex);
	return yes;
}

/* A little of it in truth, so that other threads get on. */
static void strike_sleep_until(void *ctx, int64_t until)
{
	struct strike *s = ctx;
	const struct dbl_env *real = dbl_env_system();
	int64_t left = until - strike_now_us(s);

	/* Where nothing helps, a few tries are as good as hundreds. */
	if (oversleeps(s))
		until += dbl_ms(STRIKE_OVERSLEEP_MS);
	if (left > 0)
		dbl_sleep_until(real, dbl_now(real) + (left < REAL_SLEEP_US ? left : REAL_SLEEP_US));
	jump_to(s, until);
}

/* ---- statements ----------------------------------------------------------------------------- */

static struct strike *strike_of(const struct dbl_conn *conn)
{
	return conn->env->ctx;
}

static enum dbl_op op_of(const char *sql)
{
	for (enum dbl_op op = 0; op < DBL_OP_COUNT; op++) {
		size_t len = strlen(dbl_ops[op].name);

		if (strncmp(sql, "-- ", 3) == 0 && strncmp(sql + 3, dbl_ops[op].name, len) == 0 &&
		    sql[3 + len] == ':')
			return op;
	}
	return DBL_OP_COUNT;
}

static void note_name(struct strike *s, const struct dbl_stmt *stmt, const char *sql)
{
	pthread_mutex_lock(&s->mutex);
	s->names[s->n_names++ % NAMES] = (struct named){stmt, op_of(sql)};
	pthread_mutex_unlock(&s->mutex);
}

/* Under the mutex. The newest: an address may have been given out again. */
static enum dbl_op name_of(const struct strike *s, const struct dbl_stmt *stmt)
{
	for (unsigned i = s->n_names; i-- > 0 && s->n_names - i <= NAMES;) {
		if (s->names[i % NAMES].stmt == stmt)
			return s->names[i % NAMES].op;
	}
	return DBL_OP_COUNT;
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* Under the mutex. */
static bool is_hit(struct strike *s, enum dbl_op op, const char *call)
{
	if (!s->armed)
		return false;
	s->calls++;
	if (s->struck && s->kind == STRIKE_STUBBORN)
		return s->op == op && op != DBL_OP_COUNT && strcmp(call, "run") == 0;
	if (s->struck)
		return s->kind == STRIKE_DARK || s->kind == STRIKE_DOWN;
	if (--s->left > 0)
		return false;
	s->struck = true;
	s->op = op;
	snprintf(s->what, sizeof(s->what), "%s %s", call,
		 op == DBL_OP_COUNT ? "" : dbl_ops[op].name);
	return true;
}

/* Is this call to go wrong, and how? STRIKE_KINDS: it is not. */
static enum strike_kind decide(struct strike *s, enum dbl_op op, const struct dbl_stmt *stmt,
			       const char *call)
{
	enum strike_kind kind;

	pthread_mutex_lock(&s->mutex);
	if (stmt)
		op = name_of(s, stmt);
	kind = is_hit(s, op, call) ? s->kind : STRIKE_KINDS;
	/* What has no rows has no half of them. */
	if (kind == STRIKE_HALF && (op == DBL_OP_COUNT || !*dbl_ops[op].columns))
		kind = STRIKE_REPLY_LOST;
	pthread_mutex_unlock(&s->mutex);
	return kind;
}

static bool hangs(enum strike_kind kind)
{
	return kind == STRIKE_DARK || kind == STRIKE_LATE || kind == STRIKE_LATE_POOLED;
}

static bool is_carried_out(enum strike_kind kind)
{
	return kind == STRIKE_REPLY_LOST || kind == STRIKE_STUBBORN || kind == STRIKE_HALF;
}

static int no_time(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_TIMEOUT, "struck: no answer until the deadline");
}

static int unavailable(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "struck: the connection is lost");
}

/* What a driver says whose connection went, or fell silent, with a statement under way. */
static int lose(struct dbl_conn *conn, enum strike_kind kind, bool reads, struct dblock_error *err)
{
	if (!is_carried_out(kind) && dbl_now(conn->env) >= conn->deadline)
		return no_time(err);
	if (hangs(kind))
		jump_to(strike_of(conn), conn->deadline);
	conn->broken = true;
	if (!reads && kind != STRIKE_UNSENT && kind != STRIKE_DOWN)
		return dbl_fail(err, DBLOCK_E_UNSURE, "struck: the reply is lost");
	return hangs(kind) ? no_time(err) : unavailable(err);
}

/* ---- what is late --------------------------------------------------------------------------- */

static bool is_late(enum strike_kind kind)
{
	return (kind == STRIKE_LATE || kind == STRIKE_LATE_POOLED) && !on_backend("sqlite");
}

static void keep_letter(struct strike *s, struct dbl_conn *conn, struct dbl_stmt *stmt,
			const char *sql, const struct dbl_value *args, unsigned n)
{
	struct letter *letter = &s->letter;

	pthread_mutex_lock(&s->mutex);
	*letter = (struct letter){.conn = conn, .stmt = stmt, .sql = sql ? strdup(sql) : NULL};
	letter->n = n;
	for (unsigned i = 0; i < n; i++) {
		letter->args[i] = args[i];
		letter->args[i].text =
			args[i].type == DBL_TEXT ? strndup(args[i].text, args[i].len) : NULL;
	}
	pthread_mutex_unlock(&s->mutex);
}

void strike_let_go(struct strike *s)
{
	struct letter letter = s->letter;
	struct dbl_conn *conn = letter.conn;
	struct dblock_error err;
	int64_t changed;

	s->letter = (struct letter){.conn = NULL};
	if (!conn)
		return;
	conn->broken = false;
	conn->deadline = strike_now_us(s) + dbl_ms(PLENTY_MS);
	/* It may be that nobody is there any more to carry it out. */
	if (letter.stmt)
		(void)s->real->run(letter.stmt, letter.args, letter.n, &changed, &err);
	else
		(void)s->real->exec(conn, letter.sql, &err);
	conn->broken = true;
	if (letter.closed)
		s->real->close(conn);
	for (unsigned i = 0; i < letter.n; i++)
		free((void *)(uintptr_t)letter.args[i].text);
	free(letter.sql);
}

/* ---- the driver ----------------------------------------------------------------------------- */

static int strike_open(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		       int64_t deadline, struct dblock_error *err)
{
	struct strike *s = env->ctx;
	enum strike_kind kind = decide(s, DBL_OP_COUNT, NULL, "open");
	int rc;

	*conn = NULL;
	if (hangs(kind))
		jump_to(s, deadline);
	if (hangs(kind))
		return no_time(err);
	if (kind != STRIKE_KINDS && !is_carried_out(kind))
		return unavailable(err);
	rc = s->real->open(conn, url, env, deadline, err);
	if (rc == 0 && s->pooled)
		(*conn)->backend = 0;
	if (rc || kind == STRIKE_KINDS)
		return rc;
	s->real->close(*conn);
	*conn = NULL;
	return unavailable(err);
}

static void strike_close(struct dbl_conn *conn)
{
	struct strike *s = strike_of(conn);
	bool kept;

	pthread_mutex_lock(&s->mutex);
	kept = s->letter.conn == conn;
	if (kept)
		s->letter.closed = true;
	pthread_mutex_unlock(&s->mutex);
	if (!kept)
		s->real->close(conn);
}

static int strike_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	struct strike *s = strike_of(conn);
	enum strike_kind kind = decide(s, op_of(sql), NULL, "exec");
	int rc = 0;

	if (kind == STRIKE_KINDS || is_carried_out(kind))
		rc = s->real->exec(conn, sql, err);
	if (is_late(kind))
		keep_letter(s, conn, NULL, sql, NULL, 0);
	return kind == STRIKE_KINDS || rc ? rc : lose(conn, kind, false, err);
}

static int strike_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			  struct dblock_error *err)
{
	struct strike *s = strike_of(conn);
	int rc;

	*stmt = NULL;
	if (decide(s, op_of(sql), NULL, "prepare") != STRIKE_KINDS)
		return lose(conn, s->kind, true, err);
	rc = s->real->prepare(conn, sql, stmt, err);
	if (rc == 0)
		note_name(s, *stmt, sql);
	return rc;
}

static int strike_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		      int64_t *changed, struct dblock_error *err)
{
	struct strike *s = strike_of(stmt->conn);
	enum strike_kind kind = decide(s, DBL_OP_COUNT, stmt, "run");
	int rc = 0;

	*changed = 0;
	if (kind == STRIKE_KINDS || is_carried_out(kind))
		rc = s->real->run(stmt, args, n, changed, err);
	if (kind == STRIKE_KINDS || rc)
		return rc;
	if (is_late(kind))
		keep_letter(s, stmt->conn, stmt, NULL, args, n);
	if (kind == STRIKE_HALF) {
		s->half = stmt;
		s->half_rows = 0;
		return 0;
	}
	return lose(stmt->conn, kind, stmt->reads, err);
}

static int strike_next(struct dbl_stmt *stmt, struct dbl_value *row, unsigned n,
		       struct dblock_error *err)
{
	struct strike *s = strike_of(stmt->conn);
	enum strike_kind kind = decide(s, DBL_OP_COUNT, stmt, "next");
	int rc;

	/* The statement itself has been carried out. */
	if (kind != STRIKE_KINDS)
		return lose(stmt->conn, hangs(kind) ? kind : STRIKE_REPLY_LOST, stmt->reads, err);
	rc = s->real->next(stmt, row, n, err);
	if (s->half != stmt || (rc > 0 && s->half_rows++ == 0))
		return rc;
	s->half = NULL;
	return lose(stmt->conn, STRIKE_REPLY_LOST, stmt->reads, err);
}

static const struct dbl_driver *strike_intercept(void *ctx, const struct dbl_driver *real)
{
	struct strike *s = ctx;

	s->real = real;
	s->driver = (struct dbl_driver){.name = real->name,
					.open = strike_open,
					.close = strike_close,
					.exec = strike_exec,
					.prepare = strike_prepare,
					.run = strike_run,
					.next = strike_next};
	return &s->driver;
}

/* ---- for tests ------------------------------------------------------------------------------ */

struct strike *strike_new(void)
{
	struct strike *s = calloc(1, sizeof(*s));

	s->calm = (struct dbl_env){.ctx = s,
				   .now = strike_now,
				   .wall = strike_wall,
				   .random = strike_random,
				   .sleep_until = strike_sleep_until};
	s->env = s->calm;
	s->env.intercept = strike_intercept;
	pthread_mutex_init(&s->mutex, NULL);
	return s;
}

void strike_free(struct strike *s)
{
	strike_let_go(s);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

const struct dbl_env *strike_env(struct strike *s)
{
	return &s->env;
}

const struct dbl_env *strike_calm(struct strike *s)
{
	return &s->calm;
}

void strike_pooled(struct strike *s, bool pooled)
{
	s->pooled = pooled;
}

void strike_arm(struct strike *s, enum strike_kind kind, int k)
{
	pthread_mutex_lock(&s->mutex);
	s->kind = kind;
	s->left = k;
	s->calls = 0;
	s->struck = false;
	s->half = NULL;
	s->what[0] = '\0';
	s->armed = true;
	pthread_mutex_unlock(&s->mutex);
}

int strike_disarm(struct strike *s)
{
	int calls;

	pthread_mutex_lock(&s->mutex);
	s->armed = false;
	s->half = NULL;
	calls = s->calls;
	pthread_mutex_unlock(&s->mutex);
	return calls;
}

bool strike_struck(struct strike *s)
{
	bool struck;

	pthread_mutex_lock(&s->mutex);
	struck = s->struck;
	pthread_mutex_unlock(&s->mutex);
	return struck;
}

const char *strike_what(struct strike *s)
{
	return s->what;
}
