/* SPDX-License-Identifier: MIT */
/*
 * Processes take of the same rates, all at once and again and again, and note between which two times by the database's
 * clock, which is this machine's, each was allowed. Then in no window more than rate x time + burst were, of those that
 * lie in it wholly. What does not keep to that is found: a take that reads first and writes then, and windows that are
 * counted from their edges.
 */
#include <dblock/rate.h>

#include <sys/mman.h>

#include "base/env.h"
#include "support/scene.h"

enum { PROCESSES = 4, LEAST_MS = 1500, ROOM = 20000 };

#define SECOND_US 1000000LL

static const struct limit {
	const char *name;
	int64_t rate, burst, n, wait_ms;
} limits[] = {
	{"one", 200, 20, 1, 0},
	{"three", 250, 7, 3, 0},
	{"booked", 150, 3, 1, 100},
};

enum { LIMITS = sizeof(limits) / sizeof(*limits) };

/* ---- the history ----------------------------------------------------------------------------- */

struct grant {
	int64_t lo, hi, n; /* its turn came between these, us; and how many */
};

static struct history {
	_Atomic int count;
	struct grant grant[ROOM];
} * histories; /* of each limit; shared by all processes */

static _Atomic int *problems;

static void add(int i, int64_t lo, int64_t hi, int64_t n)
{
	int at = histories[i].count++;

	if (at < ROOM)
		histories[i].grant[at] = (struct grant){lo, hi, n};
}

static int by_hi(const void *a, const void *b)
{
	const struct grant *x = a, *y = b;

	return (x->hi > y->hi) - (x->hi < y->hi);
}

/* Is there a window with more than its rate allows? */
static bool is_exceeded(int i)
{
	struct history *h = &histories[i];
	const struct limit *l = &limits[i];

	assert_true(h->count <= ROOM);
	qsort(h->grant, (size_t)h->count, sizeof(h->grant[0]), by_hi);
	for (int a = 0; a < h->count; a++) {
		int64_t n = 0, from = h->grant[a].lo;

		for (int k = 0; k < h->count; k++) {
			if (h->grant[k].lo < from)
				continue;
			n += h->grant[k].n;
			if ((n - l->burst) * SECOND_US > l->rate * (h->grant[k].hi - from + 1))
				return true;
		}
	}
	return false;
}

static int64_t taken_of(int i)
{
	return histories[i].count * limits[i].n;
}

static int share(void **state)
{
	size_t size = LIMITS * sizeof(*histories) + sizeof(*problems);
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	histories = shared;
	problems = (void *)(histories + LIMITS);
	return shared == MAP_FAILED;
}

/* A process forks with no file of SQLite's open. */
static void forget_all(void)
{
	struct raw *raw;

	dblock_close(client_new(0), NULL); /* dblock's own tables */
	raw = raw_open(NULL);
	raw_exec(raw, "DELETE FROM dblock_rate");
	raw_close(raw);
	for (int i = 0; i < LIMITS; i++)
		histories[i].count = 0;
}

/* ---- the processes --------------------------------------------------------------------------- */

static int64_t wall_us(void)
{
	return dbl_clock_read(CLOCK_REALTIME);
}

static void problem(const char *what, const struct dblock_error *err)
{
	++*problems;
	fprintf(stderr, "%s: %s: %s\n", what, dblock_outcome_name(err->code), err->message);
}

static void take_of(struct dblock_client *client, int i)
{
	const struct limit *l = &limits[i];
	struct dblock_rate_options options = DBLOCK_RATE_OPTIONS_INIT;
	struct dblock_rate_state found = DBLOCK_RATE_STATE_INIT;
	struct dblock_error err = {0};
	int64_t begun = clock_ms(), lo = wall_us();
	int rc;

	options.wait_ms = l->wait_ms;
	rc = dblock_rate_take(client, l->name, l->rate, l->burst, l->n, &options, &found, &err);
	/* It is back when its turn has come, so that was before now. */
	if (rc == DBLOCK_OK)
		add(i, lo + found.wait_us, wall_us(), l->n);
	else if (rc != DBLOCK_BUSY && rc != DBLOCK_TIMEOUT)
		problem(l->name, &err);
	/* Rounded to ms, both. */
	if (rc == DBLOCK_OK && clock_ms() - begun < found.wait_us / 1000)
		problem("did not wait for its turn", &err);
}

/* All come at one time, again and again: so bursts meet. */
static void sleep_until_all_come(void)
{
	sleep_ms(50 - clock_ms() % 50);
}

static bool is_enough(int64_t begun)
{
	bool enough = clock_ms() - begun >= LEAST_MS;

	for (int i = 0; i < LIMITS; i++)
		enough = enough && taken_of(i) >= 3 * limits[i].burst;
	return enough || clock_ms() - begun > PLENTY_MS;
}

static void take_all(void)
{
	struct dblock_client *client = client_new(0);
	int64_t begun = clock_ms();

	while (!is_enough(begun)) {
		for (int k = 0; k < 30; k++)
			take_of(client, k % 10 ? 0 : 1);
		take_of(client, 2);
		sleep_until_all_come();
	}
	dblock_close(client, NULL);
}

/* Naive: it reads how much is used, and writes what it makes of that. */
static void take_naively(void)
{
	const struct limit *l = &limits[0];
	struct raw *raw = raw_open(NULL);
	int64_t begun = clock_ms();

	while (clock_ms() - begun < LEAST_MS / 3) {
		int64_t lo = wall_us();
		int64_t level = raw_int(raw,
					"SELECT level - ({now} - taken_at) * 1000 FROM dblock_rate "
					"WHERE name = '%s'",
					l->name);

		level = (level > 0 ? level : 0) + SECOND_US * 1000 / l->rate;
		if (level > l->burst * SECOND_US * 1000 / l->rate)
			sleep_until_all_come();
		else if (raw_try_exec(raw,
				      "UPDATE dblock_rate SET level = %lld, taken_at = {now} "
				      "WHERE name = '%s'",
				      (long long)level, l->name) == 0)
			add(0, lo, wall_us(), 1);
	}
	raw_close(raw);
}

static void play(void (*body)(void))
{
	pid_t pids[PROCESSES];

	fflush(NULL);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			body();
			_exit(0);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void never_more_than_rate_and_burst(void **state)
{
	(void)state;
	forget_all();
	play(take_all);
	assert_int_equal(*problems, 0);
	for (int i = 0; i < LIMITS; i++) {
		print_message("%s: %d takes\n", limits[i].name, histories[i].count);
		assert_true(taken_of(i) >= 3 * limits[i].burst);
		assert_false(is_exceeded(i));
	}
}

static void a_naive_take_is_found(void **state)
{
	int64_t until = clock_ms() + PLENTY_MS;
	bool found = false;

	(void)state;
	while (!found && clock_ms() < until) {
		struct raw *raw;

		forget_all();
		raw = raw_open(NULL);
		raw_exec(raw, "INSERT INTO dblock_rate VALUES ('%s', 0, {now}, 1, 1, 1, 1)",
			 limits[0].name);
		raw_close(raw);
		play(take_naively);
		found = is_exceeded(0);
	}
	assert_true(found);
}

static void takes(int64_t ms, int64_t n)
{
	add(0, ms * 1000, ms * 1000, n);
}

/* 20 at once, and 200 a second. */
static void what_is_too_much_is_found(void **state)
{
	(void)state;
	histories[0].count = 0;
	takes(1000, 20);
	takes(1005, 1);
	takes(1010, 1);
	assert_false(is_exceeded(0));
	takes(1014, 1); /* a millisecond too early */
	assert_true(is_exceeded(0));
	/* Windows of a second, each with what it may. */
	histories[0].count = 0;
	for (int i = 0; i < 20; i++)
		takes(990, 1);
	assert_false(is_exceeded(0));
	for (int i = 0; i < 20; i++)
		takes(1010, 1);
	assert_true(is_exceeded(0));
	/* Who has yet to come may have been before. */
	histories[0].count = 0;
	takes(1000, 20);
	add(0, 1001000, 1100000, 20);
	assert_false(is_exceeded(0));
	takes(1100, 1);
	assert_true(is_exceeded(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_too_much_is_found),
		cmocka_unit_test(never_more_than_rate_and_burst),
		cmocka_unit_test(a_naive_take_is_found),
	};

	return cmocka_run_group_tests(tests, share, NULL);
}
