/* SPDX-License-Identifier: MIT */
#include "support/spy_own.h"

#include "api/client.h"
#include "driver/driver.h"

/* ---- clocks --------------------------------------------------------------------------------- */

static int64_t spy_now(void *ctx)
{
	struct spy *spy = ctx;
	int64_t frozen_at = spy->frozen_at;

	return (frozen_at ? frozen_at : dbl_now(dbl_env_system())) + spy->skew;
}

static int64_t spy_wall(void *ctx)
{
	return dbl_wall(dbl_env_system()) + ((struct spy *)ctx)->wall_skew;
}

/* Sleeps in small steps, as a test may turn the clock. While the clock stands still a pause takes
 * its real time, so that a client that finds SQLite's file locked tries again. */
static void spy_sleep_until(void *ctx, int64_t until)
{
	int64_t left, begun = dbl_now(dbl_env_system()), pause = until - spy_now(ctx);

	while ((left = until - spy_now(ctx)) > 0 && dbl_now(dbl_env_system()) - begun < pause) {
		int64_t step = left < 10000 ? left : 10000;

		dbl_sleep_until(dbl_env_system(), dbl_now(dbl_env_system()) + step);
	}
}

static int spy_random(void *ctx, void *bytes, size_t len)
{
	(void)ctx;
	return dbl_env_system()->random(NULL, bytes, len);
}

/* ---- statements ----------------------------------------------------------------------------- */

static struct spy *spy_of(const struct dbl_conn *conn)
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
	fprintf(stderr, "spy: a statement that is no operation: %s\n", sql);
	abort();
}

static void forget(struct spy_statement *s)
{
	free(s->sql);
	*s = (struct spy_statement){.stmt = NULL};
}

static void remember(struct spy *spy, struct dbl_stmt *stmt, const char *sql)
{
	pthread_mutex_lock(&spy->mutex);
	for (int i = 0; i < SPY_STATEMENTS; i++) {
		struct spy_statement *s = &spy->statements[i];

		if (!s->stmt) {
			*s = (struct spy_statement){stmt, op_of(sql), strdup(sql)};
			pthread_mutex_unlock(&spy->mutex);
			return;
		}
	}
	fprintf(stderr, "spy: too many statements\n");
	abort();
}

static struct spy_statement recall(struct spy *spy, const struct dbl_stmt *stmt)
{
	struct spy_statement found = {.stmt = NULL};

	pthread_mutex_lock(&spy->mutex);
	for (int i = 0; i < SPY_STATEMENTS; i++) {
		if (spy->statements[i].stmt == stmt)
			found = spy->statements[i];
	}
	pthread_mutex_unlock(&spy->mutex);
	return found;
}

/* ---- the driver ----------------------------------------------------------------------------- */

static int spy_open(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		    int64_t deadline, struct dblock_error *err)
{
	struct spy *spy = env->ctx;
	int rc;

	if (spy->refusals > 0 && spy->refusals-- > 0)
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "refused, as the test wants it");
	rc = spy->real->open(conn, url, env, deadline, err);
	spy->opens++;
	/* The connection seems to be behind a pooler: nobody can tell its server process, so a lost
	 * request can be late. */
	if (rc == 0)
		(*conn)->backend = 0;
	return rc;
}

static void spy_close(struct dbl_conn *conn)
{
	struct spy *spy = spy_of(conn);

	pthread_mutex_lock(&spy->mutex);
	for (int i = 0; i < SPY_STATEMENTS; i++) {
		if (spy->statements[i].stmt && spy->statements[i].stmt->conn == conn)
			forget(&spy->statements[i]);
	}
	pthread_mutex_unlock(&spy->mutex);
	spy->real->close(conn);
}

static void spy_forget(struct dbl_stmt *stmt)
{
	struct spy *spy = spy_of(stmt->conn);

	pthread_mutex_lock(&spy->mutex);
	for (int i = 0; i < SPY_STATEMENTS; i++) {
		if (spy->statements[i].stmt == stmt)
			forget(&spy->statements[i]);
	}
	pthread_mutex_unlock(&spy->mutex);
	spy->real->forget(stmt);
}

static enum dbl_tx_state spy_state(struct dbl_conn *conn)
{
	return spy_of(conn)->real->state(conn);
}

static int spy_reset_conn(struct dbl_conn *conn, struct dblock_error *err)
{
	return spy_of(conn)->real->reset(conn, err);
}

static int spy_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	spy_of(conn)->execs++;
	return spy_of(conn)->real->exec(conn, sql, err);
}

static int spy_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
		       struct dblock_error *err)
{
	struct spy *spy = spy_of(conn);
	int rc = spy->real->prepare(conn, sql, stmt, err);

	spy->prepares++;
	if (rc == 0)
		remember(spy, *stmt, sql);
	return rc;
}

/* Fails as a driver does whose connection was lost under a statement. */
static int lose(struct dbl_stmt *stmt, struct dblock_error *err)
{
	stmt->conn->broken = true;
	return dbl_fail(err, stmt->reads ? DBLOCK_E_UNAVAILABLE : DBLOCK_E_UNSURE,
			"the spy cut the connection");
}

static void hold_reply(struct spy *spy)
{
	spy->held = true;
	while (spy->held)
		dbl_sleep_until(dbl_env_system(), dbl_now(dbl_env_system()) + 1000);
}

static int spy_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		   int64_t *changed, struct dblock_error *err)
{
	struct spy *spy = spy_of(stmt->conn);
	struct spy_statement s = recall(spy, stmt);
	enum spy_fate (*decide)(struct spy *, enum dbl_op) = spy->fate;
	enum spy_fate fate = decide ? decide(spy, s.op) : SPY_PASS;
	int rc = 0;

	spy->runs++;
	spy->runs_of[s.op]++;
	if (fate == SPY_PASS || fate == SPY_LOST_AFTER || fate == SPY_HELD)
		rc = spy->real->run(stmt, args, n, changed, err);
	if (fate == SPY_LATE)
		spy_letter_keep(spy, s.sql, args, n);
	if (fate == SPY_HELD)
		hold_reply(spy);
	return fate == SPY_PASS || fate == SPY_HELD || rc ? rc : lose(stmt, err);
}

static int spy_next(struct dbl_stmt *stmt, struct dbl_value *row, unsigned n,
		    struct dblock_error *err)
{
	return spy_of(stmt->conn)->real->next(stmt, row, n, err);
}

static int spy_wait(struct dbl_conn *conn, const char *sql, int stop, const char **said,
		    struct dblock_error *err)
{
	return spy_of(conn)->real->wait(conn, sql, stop, said, err);
}

static void spy_on(struct spy *spy, const struct dbl_driver *real)
{
	spy->real = real;
	spy->driver = (struct dbl_driver){.name = real->name,
					  .open = spy_open,
					  .close = spy_close,
					  .handle = real->handle,
					  .reset = real->reset ? spy_reset_conn : NULL,
					  .state = spy_state,
					  .forget = spy_forget,
					  .exec = spy_exec,
					  .prepare = spy_prepare,
					  .run = spy_run,
					  .next = spy_next,
					  .wait = real->wait ? spy_wait : NULL};
}

static const struct dbl_driver *spy_intercept(void *ctx, const struct dbl_driver *real)
{
	struct spy *spy = ctx;

	pthread_mutex_lock(&spy->mutex); /* members of a cluster are opened side by side */
	if (!spy->real)
		spy_on(spy, real);
	pthread_mutex_unlock(&spy->mutex);
	return &spy->driver;
}

/* ---- for tests ------------------------------------------------------------------------------ */

struct spy *spy_new(void)
{
	struct spy *spy = calloc(1, sizeof(*spy));

	spy->env = (struct dbl_env){.ctx = spy,
				    .now = spy_now,
				    .wall = spy_wall,
				    .random = spy_random,
				    .sleep_until = spy_sleep_until,
				    .intercept = spy_intercept};
	pthread_mutex_init(&spy->mutex, NULL);
	return spy;
}

void spy_free(struct spy *spy)
{
	spy_letter_clear(&spy->letter);
	pthread_mutex_destroy(&spy->mutex);
	free(spy);
}

struct dblock_client *spy_client(struct spy *spy, int64_t ttl_ms)
{
	return spy_client_with(spy, ttl_ms, PLENTY_MS);
}

static struct dblock_client *open_client(struct spy *spy, struct dblock_client_options *options)
{
	struct dblock_error err = {0};
	struct dblock_client *client;

	options->auto_migrate = 1;
	EXPECT_OPEN(dbl_client_open(test_url(), options, &spy->env, &client, &err));
	return client;
}

struct dblock_client *spy_client_with(struct spy *spy, int64_t ttl_ms, int64_t timeout_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms ? ttl_ms : DBLOCK_TTL_MAX_MS;
	options.timeout_ms = timeout_ms;
	return open_client(spy, &options);
}

struct dblock_client *spy_client_without(struct spy *spy, unsigned wake_off)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.timeout_ms = PLENTY_MS;
	TUNE(options, .wake_off = wake_off);
	return open_client(spy, &options);
}

static enum spy_fate at_countdown(struct spy *spy, enum dbl_op op)
{
	(void)op;
	return --spy->countdown == 0 ? spy->countdown_fate : SPY_PASS;
}

void spy_hit_nth(struct spy *spy, int n, enum spy_fate fate)
{
	spy->countdown = n;
	spy->countdown_fate = fate;
	spy->fate = at_countdown;
}

bool spy_has_hit(const struct spy *spy)
{
	return spy->countdown <= 0;
}

void spy_freeze(struct spy *spy)
{
	spy->frozen_at = dbl_now(dbl_env_system());
}

void spy_let_go(struct spy *spy)
{
	spy->held = false;
}

void spy_tell_unless(const struct spy *spy, int expected)
{
	for (int op = 0; spy->runs != expected && op < DBL_OP_COUNT; op++) {
		if (spy->runs_of[op] > 0)
			print_message("%s: %d\n", dbl_ops[op].name, spy->runs_of[op]);
	}
}

void spy_reset(struct spy *spy)
{
	spy->opens = spy->prepares = spy->execs = spy->runs = 0;
	for (int op = 0; op < DBL_OP_COUNT; op++)
		spy->runs_of[op] = 0;
}
