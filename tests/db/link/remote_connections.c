/* SPDX-License-Identifier: MIT */
/*
 * A client's batches go by two connections at a time: each has half of the names, and the failure
 * of one is nothing to the other.
 */
#include "db/link/combiner_kit.h"
#include "link/own.h"
#include "support/posted.h"

static struct dbl_link *link_of(struct dblock_client *client)
{
	return client->locks->link;
}

static void part(struct dblock_client *client)
{
	dbl_link_part(link_of(client), dbl_now(client->locks->env) + PLENTY_MS * INT64_C(1000));
}

/* ---- two at a time -------------------------------------------------------------------------- */

static _Atomic int under_way, most, unlucky;
static enum spy_fate bad_luck;

static bool is_work(enum dbl_op op)
{
	return op == DBL_OP_batch || op == DBL_OP_acquire || op == DBL_OP_release;
}

/* Two statements that are under way wait for each other; then one of them may be struck. */
static enum spy_fate meet(struct spy *spy, enum dbl_op op)
{
	int64_t begun = clock_ms();

	(void)spy;
	if (!is_work(op))
		return SPY_PASS;
	if (++under_way > most)
		most = under_way;
	while (most < 2 && clock_ms() - begun < PLENTY_MS)
		sleep_ms(1);
	under_way--;
	return most >= 2 && unlucky-- > 0 ? bad_luck : SPY_PASS;
}

static void all_together(struct dblock_client *client, void *(*body)(void *))
{
	struct crew crew = {.n = 0};

	(void)client;
	for (int i = 0; i < CROWD; i++)
		crew_add(&crew, body, &ones[i]);
	crew_join(&crew);
}

/* Whatever becomes of one of the statements, the threads that are told that they hold a lock hold
 * it, and nobody else does. */
static void goes_by_two(enum spy_fate fate, int times)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);

	part(client);
	most = under_way = 0;
	bad_luck = fate;
	unlucky = times;
	atomic_store(&spy->fate, meet);
	all_together(client, try_it);
	assert_true(most >= 2); /* the session's cleanup may run meanwhile */
	assert_true(unlucky <= 0);
	assert_true(all_got(DBLOCK_OK));
	assert_int_equal(held_rows(raw), CROWD);
	for (int i = 0; i < CROWD; i++)
		assert_true(dblock_valid(ones[i].lock, 0));
	unlucky = times;
	all_together(client, release_it);
	assert_true(all_got(DBLOCK_OK));
	assert_int_equal(held_rows(raw), 0);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void two_are_under_way(void **state)
{
	(void)state;
	goes_by_two(SPY_PASS, 0);
}

static void a_lost_reply_is_settled(void **state)
{
	(void)state;
	goes_by_two(SPY_LOST_AFTER, 1);
	goes_by_two(SPY_LOST_AFTER, 2);
}

static void so_is_a_lost_request(void **state)
{
	(void)state;
	goes_by_two(SPY_LOST_BEFORE, 1);
	goes_by_two(SPY_LOST_BEFORE, 2);
}

/* ---- what is lost --------------------------------------------------------------------------- */

/* Opens a connection around the spy, which hides the server's process. */
static int open_plainly(struct dbl_conn **conn, const struct dbl_url *url,
			const struct dbl_env *env_of, int64_t deadline, struct dblock_error *err)
{
	const struct spy *spy = env_of->ctx;

	return spy->real->open(conn, url, env_of, deadline, err);
}

static int asked_before;

/* Loses the answer to an acquire. When its name is asked for next, by whichever connection, its
 * server process must have been looked for before. */
static enum spy_fate lose_and_look(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_give_back)
		asked_before = spy->runs_of[DBL_OP_backend_state];
	return op == DBL_OP_acquire && unlucky-- > 0 ? SPY_LOST_AFTER : SPY_PASS;
}

static void what_was_lost_is_ended_before_anything_is_sent(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	spy->driver.open = open_plainly;
	part(client);
	for (const char *name = "a\0b\0"; *name; name += 2) { /* the names of the other half */
		is_free(client, name);
		asked_before = -1;
		unlucky = 1;
		spy_reset(spy);
		atomic_store(&spy->fate, lose_and_look);
		expect(OK, dblock_try(client, name, NULL, &lock, &err));
		assert_true(asked_before > 0);
		give(lock);
	}
	assert_non_null(link_of(client)->connections[1].db);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* ---- no second connection ------------------------------------------------------------------- */

static int (*really_open)(struct dbl_conn **, const struct dbl_url *, const struct dbl_env *,
			  int64_t deadline, struct dblock_error *err);

static int refuse(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		  int64_t deadline, struct dblock_error *err)
{
	(void)url;
	(void)env;
	(void)deadline;
	*conn = NULL;
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "too many connections");
}

/* Waits in vain for a connection, as behind a pool that is too small. */
static int hang(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env_of,
		int64_t deadline, struct dblock_error *err)
{
	(void)url;
	*conn = NULL;
	dbl_sleep_until(env_of, deadline);
	return dbl_fail(err, DBLOCK_E_NO_ANSWER, "no connection in time");
}

static void one_does(int (*instead)(struct dbl_conn **, const struct dbl_url *,
				    const struct dbl_env *, int64_t, struct dblock_error *))
{
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);

	really_open = spy->driver.open;
	spy->driver.open = instead;
	part(client);
	all_together(client, try_it);
	assert_true(all_got(DBLOCK_OK));
	assert_null(link_of(client)->connections[1].db);
	assert_int_equal(link_of(client)->connections[0].combiner.open, DBL_COMBINER_ALL);
	assert_int_equal(held_rows(raw), CROWD);
	all_together(client, release_it);
	assert_true(all_got(DBLOCK_OK));
	spy->driver.open = really_open;
	assert_int_equal(held_rows(raw), 0);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

static void where_there_is_no_second_one_one_does(void **state)
{
	(void)state;
	one_does(refuse);
}

static void also_if_nobody_says_so(void **state)
{
	int64_t begun = clock_ms();

	(void)state;
	one_does(hang);
	assert_true(clock_ms() - begun < PLENTY_MS / 2);
}

/* ---- posted releases ------------------------------------------------------------------------ */

static void closing_sends_what_is_posted_by_both(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct dblock_lock *locks[CROWD];
	struct raw *raw = raw_open(NULL);
	char name[16];

	(void)state;
	part(client);
	spy_freeze(spy);
	for (int i = 0; i < CROWD; i++) {
		snprintf(name, sizeof(name), "post %d", i);
		locks[i] = take(client, name);
	}
	assert_int_equal(held_rows(raw), CROWD);
	for (int i = 0; i < CROWD; i++)
		give(locks[i]);
	assert_true(held_rows(raw) > 0);
	dblock_close(client, NULL);
	assert_int_equal(held_rows(raw), 0);
	assert_int_equal(failure.n, 0);
	raw_close(raw);
	spy_free(spy);
}

struct loop {
	struct dblock_client *client;
	int number;
	_Atomic int *problems;
};

/* Each thread takes names that others use as well, and its own one. */
static void *acquire_and_release(void *arg)
{
	const struct loop *loop = arg;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	int64_t last[2] = {0};
	char name[16];

	options.wait_ms = PLENTY_MS;
	for (int i = 0; i < 60; i++) {
		struct dblock_lock *lock;

		snprintf(name, sizeof(name), "n%d", i % 3 ? loop->number + 10 : i % 2);
		if (dblock_acquire(loop->client, name, &options, &lock, &err)) {
			note_problem(loop->problems, name, &err);
			continue;
		}
		if (i % 3 && dblock_token(lock) <= last[0])
			note_problem(loop->problems, "token", &err);
		last[0] = i % 3 ? dblock_token(lock) : last[0];
		if (dblock_release(lock, &err))
			note_problem(loop->problems, name, &err);
	}
	return NULL;
}

static _Atomic int n_work;

static enum spy_fate now_and_then(struct spy *spy, enum dbl_op op)
{
	int n = is_work(op) ? ++n_work : 1;

	(void)spy;
	return n % 23 ? SPY_PASS : n % 2 ? SPY_LOST_AFTER : SPY_LOST_BEFORE;
}

static void many_threads_with_losses(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = posting(spy);
	struct raw *raw = raw_open(NULL);
	struct crew crew = {.n = 0};
	_Atomic int problems = 0;
	struct loop loops[8];

	(void)state;
	atomic_store(&spy->fate, now_and_then);
	for (int i = 0; i < 8; i++) {
		loops[i] = (struct loop){client, i, &problems};
		crew_add(&crew, acquire_and_release, &loops[i]);
	}
	sleep_ms(20);
	part(client);
	crew_join(&crew);
	atomic_store(&spy->fate, NULL);
	assert_int_equal(problems, 0);
	assert_true(n_work > 23);
	dblock_close(client, NULL);
	assert_int_equal(failure.n, 0);
	assert_int_equal(held_rows(raw), 0);
	raw_close(raw);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_are_under_way),
		cmocka_unit_test(a_lost_reply_is_settled),
		cmocka_unit_test(so_is_a_lost_request),
		cmocka_unit_test(what_was_lost_is_ended_before_anything_is_sent),
		cmocka_unit_test(where_there_is_no_second_one_one_does),
		cmocka_unit_test(also_if_nobody_says_so),
		cmocka_unit_test(closing_sends_what_is_posted_by_both),
		cmocka_unit_test(many_threads_with_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
