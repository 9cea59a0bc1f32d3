/* SPDX-License-Identifier: MIT */
/* Any one of several locks. */
#include "db/lock/wait/any_kit.h"
#include "support/spy.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_is_free),
		cmocka_unit_test(the_first_to_be_given_back),
		cmocka_unit_test(in_line_with_single_waits),
		cmocka_unit_test(granted_between_two_looks),
		cmocka_unit_test(what_it_leaves_goes_on),
		cmocka_unit_test(out_of_time_or_canceled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
