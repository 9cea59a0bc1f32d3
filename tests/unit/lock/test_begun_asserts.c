/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of waits in steps. */
#include "unit/lock/handle_kit.h"

#include "lock/begun_calls.h"
#include "lock/cache/cache.h"

static struct dbl_acquire_spec spec = {.name = "a", .weight = 1, .wait_until = DBL_NEVER};

static void set_up(void)
{
	kit_begin_handles();
	locks.cache = dbl_cache_new();
}

static struct dblock_wait *begun(void)
{
	struct dblock_wait *wait;

	assert_int_equal(dbl_acquire_begin(&locks, &spec, &wait, NULL), 0);
	return wait;
}

static void end_one_that_is_not_there(void)
{
	struct dblock_wait *wait = begun();

	locks.begun = NULL;
	dbl_begun_end(wait);
}

static void have_an_outcome_while_nobody_works(void)
{
	struct dblock_wait *wait = begun();

	atomic_store(&wait->canceled, true);
	wait->kind->cancel(wait);
	wait->job.run(&wait->job);
}

static void wake_all_without_the_mutex(void)
{
	dbl_begun_wake_all(&locks);
}

static void any_without_the_mutex(void)
{
	(void)dbl_begun_any(&locks);
}

static const struct death deaths[] = {
	{"take_out", "*at", end_one_that_is_not_there},
	{"leave_outcome", "w->busy", have_an_outcome_while_nobody_works},
	{"dbl_begun_wake_all", "== dbl_thread_id()", wake_all_without_the_mutex},
	{"dbl_begun_any", "== dbl_thread_id()", any_without_the_mutex},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
