/* SPDX-License-Identifier: MIT */
/* Assertions that fail, and what src/base asserts: mutexes, and the moves of a state table. */
#include "support/death.h"

#include "base/assert.h"
#include "base/env.h"
#include "base/sm.h"
#include "base/thread.h"

/* ---- the macro ------------------------------------------------------------------------------- */

static int three = 3;

static void break_an_inequality(void)
{
	DBL_ASSERT(three < 3, "three is %d of %s", three, "them");
}

static void it_says_where_and_why_and_aborts(void **state)
{
	char text[1000];

	(void)state;
#ifdef DBLOCK_ASSERT
	assert_int_equal(WTERMSIG(death_see(break_an_inequality, text, sizeof(text))), SIGABRT);
	assert_non_null(strstr(text, "test_assert.c:"));
	assert_non_null(strstr(text, "break_an_inequality(): assertion failed: three < 3; "
				     "three is 3 of them\n"));
#else
	assert_int_equal(death_see(break_an_inequality, text, sizeof(text)), 0);
	assert_string_equal(text, "");
#endif
}

/* ---- mutexes --------------------------------------------------------------------------------- */

static struct dbl_mutex mutex;
static struct dbl_cond cond;

static void lock_twice(void)
{
	dbl_lock(&mutex);
	dbl_lock(&mutex);
}

static void unlock_what_is_not_locked(void)
{
	dbl_unlock(&mutex);
}

static void *lock_it(void *unused)
{
	dbl_lock(&mutex);
	return unused;
}

static void unlock_anothers(void)
{
	struct dbl_thread other;

	dbl_thread_start(&other, lock_it, NULL);
	dbl_thread_join(&other);
	dbl_unlock(&mutex);
}

static void wait_without_it(void)
{
	dbl_cond_wait(&cond, &mutex, dbl_env_system(), 0);
}

static void destroy_it_locked(void)
{
	dbl_lock(&mutex);
	dbl_mutex_fini(&mutex);
}

/* Only our own mutexes may write who has them. */
static void take_it_from_another(void)
{
	struct dbl_thread other;

	dbl_thread_start(&other, lock_it, NULL);
	dbl_thread_join(&other);
	dbl_mutex_note_taken(&mutex);
}

static const struct death of_mutexes[] = {
	{"dbl_lock", "dbl_mutex_owner(m) != dbl_thread_id()", lock_twice},
	{"dbl_mutex_note_given_up", "dbl_mutex_owner(m) == dbl_thread_id()",
	 unlock_what_is_not_locked},
	{"dbl_mutex_note_given_up", "dbl_mutex_owner(m) == dbl_thread_id()", unlock_anothers},
	{"dbl_cond_wait", "dbl_mutex_owner(m) == dbl_thread_id()", wait_without_it},
	{"dbl_mutex_fini", "dbl_mutex_owner(m) == 0", destroy_it_locked},
	{"dbl_mutex_note_taken", "dbl_mutex_owner(m) == 0", take_it_from_another},
	{0},
};

static void mutexes(void **state)
{
	(void)state;
	assert_int_equal(dbl_mutex_init(&mutex), 0);
	assert_int_equal(dbl_cond_init(&cond), 0);
	assert_deaths(of_mutexes);
}

/* ---- state tables ---------------------------------------------------------------------------- */

enum { RED, GREEN, YELLOW };

static const struct dbl_state lights[] = {
	[RED] = {"RED", DBL_TO(GREEN)},
	[GREEN] = {"GREEN", DBL_TO(YELLOW)},
	[YELLOW] = {"YELLOW", DBL_TO(RED)},
};

static void move_where_there_is_no_way(void)
{
	struct dbl_sm sm;

	dbl_sm_init(&sm, lights, RED);
	(void)dbl_sm_move(&sm, YELLOW, NULL);
}

static const struct death of_moves[] = {
	{"dbl_sm_refuse", "false; from RED to YELLOW", move_where_there_is_no_way},
	{0},
};

static void an_illegal_move_ends_the_process(void **state)
{
	(void)state;
	assert_deaths(of_moves);
}

/* These calls may fail, as another thread may have been faster. */
static void a_try_is_no_error(void **state)
{
	struct dbl_sm sm;

	(void)state;
	dbl_sm_init(&sm, lights, RED);
	assert_false(dbl_sm_try(&sm, YELLOW));
	assert_int_equal(dbl_sm_now(&sm), RED);
	assert_true(dbl_sm_try(&sm, GREEN));
	assert_int_equal(dbl_sm_move(&sm, YELLOW, NULL), 0);
	assert_int_equal(dbl_sm_now(&sm), YELLOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_where_and_why_and_aborts),
		cmocka_unit_test(mutexes),
		cmocka_unit_test(an_illegal_move_ends_the_process),
		cmocka_unit_test(a_try_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
