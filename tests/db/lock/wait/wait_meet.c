/* SPDX-License-Identifier: MIT */
/*
 * Cancel, timeout and hand-over come at the same instant, some hundred times: the outcome is one of
 * them, the next waiter gets the lock, and in the end it is free and the queue is empty.
 */
#include "support/raw.h"
#include "support/steps.h"

enum { ROUNDS = 250, MEET_US = 4000, SPREAD_US = 3000 };

struct meeting {
	struct dblock_client *holder, *waiter;
	struct raw *raw;
	uint64_t chance;
	_Atomic int problems;
	int outcomes[8];
	/* For this round: */
	struct dblock_wait *wait, *next;
	int64_t cancel_at, release_at; /* us */
	struct dblock_lock *held;
};

/* The numbers need not be good: the same offsets every time would do. */
static int64_t offset(struct meeting *m)
{
	m->chance = m->chance * 6364136223846793005U + 1442695040888963407U;
	return MEET_US - SPREAD_US + (int64_t)((m->chance >> 33) % (2 * SPREAD_US));
}

static int64_t clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void sleep_until(int64_t at)
{
	struct timespec t = {.tv_sec = at / 1000000, .tv_nsec = at % 1000000 * 1000};

	while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL))
		;
}

static void *canceler(void *arg)
{
	struct meeting *m = arg;

	sleep_until(m->cancel_at);
	dblock_wait_cancel(m->wait);
	return NULL;
}

static void *releaser(void *arg)
{
	struct meeting *m = arg;
	struct dblock_error err = {0};

	sleep_until(m->release_at);
	if (dblock_release(m->held, &err))
		note_problem(&m->problems, "release", &err);
	return NULL;
}

/* The waiter behind gets the lock, whatever the outcome of the first. */
static void *successor(void *arg)
{
	struct meeting *m = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	if (dblock_wait_finish(m->next, &lock, &err) || dblock_release(lock, &err))
		note_problem(&m->problems, "successor", &err);
	return NULL;
}

static void nothing_is_left(struct meeting *m)
{
	assert_int_equal(m->problems, 0);
	is_free(m->holder, "x");
	assert_int_equal(raw_int(m->raw, "SELECT count(*) FROM dblock_queue w JOIN dblock_lock l "
					 "ON l.name = w.name WHERE w.ticket > l.served"),
			 0);
}

static int first_of_two(struct meeting *m)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc = drive(m->wait, &lock, &err);

	if (rc == DBLOCK_OK)
		give(lock);
	return rc;
}

static void play(struct meeting *m)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct crew crew = {.n = 0};
	int64_t now = clock_us();
	int outcome;

	m->held = take(m->holder, "x");
	options.wait_ms = 1 + offset(m) / 1000;
	m->wait = wait_begin_with(m->waiter, "x", &options);
	options.wait_ms = PLENTY_MS;
	m->next = wait_begin_with(m->waiter, "x", &options);
	m->cancel_at = now + offset(m);
	m->release_at = now + offset(m);
	crew_add(&crew, canceler, m);
	crew_add(&crew, releaser, m);
	crew_add(&crew, successor, m);
	outcome = first_of_two(m);
	/* A loaded machine may have no answer in the time that is left. */
	if (outcome == DBLOCK_E_NO_ANSWER)
		outcome = DBLOCK_TIMEOUT;
	assert_in_range(outcome, 0, sizeof(m->outcomes) / sizeof(m->outcomes[0]) - 1);
	m->outcomes[outcome]++;
	crew_join(&crew);
	dblock_wait_end(m->wait);
	dblock_wait_end(m->next);
}

static void it_comes_to_one_of_them(void **state)
{
	struct meeting m = {.holder = client_new(0), .waiter = client_new(0), .chance = 1};

	(void)state;
	m.raw = raw_open(NULL);
	for (int i = 0; i < ROUNDS; i++) {
		play(&m);
		nothing_is_left(&m);
	}
	print_message("granted %d, timeout %d, canceled %d\n", m.outcomes[DBLOCK_OK],
		      m.outcomes[DBLOCK_TIMEOUT], m.outcomes[DBLOCK_CANCELED]);
	assert_int_equal(m.outcomes[DBLOCK_OK] + m.outcomes[DBLOCK_TIMEOUT] +
				 m.outcomes[DBLOCK_CANCELED],
			 ROUNDS);
	raw_close(m.raw);
	dblock_close(m.holder, NULL);
	dblock_close(m.waiter, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_comes_to_one_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
