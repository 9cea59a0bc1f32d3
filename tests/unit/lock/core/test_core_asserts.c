/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/core. */
#include "unit/lock/asserts_kit.h"

#include "lock/core/make_durable.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"

static struct dbl_cond cond;
static struct dbl_sleeper sleeper = {.cond = &cond};

static void ask_the_caller_under_the_mutex(void)
{
	const struct dbl_acquire_spec spec = {.name = "a"};

	dbl_lock(&locks.mutex);
	(void)dbl_is_canceled(&locks, &spec);
}

static void add_a_sleeper_without_the_mutex(void)
{
	dbl_sleeper_add(&locks, &sleeper);
}

static void add_it_twice(void)
{
	dbl_lock(&locks.mutex);
	dbl_sleeper_add(&locks, &sleeper);
	dbl_sleeper_add(&locks, &sleeper);
}

static void remove_it_without_the_mutex(void)
{
	dbl_lock(&locks.mutex);
	dbl_sleeper_add(&locks, &sleeper);
	dbl_unlock(&locks.mutex);
	dbl_sleeper_remove(&locks, &sleeper);
}

static void remove_one_that_is_not_there(void)
{
	dbl_lock(&locks.mutex);
	dbl_sleeper_remove(&locks, &sleeper);
}

static void wake_without_the_mutex(void)
{
	dbl_sleepers_wake(&locks);
}

static void go_out_without_being_inside(void)
{
	struct dbl_locks *outside = &locks;

	dbl_go_out(&outside);
}

static void send_with_no_time(void)
{
	locks.timeout = 0;
	(void)dbl_locks_deadline(&locks);
}

static void relax_without_a_steady_link(void)
{
	target.durability = DBLOCK_RELAXED;
	(void)dbl_durable_link(&locks, true);
}

static void sleep_under_the_mutex(void)
{
	dbl_lock(&locks.mutex);
	(void)dbl_pause_before_retry(&locks, DBL_NEVER);
}

static void copy_into_nothing(void)
{
	const struct dbl_value text = dbl_text("a");
	char nothing[1];

	dbl_copy_text(nothing, 0, &text);
}

static const struct death deaths[] = {
	{"dbl_is_canceled", "!= dbl_thread_id()", ask_the_caller_under_the_mutex},
	{"dbl_sleeper_add", "== dbl_thread_id()", add_a_sleeper_without_the_mutex},
	{"dbl_sleeper_add", "locks->sleepers != sleeper", add_it_twice},
	{"dbl_sleeper_remove", "== dbl_thread_id()", remove_it_without_the_mutex},
	{"dbl_sleeper_remove", "*at", remove_one_that_is_not_there},
	{"dbl_sleepers_wake", "== dbl_thread_id()", wake_without_the_mutex},
	{"dbl_go_out", "inside) > 0", go_out_without_being_inside},
	{"dbl_locks_deadline", "locks->timeout > 0", send_with_no_time},
	{"dbl_durable_link", "durability == DBLOCK_RELAXED) ==", relax_without_a_steady_link},
	{"dbl_pause_before_retry", "!= dbl_thread_id()", sleep_under_the_mutex},
	{"dbl_copy_text", "size > 0", copy_into_nothing},
	{0},
};

static void nothing_more(void)
{
}

ASSERTS_MAIN(nothing_more, deaths)
