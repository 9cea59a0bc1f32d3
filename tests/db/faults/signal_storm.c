/* SPDX-License-Identifier: MIT */
/* A thousand signals a second change nothing: no outcome, no wait. */
#include <stdatomic.h>
#include <sys/time.h>

#include "support/kit.h"

static int ignore(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 0;
}

static atomic_int alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

/* Sends a signal each millisecond to the process, for whatever thread takes it; system calls are
 * not restarted. */
static void storm_begin(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval each = {{0, 1000}, {0, 1000}};

	alarms = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
}

static void storm_end(void)
{
	struct itimerval none = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_DFL);
}

/* Does in turn what most programs do. */
static void work(struct dblock_client *client, struct dblock_client *other)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = 600000;
	expect(OK, dblock_acquire(client, "storm", &options, &lock, &err));
	busy(other, "storm");
	expect(OK, dblock_extend(lock, 600000, &err));
	expect(OK, dblock_list(client, NULL, ignore, NULL, &err));
	give(lock);
	is_free(other, "storm");
}

static void a_storm_changes_no_outcome(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	int64_t give_up = clock_ms() + PLENTY_MS;

	(void)state;
	storm_begin();
	while (alarms < 500) {
		struct dblock_client *third;

		for (int i = 0; i < 10; i++)
			work(client, other);
		third = client_new(0);
		is_free(third, "third");
		dblock_close(third, NULL);
		assert_true(clock_ms() < give_up);
	}
	storm_end();
	dblock_close(other, NULL);
	dblock_close(client, NULL);
}

struct giver {
	struct dblock_lock *lock;
	int after_alarms;
	_Atomic int problems;
};

static void *give_later(void *arg)
{
	struct giver *giver = arg;
	struct dblock_error err = {0};
	int64_t give_up = clock_ms() + PLENTY_MS / 2;

	while (alarms < giver->after_alarms && clock_ms() < give_up)
		sleep_ms(5);
	if (dblock_release(giver->lock, &err))
		note_problem(&giver->problems, "release", &err);
	return NULL;
}

/* The end of the wait comes neither too early, nor never. */
static void a_storm_does_not_end_a_wait(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct giver giver = {.lock = take(client, "x")};
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct crew crew = {.n = 0};
	int64_t begun = clock_ms();

	(void)state;
	storm_begin();
	options.wait_ms = 500;
	expect(TIMEOUT, dblock_acquire(other, "x", &options, &lock, &err));
	assert_true(clock_ms() - begun >= 500);
	giver.after_alarms = alarms + 100;
	crew_add(&crew, give_later, &giver);
	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(other, "x", &options, &lock, &err));
	crew_join(&crew);
	storm_end();
	assert_int_equal(giver.problems, 0);
	assert_true(alarms >= giver.after_alarms);
	give(lock);
	dblock_close(other, NULL);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_changes_no_outcome),
		cmocka_unit_test(a_storm_does_not_end_a_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
