/* SPDX-License-Identifier: MIT */
/* Threads that do jobs: each once, those of one key in their order, and never two of these at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sched.h>

#include "base/workers.h"

enum { KEYS = 3, EACH = 200, JOBS = KEYS * EACH };

struct counted {
	struct dbl_job job; /* first */
	int key, number;
};

static struct counted jobs[JOBS];
static int keys[KEYS];
static _Atomic int inside[KEYS], last[KEYS], done, wrong;
static _Atomic bool is_open, reached;

static void count(struct dbl_job *job)
{
	struct counted *c = (struct counted *)job;

	wrong += inside[c->key]++ != 0;
	wrong += last[c->key]++ != c->number;
	sched_yield();
	inside[c->key]--;
	done++;
}

static void each_key_keeps_its_order(void **state)
{
	struct dbl_workers *w = dbl_workers_new(dbl_env_system());

	(void)state;
	assert_non_null(w);
	for (int i = 0; i < JOBS; i++) {
		jobs[i] = (struct counted){
			.job = {.run = count, .key = &keys[i % KEYS]},
			.key = i % KEYS,
			.number = i / KEYS,
		};
		dbl_workers_add(w, &jobs[i].job);
	}
	/* The end waits for what is left. */
	dbl_workers_free(w);
	assert_int_equal(done, JOBS);
	assert_int_equal(wrong, 0);
}

static void stand(struct dbl_job *job)
{
	(void)job;
	reached = true;
	while (!is_open)
		sched_yield();
}

static void open_it(struct dbl_job *job)
{
	(void)job;
	is_open = true;
}

/* Naive: one thread, and all wait for the job that lasts; or the next one of its key waits for a thread
 * that another one could have. */
static void one_that_lasts_keeps_only_its_key_waiting(void **state)
{
	struct dbl_workers *w = dbl_workers_new(dbl_env_system());
	struct dbl_job lasts = {.run = stand, .key = &keys[0]};
	struct counted next[2] = {{.job = {.run = count, .key = &keys[0]}, .number = EACH},
				  {.job = {.run = count, .key = &keys[0]}, .number = EACH + 1}};
	struct dbl_job opens = {.run = open_it};

	(void)state;
	assert_non_null(w);
	done = 0;
	dbl_workers_add(w, &lasts);
	while (!reached)
		sched_yield();
	dbl_workers_add(w, &next[0].job);
	dbl_workers_add(w, &next[1].job);
	dbl_workers_add(w, &opens);
	dbl_workers_free(w);
	assert_int_equal(done, 2);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_keeps_its_order),
		cmocka_unit_test(one_that_lasts_keeps_only_its_key_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
