/* SPDX-License-Identifier: MIT */
/* Handles and the threads that come and go: one that has ended leaves its locks to the others; one
 * that is cancelled ends after the call that it is in, with what that returned in its hands. */
#include <stdatomic.h>

#include "support/kit.h"

struct errand {
	struct dblock_client *client;
	struct dblock_lock *lock, *lease;
	_Atomic int problems;
};

static void *take_and_end(void *arg)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct errand *e = arg;
	struct dblock_error err = {0};

	options.lease_ms = 600000;
	if (dblock_try(e->client, "x", NULL, &e->lock, &err) ||
	    dblock_try(e->client, "lease", &options, &e->lease, &err))
		note_problem(&e->problems, "try", &err);
	return NULL;
}

static void on_a_thread(void *(*body)(void *), struct errand *e)
{
	struct crew crew = {.n = 0};

	crew_add(&crew, body, e);
	crew_join(&crew);
	assert_int_equal(e->problems, 0);
}

/* New threads get the ids, and the stacks, of those that have ended: they do not re-enter. */
static void *find_busy(void *arg)
{
	struct errand *e = arg;
	struct dblock_error err = {.code = DBLOCK_OK};
	struct dblock_lock *lock;

	if (dblock_try(e->client, "x", NULL, &lock, &err) != DBLOCK_BUSY)
		note_problem(&e->problems, "try of another's", &err);
	return NULL;
}

static void *release_it(void *arg)
{
	struct errand *e = arg;
	struct dblock_error err = {0};

	if (dblock_release(e->lock, &err))
		note_problem(&e->problems, "release of another's", &err);
	return NULL;
}

static void an_ended_thread_leaves_its_locks_to_others(void **state)
{
	struct dblock_client *other = client_new(0);
	struct errand e = {.client = client_new(0)};
	struct dblock_error err = {0};
	int fd = -1;

	(void)state;
	on_a_thread(take_and_end, &e);
	assert_true(dblock_valid(e.lock, 0));
	assert_true(dblock_valid(e.lease, 0));
	busy(other, "x");
	for (int i = 0; i < 20; i++)
		on_a_thread(find_busy, &e);
	expect(OK, dblock_lost_fd(e.lock, &fd, &err));
	expect(OK, dblock_extend(e.lease, 700000, &err));
	on_a_thread(release_it, &e);
	give(e.lease);
	is_free(other, "x");
	is_free(other, "lease");
	dblock_close(e.client, NULL);
	dblock_close(other, NULL);
}

static void close_takes_what_ended_threads_left(void **state)
{
	struct dblock_client *other = client_new(0);
	struct errand e = {.client = client_new(0)};

	(void)state;
	on_a_thread(take_and_end, &e);
	dblock_close(e.client, NULL);
	is_free(other, "x");
	dblock_close(other, NULL);
}

/* ---- cancellation --------------------------------------------------------------------------- */

/* What a thread does that has been cancelled before it begins: all of it, since it never comes to a
 * point at which it would end. */
struct canceled {
	struct dblock_client *client;
	const char *doing;
	struct dblock_error err;
	_Atomic bool done, went_on;
};

static int ignore(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 0;
}

static int ignore_migration(void *arg, const struct dblock_migration *migration)
{
	(void)arg;
	(void)migration;
	return 0;
}

static int ignore_finding(void *arg, const struct dblock_finding *finding)
{
	(void)arg;
	(void)finding;
	return 0;
}

/* The call that went wrong stays in c->doing. */
#define must(call)                                                                                 \
	do {                                                                                       \
		c->doing = #call;                                                                  \
		if (call)                                                                          \
			return;                                                                    \
	} while (0)

static void use_locks(struct canceled *c)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error *err = &c->err;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_lock *lock;

	options.lease_ms = 600000;
	must(dblock_try(c->client, "x", &options, &lock, err));
	must(dblock_extend(lock, 600000, err));
	must(dblock_extend_token(c->client, "x", dblock_token(lock), 600000, err));
	must(dblock_list(c->client, NULL, ignore, NULL, err));
	must(dblock_show(c->client, "x", ignore, NULL, err));
	must(dblock_release(lock, err));
	must(dblock_acquire(c->client, "x", &options, &lock, err));
	must(dblock_release_token(c->client, "x", dblock_token(lock), err));
	must(dblock_try(c->client, "y", NULL, &lock, err));
	must(break_by_force(c->client, "y", 0, 0, err));
	must(dblock_reap(c->client, NULL, &reaped, err));
	c->done = true;
}

static void use_databases(struct canceled *c)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error *err = &c->err;
	struct dblock_client *client;

	options.timeout_ms = PLENTY_MS;
	must(dblock_migrate_up(test_url(), &options, NULL, NULL, NULL, err));
	must(dblock_migrate_status(test_url(), &options, NULL, ignore_migration, NULL, err));
	must(dblock_doctor(test_url(), &options, ignore_finding, NULL, err));
	must(dblock_open(test_url(), &options, &client, err));
	c->doing = "dblock_close()";
	dblock_close(client, NULL);
	use_locks(c);
}

static void *canceled_body(void *arg)
{
	struct canceled *c = arg;

	pthread_cancel(pthread_self());
	use_databases(c);
	pthread_testcancel();
	c->went_on = true;
	return NULL;
}

static void no_call_is_a_cancellation_point(void **state)
{
	struct dblock_client *client = client_new(0);
	struct canceled c = {.client = client, .doing = "nothing"};
	struct crew crew = {.n = 0};

	(void)state;
	crew_add(&crew, canceled_body, &c);
	crew_join(&crew);
	if (!c.done)
		fail_msg("%s: %s", c.doing, c.err.message);
	assert_false(c.went_on);
	is_free(client, "x");
	is_free(client, "y");
	dblock_close(client, NULL);
}

/* Who has turned cancellation off finds it so. */
static void the_state_is_given_back(void **state)
{
	struct dblock_client *client = client_new(0);
	int before;

	(void)state;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	is_free(client, "x");
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
	assert_int_equal(before, PTHREAD_CANCEL_DISABLE);
	is_free(client, "x");
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
	assert_int_equal(before, PTHREAD_CANCEL_ENABLE);
	dblock_close(client, NULL);
}

static _Atomic int asked;

static int count_asked(void *arg)
{
	(void)arg;
	asked++;
	return 0;
}

static void release_at_end(void *arg)
{
	struct dblock_lock **lock = arg;

	if (*lock)
		dblock_release(*lock, NULL);
}

/* Waits, and tidies up as POSIX would have it. */
static void *wait_and_tidy(void *arg)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct canceled *c = arg;
	struct dblock_lock *lock = NULL;

	options.canceled = count_asked;
	pthread_cleanup_push(release_at_end, &lock);
	c->done = dblock_acquire(c->client, "x", &options, &lock, &c->err) == DBLOCK_OK;
	pthread_testcancel();
	c->went_on = true;
	pthread_cleanup_pop(0);
	return NULL;
}

static void a_canceled_wait_leaks_no_grant(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_lock *lock = take(other, "x");
	struct canceled c = {.client = client};
	pthread_t thread;
	void *result;

	(void)state;
	asked = 0;
	assert_int_equal(pthread_create(&thread, NULL, wait_and_tidy, &c), 0);
	while (asked < 3)
		sleep_ms(1);
	pthread_cancel(thread);
	give(lock);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_true(c.done);
	assert_false(c.went_on);
	/* Nothing is held, no mutex is locked. */
	is_free(other, "x");
	is_free(client, "x");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ended_thread_leaves_its_locks_to_others),
		cmocka_unit_test(close_takes_what_ended_threads_left),
		cmocka_unit_test(no_call_is_a_cancellation_point),
		cmocka_unit_test(the_state_is_given_back),
		cmocka_unit_test(a_canceled_wait_leaks_no_grant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
