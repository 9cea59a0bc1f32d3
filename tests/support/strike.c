/* SPDX-License-Identifier: MIT */
#include "support/strike_own.h"
#include "support/waiting.h"

enum { REAL_SLEEP_US = 200 };

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

void strike_jump_to(struct strike *s, int64_t until)
{
	int64_t left = until - strike_now_us(s);

	if (s->real_time)
		dbl_sleep_until(dbl_env_system(), until);
	else if (left > 0)
		s->skew += left;
}

static bool is_others(const struct strike *s)
{
	return s->played && !pthread_equal(s->player, pthread_self());
}

static bool plays_beside(struct strike *s)
{
	bool yes;

	pthread_mutex_lock(&s->mutex);
	yes = is_others(s);
	pthread_mutex_unlock(&s->mutex);
	return yes;
}

static bool oversleeps(struct strike *s)
{
	bool yes;

	pthread_mutex_lock(&s->mutex);
	yes = s->armed && s->struck && (s->kind == STRIKE_STUBBORN || s->kind == STRIKE_DOWN);
	pthread_mutex_unlock(&s->mutex);
	return yes;
}

/* A sleep takes a little real time, so that other threads get on. */
static void strike_sleep_until(void *ctx, int64_t until)
{
	struct strike *s = ctx;
	const struct dbl_env *real = dbl_env_system();
	int64_t left = until - strike_now_us(s);

	if (s->real_time) {
		dbl_sleep_until(real, until);
		return;
	}
	/* If nothing helps, a few tries are as good as hundreds. */
	if (oversleeps(s))
		until += dbl_ms(STRIKE_OVERSLEEP_MS);
	if (left > 0)
		dbl_sleep_until(real,
				dbl_now(real) + (left < REAL_SLEEP_US ? left : REAL_SLEEP_US));
	if (!plays_beside(s))
		strike_jump_to(s, until);
}

/* Nobody wakes anybody in this world, except in a test that waits in real time. */
static void strike_idle(void *ctx, int64_t until)
{
	const struct strike *s = ctx;

	if (!s->real_time)
		strike_sleep_until(ctx, until);
}

/* ---- statements ----------------------------------------------------------------------------- */

enum dbl_op strike_op_of(const char *sql)
{
	for (enum dbl_op op = 0; op < DBL_OP_COUNT; op++) {
		size_t len = strlen(dbl_ops[op].name);

		if (strncmp(sql, "-- ", 3) == 0 && strncmp(sql + 3, dbl_ops[op].name, len) == 0 &&
		    sql[3 + len] == ':')
			return op;
	}
	return DBL_OP_COUNT;
}

void strike_note_name(struct strike *s, const struct dbl_stmt *stmt, const char *sql)
{
	pthread_mutex_lock(&s->mutex);
	s->names[s->n_names++ % STRIKE_NAMES] = (struct strike_named){stmt, strike_op_of(sql)};
	pthread_mutex_unlock(&s->mutex);
}

/* Call it under the mutex. It returns the newest: an address may be in use again. */
static enum dbl_op name_of(const struct strike *s, const struct dbl_stmt *stmt)
{
	for (unsigned i = s->n_names; i-- > 0 && s->n_names - i <= STRIKE_NAMES;) {
		if (s->names[i % STRIKE_NAMES].stmt == stmt)
			return s->names[i % STRIKE_NAMES].op;
	}
	return DBL_OP_COUNT;
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* Call it under the mutex. */
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

enum strike_kind strike_decide(struct strike *s, struct strike_call call)
{
	enum strike_kind kind = STRIKE_KINDS;

	pthread_mutex_lock(&s->mutex);
	if (call.stmt)
		call.op = name_of(s, call.stmt);
	if (is_others(s))
		kind = s->armed && s->struck && (s->kind == STRIKE_DARK || s->kind == STRIKE_DOWN)
			       ? STRIKE_UNSENT
			       : STRIKE_KINDS;
	else if (strike_is_meant(s, &call))
		kind = is_hit(s, call.op, call.name) ? s->kind : STRIKE_KINDS;
	/* A statement without rows has no half of them. */
	if (kind == STRIKE_HALF && (call.op == DBL_OP_COUNT || !*dbl_ops[call.op].columns))
		kind = STRIKE_REPLY_LOST;
	pthread_mutex_unlock(&s->mutex);
	return kind;
}

/* ---- what is late --------------------------------------------------------------------------- */

void strike_keep(struct strike *s, struct dbl_conn *conn, struct dbl_stmt *stmt, const char *sql,
		 const struct dbl_value *args, unsigned n)
{
	struct strike_letter *letter = &s->letter;

	pthread_mutex_lock(&s->mutex);
	*letter =
		(struct strike_letter){.conn = conn, .stmt = stmt, .sql = sql ? strdup(sql) : NULL};
	letter->n = n;
	for (unsigned i = 0; i < n; i++) {
		letter->args[i] = args[i];
		letter->args[i].text =
			args[i].type == DBL_TEXT ? strndup(args[i].text, args[i].len) : NULL;
	}
	pthread_mutex_unlock(&s->mutex);
}

/* The library closes a connection that it takes for lost, in a thread that may be still about that. */
static bool is_ours(struct strike *s)
{
	bool ours;

	pthread_mutex_lock(&s->mutex);
	ours = !s->letter.conn || s->letter.closed;
	pthread_mutex_unlock(&s->mutex);
	return ours;
}

static struct strike_letter take_letter(struct strike *s)
{
	struct strike_letter letter;

	pthread_mutex_lock(&s->mutex);
	letter = s->letter;
	s->letter = (struct strike_letter){.conn = NULL};
	pthread_mutex_unlock(&s->mutex);
	return letter;
}

void strike_let_go(struct strike *s)
{
	struct strike_letter letter;
	struct dbl_conn *conn;
	struct dblock_error err;
	int64_t changed;

	wait_until(is_ours(s));
	letter = take_letter(s);
	conn = letter.conn;
	if (!conn)
		return;
	conn->broken = false;
	conn->deadline = strike_now_us(s) + dbl_ms(PLENTY_MS);
	/* The server may have ended the connection, so that this fails. */
	if (letter.stmt)
		(void)s->real->run(letter.stmt, letter.args, letter.n, &changed, &err);
	else
		(void)s->real->exec(conn, letter.sql, &err);
	conn->broken = true;
	s->real->close(conn);
	for (unsigned i = 0; i < letter.n; i++)
		free((void *)(uintptr_t)letter.args[i].text);
	free(letter.sql);
}

/* ---- for tests ------------------------------------------------------------------------------ */

struct strike *strike_new(void)
{
	struct strike *s = calloc(1, sizeof(*s));

	s->calm = (struct dbl_env){.ctx = s,
				   .now = strike_now,
				   .wall = strike_wall,
				   .random = strike_random,
				   .sleep_until = strike_sleep_until,
				   .idle = strike_idle};
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
	s->played = !s->real_time;
	s->player = pthread_self();
	pthread_mutex_unlock(&s->mutex);
}

void strike_any_thread(struct strike *s)
{
	pthread_mutex_lock(&s->mutex);
	s->played = false;
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
	pthread_mutex_lock(&s->mutex);
	memcpy(s->told, s->what, sizeof(s->told));
	pthread_mutex_unlock(&s->mutex);
	return s->told;
}
