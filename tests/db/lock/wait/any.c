/* SPDX-License-Identifier: MIT */
/* Any one of several locks. */
#include "support/kit.h"

#include <dblock/group.h>

#include "support/spy.h"
#include "support/waiting.h"

static const struct dblock_lock_spec abc[] = {{.name = "c"}, {.name = "a"}, {.name = "b"}};

static struct dblock_lock *any(struct dblock_client *client, const char *expected)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_acquire_any(client, abc, 3, NULL, &lock, &err));
	assert_string_equal(dblock_name(lock), expected);
	assert_true(dblock_valid(lock, 0));
	return lock;
}

/* The caller's order says which is tried first. */
static void the_first_that_is_free(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *held[3], *none;
	struct dblock_error err = {0};

	(void)state;
	held[0] = any(a, "c");
	held[1] = any(b, "a");
	held[2] = take(a, "b");
	expect(BUSY, dblock_try_any(b, (struct dblock_lock_spec[]){{.name = "b"}, {.name = "c"}}, 2,
				    NULL, &none, &err));
	assert_null(none);
	message_has("'b' is held by");
	message_has("nor is any other of the 2 to be had");
	for (int i = 0; i < 3; i++)
		give(held[i]);
	give(any(b, "c"));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

struct job {
	struct dblock_client *client;
	struct dblock_acquire_options how;
	struct dblock_lock *_Atomic lock;
	_Atomic int rc;
	struct dblock_error err;
	pthread_t thread;
};

static void *wait_for_any(void *arg)
{
	struct job *job = arg;
	struct dblock_lock *lock;

	job->rc = dblock_acquire_any(job->client, abc, 3, &job->how, &lock, &job->err);
	job->lock = lock;
	return NULL;
}

/* Returns when it stands in `n` queues. */
static void begins(struct job *job, struct dblock_client *client, struct raw *raw, int n)
{
	int64_t before = raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE token IS NULL");

	job->client = client;
	job->rc = -1;
	job->lock = NULL;
	assert_int_equal(pthread_create(&job->thread, NULL, wait_for_any, job), 0);
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE token IS NULL") ==
		   before + n);
}

static struct dblock_lock *gets_now(const struct job *job, const char *name)
{
	struct dblock_error err = job->err;

	expect_at(job->rc, DBLOCK_OK, &err, "dblock_acquire_any", __FILE__, __LINE__);
	assert_string_equal(dblock_name(job->lock), name);
	assert_true(dblock_valid(job->lock, 0));
	return job->lock;
}

static struct dblock_lock *gets(struct job *job, const char *name)
{
	pthread_join(job->thread, NULL);
	return gets_now(job, name);
}

#define JOB                                                                                        \
	{                                                                                          \
		.how = DBLOCK_ACQUIRE_OPTIONS_INIT                                                 \
	}

static int64_t rows(struct raw *raw)
{
	return raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE token IS NULL");
}

/* Whichever that is; and nothing is left in the queues of the others. */
static void the_first_to_be_given_back(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct raw *raw = raw_open(NULL);

	(void)state;
	for (int first = 0; first < 3; first++) {
		struct dblock_lock *held[3], *got;
		struct job job = JOB;
		int64_t token;

		for (int i = 0; i < 3; i++)
			held[i] = take(a, names[i]);
		begins(&job, b, raw, 3);
		token = dblock_token(held[first]);
		give(held[first]);
		got = gets(&job, names[first]);
		assert_true(dblock_token(got) > token);
		assert_int_equal(rows(raw), 0);
		busy(a, names[first]);
		give(got);
		for (int i = 0; i < 3; i++) {
			if (i != first)
				give(held[i]);
			is_free(b, names[i]);
		}
	}
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Naive: who waits for any stands behind, or before, all who wait for one. */
static void in_line_with_single_waits(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0), *c = client_new(0),
			     *d = client_new(0);
	struct dblock_lock *held[3] = {take(a, "a"), take(a, "b"), take(a, "c")}, *got;
	struct raw *raw = raw_open(NULL);
	struct waiting before, behind;
	struct job first = JOB, second = JOB;

	(void)state;
	waiting_start(&before, b, "b");
	wait_until(rows(raw) == 1);
	begins(&first, c, raw, 3);
	begins(&second, d, raw, 3);
	waiting_start(&behind, b, "c");
	wait_until(rows(raw) == 8);
	give(held[1]); /* "b" goes to who was there before */
	got = waiting_join(&before);
	assert_int_equal(first.rc, -1);
	give(held[2]); /* "c" to the first of the two, whose place at "b" is over */
	held[2] = gets(&first, "c");
	give(got);
	held[1] = gets(&second, "b");
	give(held[2]);
	give(waiting_join(&behind));
	give(held[1]);
	give(held[0]);
	/* (What is left of single waits is deleted later.) */
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE names < 0"), 0);
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	dblock_close(c, NULL);
	dblock_close(d, NULL);
}

static struct dblock_lock *given_between;

/* The second look of the wait comes after this one's release. */
static enum spy_fate give_before_the_second(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_look && given_between && spy->runs_of[op] == 1) {
		struct dblock_lock *lock = given_between;

		given_between = NULL;
		give(lock);
	}
	return SPY_PASS;
}

/* Naive: it has looked at the one, is granted that, and misses its row in the other's queue: so it leaves, and
 * joins anew behind all others. */
static void granted_between_two_looks(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_lock *held[3] = {take(a, "a"), take(a, "b"), take(a, "c")};
	struct spy *spy = spy_new();
	struct job job = JOB;

	(void)state;
	job.client = spy_client(spy, 0);
	given_between = held[0];
	spy_reset(spy);
	spy->fate = give_before_the_second;
	wait_for_any(&job);
	give(gets_now(&job, "a"));
	assert_null(given_between);
	assert_int_equal(spy->runs_of[DBL_OP_enqueue], 3);
	give(held[1]);
	give(held[2]);
	dblock_close(job.client, NULL);
	dblock_close(a, NULL);
	spy_free(spy);
}

/* Several are free at once, while it is stopped, or slow: then those behind get what it leaves. */
static void what_it_leaves_goes_on(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0), *c = client_new(0);
	struct dblock_lock *held[3] = {take(a, "a"), take(a, "b"), take(a, "c")}, *got;
	struct raw *raw = raw_open(NULL);
	struct waiting behind[3];
	struct job job = JOB;
	int had;

	(void)state;
	begins(&job, b, raw, 3);
	for (int i = 0; i < 3; i++) {
		waiting_start(&behind[i], c, (const char *[]){"a", "b", "c"}[i]);
		wait_until(rows(raw) == 4 + i);
	}
	for (int i = 0; i < 3; i++)
		give(held[i]);
	pthread_join(job.thread, NULL);
	assert_int_equal(job.rc, 0);
	got = job.lock;
	had = dblock_name(got)[0] - 'a';
	for (int i = 0; i < 3; i++) {
		if (i != had)
			give(waiting_join(&behind[i]));
	}
	give(got);
	give(waiting_join(&behind[had]));
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	dblock_close(c, NULL);
}

static int is_stopped(void *arg)
{
	return *(_Atomic bool *)arg;
}

static void out_of_time_or_canceled(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *held[3] = {take(a, "a"), take(a, "b"), take(a, "c")};
	struct raw *raw = raw_open(NULL);
	_Atomic bool stop = false;
	struct job brief = JOB, stopped = JOB;
	struct dblock_error err;

	(void)state;
	brief.how.wait_ms = 300;
	brief.client = b;
	wait_for_any(&brief);
	err = brief.err;
	assert_int_equal(brief.rc, DBLOCK_TIMEOUT);
	message_has("'a' is held by");
	message_has("nor is another one of 'a, b, c' to be had");
	assert_int_equal(rows(raw), 0);
	stopped.how.canceled = is_stopped;
	stopped.how.canceled_arg = &stop;
	begins(&stopped, b, raw, 3);
	stop = true;
	pthread_join(stopped.thread, NULL);
	assert_int_equal(stopped.rc, DBLOCK_CANCELED);
	assert_int_equal(rows(raw), 0);
	for (int i = 0; i < 3; i++)
		give(held[i]);
	give(any(b, "c"));
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* Leases, permits, shared: as each name says; and it is a handle like any other. */
static void with_modes_and_a_lease(void **state)
{
	static const struct dblock_lock_spec mixed[] = {
		{.name = "pool", .mode = DBLOCK_PERMITS, .permits = 2, .capacity = 3},
		{.name = "read", .mode = DBLOCK_SHARED}};
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *one, *two, *alone;
	struct dblock_error err = {0};

	(void)state;
	lease.lease_ms = 3600 * 1000;
	expect(OK, dblock_acquire_any(a, mixed, 2, NULL, &one, &err));
	assert_string_equal(dblock_name(one), "pool");
	expect(OK, dblock_acquire_any(b, mixed, 2, &lease, &two, &err));
	assert_string_equal(dblock_name(two), "read");
	assert_int_equal(dblock_mode_of(two), DBLOCK_SHARED);
	expect(OK, dblock_extend(two, 7200 * 1000, &err));
	give(one);
	give(two);
	alone = take(a, "a");
	two = take(a, "b");
	one = take(a, "c");
	{
		struct raw *raw = raw_open(NULL);
		struct job job = JOB;

		job.how.lease_ms = 3600 * 1000;
		job.how.value = "mine";
		begins(&job, b, raw, 3);
		give(two);
		two = gets(&job, "b");
		assert_string_equal(show(a, "b").value, "mine");
		assert_int_equal(show(a, "b").h.hold, DBLOCK_HOLD_LEASE);
		expect(OK, dblock_extend(two, 7200 * 1000, &err));
		raw_close(raw);
	}
	give(one);
	give(two);
	give(alone);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void bad_wishes(void **state)
{
	static const struct dblock_lock_spec twice[] = {{.name = "a"}, {.name = "a"}},
					     pool[] = {{.name = "p",
							.mode = DBLOCK_PERMITS,
							.permits = 1,
							.capacity = 1},
						       {.name = "q"}};
	struct dblock_acquire_options unfair = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_lock *held = take(client, "a"), *lock, *two[2];
	struct dblock_error err = {0};

	(void)state;
	unfair.unfair = true;
	expect(E_INVALID, dblock_acquire_any(client, twice, 2, NULL, &lock, &err));
	message_has("twice");
	expect(E_INVALID, dblock_acquire_any(client, abc, 0, NULL, &lock, &err));
	expect(E_INVALID, dblock_acquire_any(client, NULL, 1, NULL, &lock, &err));
	expect(E_INVALID, dblock_acquire_any(client, abc, 3, &unfair, &lock, &err));
	message_has("unfair");
	expect(E_INVALID, dblock_try_any(client, abc, 3, NULL, &lock, &err));
	message_has("'a'");
	message_has("holds it already");
	give(held);
	expect(OK, dblock_acquire_any(client, abc, 1, NULL, &lock, &err));
	give(lock);
	/* One that is in use as something else: told, and nothing is kept of the others. */
	two[0] = take(other, "p");
	two[1] = take(other, "q");
	expect(E_INVALID, dblock_acquire_any(client, pool, 2, NULL, &lock, &err));
	message_has("'p' is in use as a lock without permits");
	give(two[0]);
	give(two[1]);
	is_free(client, "q");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_is_free),
		cmocka_unit_test(the_first_to_be_given_back),
		cmocka_unit_test(in_line_with_single_waits),
		cmocka_unit_test(granted_between_two_looks),
		cmocka_unit_test(what_it_leaves_goes_on),
		cmocka_unit_test(out_of_time_or_canceled),
		cmocka_unit_test(with_modes_and_a_lease),
		cmocka_unit_test(bad_wishes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
