/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/handle. */
#include "unit/lock/handle_kit.h"

#include "lock/handle/loss.h"

/* ---- one handle ------------------------------------------------------------------------------ */

static void free_what_is_out(void)
{
	dbl_handle_free(kit_held("a"));
}

static void free_the_first_that_is_not_first(void)
{
	struct dblock_lock *lock = kit_granted("a");

	locks.handles->all = kit_granted("b");
	lock->all_prev = NULL;
	dbl_handle_free(lock);
}

static void free_one_whose_next_does_not_know_it(void)
{
	struct dblock_lock *lock = kit_granted("a");

	kit_granted("b")->all_next = lock;
	lock = locks.handles->all;
	lock->all_next->all_prev = NULL;
	dbl_handle_free(lock);
}

static void live_by_nothing(void)
{
	struct dblock_lock *lock = kit_granted("a");

	lock->grant.epoch = NULL;
	(void)dbl_lock_validity(lock);
}

static void publish_what_was_not_granted(void)
{
	dbl_handle_publish(kit_new("a"));
}

static void publish_what_was_given_back(void)
{
	struct dblock_lock *lock = kit_granted("a");

	dbl_grant_done(lock);
	dbl_handle_publish(lock);
}

static void publish_what_nobody_has_acquired(void)
{
	struct dblock_lock *lock = kit_granted("a");

	lock->count = 0;
	dbl_handle_publish(lock);
}

static void enter_again_what_nobody_has(void)
{
	const struct dbl_acquire_spec spec = {.name = "a"};
	struct dblock_lock *lock;

	kit_held("a")->count = 0;
	(void)dbl_handle_own(&locks, &spec, dbl_owner_me(), &lock, NULL);
}

static void leave_more_often_than_entered(void)
{
	struct dblock_lock *lock = kit_held("a");

	(void)dbl_handle_leave(lock);
	(void)dbl_handle_leave(lock);
}

static void write_a_count_of_none(void)
{
	kit_held("a")->count = -1;
	dbl_handle_write_counts(&locks, &kit_link, DBL_NEVER);
}

static void swap_with_one_that_is_out(void)
{
	dbl_handle_swap(kit_held("a"), kit_held("a"));
}

static void swap_with_another_name(void)
{
	dbl_handle_swap(kit_held("a"), kit_granted("b"));
}

static void swap_for_an_older_token(void)
{
	dbl_handle_swap(kit_held("a"), kit_granted("a"));
}

/* ---- the table ------------------------------------------------------------------------------- */

static void be_out_twice(void)
{
	dbl_handle_publish(kit_held("a"));
}

static void add_before_one_that_is_not_first(void)
{
	kit_held("a")->before = NULL;
	kit_held("b");
}

static void hold_a_part_that_is_out_by_itself(void)
{
	struct dblock_lock *whole = kit_granted("a, b"), *part = kit_held("a");

	whole->parts = &part;
	whole->n_parts = 1;
	dbl_handle_publish(whole);
}

static void remove_a_name_that_is_not_there(void)
{
	struct dblock_lock *lock = kit_held("a");

	memset(locks.handles->held.few, 0, sizeof(locks.handles->held.few));
	(void)dbl_handle_leave(lock);
}

static void remove_one_that_its_list_does_not_know(void)
{
	struct dblock_lock *lock = kit_held("a");

	locks.handles->held.first = NULL;
	(void)dbl_handle_leave(lock);
}

static void remove_one_whose_next_does_not_know_it(void)
{
	struct dblock_lock *next = kit_held("a"), *lock = kit_held("b");

	next->before = &locks.handles->held.first;
	(void)dbl_handle_leave(lock);
}

static void find_one_that_is_not_out(void)
{
	struct dblock_lock *at = NULL;

	kit_held("a")->whole = kit_granted("a");
	dbl_lock(&locks.mutex);
	(void)dbl_handle_find(&locks, "a", &at);
}

static void replace_by_another_name(void)
{
	struct dblock_lock *lock = kit_held("a"), *other = kit_granted("b");

	dbl_lock(&locks.mutex);
	dbl_handle_replace(lock, other);
}

static void replace_without_the_mutex(void)
{
	dbl_handle_replace(kit_held("a"), kit_granted("a"));
}

static void out_without_the_mutex(void)
{
	(void)dbl_handle_out(&locks);
}

static void first_without_the_mutex(void)
{
	(void)dbl_handle_first(&locks);
}

static void find_without_the_mutex(void)
{
	struct dblock_lock *at = NULL;

	(void)dbl_handle_find(&locks, "a", &at);
}

static void youngest_without_the_mutex(void)
{
	(void)dbl_handle_youngest(&locks);
}

static void free_the_table_with_a_handle(void)
{
	kit_granted("a");
	dbl_handles_free(locks.handles);
}

/* ---- grants, and losses ---------------------------------------------------------------------- */

static void begin_what_others_have_seen(void)
{
	dbl_grant_begin(kit_held("a"));
}

static void hold_without_a_token(void)
{
	struct dblock_lock *lock = kit_new("a");

	lock->grant.nonce = 50;
	lock->grant.epoch = &epoch;
	dbl_grant_begin(lock);
	(void)dbl_grant_hold(lock, NULL);
}

static void hold_without_a_deadline(void)
{
	atomic_store(&epoch.validity.deadline, 0);
	kit_granted("a");
}

static void hold_what_was_given_back(void)
{
	struct dblock_lock *lock = kit_granted("a");

	dbl_grant_done(lock);
	(void)dbl_grant_hold(lock, NULL);
}

static void be_done_twice(void)
{
	struct dblock_lock *lock = kit_granted("a");

	dbl_grant_done(lock);
	dbl_grant_done(lock);
}

static void lose_for_no_reason(void)
{
	(void)dbl_grant_lose(kit_held("a"), DBLOCK_LOSS_NONE);
}

static void tell_a_loss_under_the_mutex(void)
{
	struct dblock_lock *lock = kit_held("a");
	struct dblock_loss loss;

	dbl_lock(&locks.mutex);
	dbl_loss_of(lock, &loss);
}

static void lose_before_time_began(void)
{
	struct dblock_lock *lock = kit_held("a");
	struct dblock_loss loss;

	(void)dbl_grant_lose(lock, DBLOCK_LOSS_UNKNOWN);
	lock->lost_at = -2 * (int64_t)NOW;
	dbl_loss_of(lock, &loss);
}

static const struct death deaths[] = {
	{"dbl_handle_free", "!lock->before", free_what_is_out},
	{"forget", "lock->all_prev ?", free_the_first_that_is_not_first},
	{"forget", "!lock->all_next ||", free_one_whose_next_does_not_know_it},
	{"dbl_lock_validity", "lock->grant.has_lease || lock->grant.epoch", live_by_nothing},
	{"dbl_handle_publish", "state == DBL_HELD", publish_what_was_not_granted},
	{"dbl_handle_publish", "state == DBL_HELD", publish_what_was_given_back},
	{"dbl_handle_publish", "lock->count > 0", publish_what_nobody_has_acquired},
	{"enter_again", "lock->count > 0", enter_again_what_nobody_has},
	{"dbl_handle_leave", "lock->count > 0", leave_more_often_than_entered},
	{"take_count", "lock->count > 0", write_a_count_of_none},
	{"dbl_handle_swap", "!other->before", swap_with_one_that_is_out},
	{"dbl_handle_swap", "strcmp(out->name, other->name) == 0", swap_with_another_name},
	{"dbl_handle_swap", "other->grant.token > out->grant.token", swap_for_an_older_token},
	{"dbl_held_add", "!lock->before", be_out_twice},
	{"dbl_held_add", "held->first->before == &held->first", add_before_one_that_is_not_first},
	{"add_name", "!part->before", hold_a_part_that_is_out_by_itself},
	{"remove_name", "*at && held->n_names > 0", remove_a_name_that_is_not_there},
	{"dbl_held_remove", "*lock->before == lock", remove_one_that_its_list_does_not_know},
	{"dbl_held_remove", "!lock->next ||", remove_one_whose_next_does_not_know_it},
	{"dbl_held_find", "part->whole->before", find_one_that_is_not_out},
	{"dbl_handle_replace", "strcmp(out->name, by->name) == 0", replace_by_another_name},
	{"dbl_handle_replace", "== dbl_thread_id()", replace_without_the_mutex},
	{"dbl_handle_out", "== dbl_thread_id()", out_without_the_mutex},
	{"dbl_handle_first", "== dbl_thread_id()", first_without_the_mutex},
	{"dbl_handle_find", "== dbl_thread_id()", find_without_the_mutex},
	{"dbl_handle_youngest", "== dbl_thread_id()", youngest_without_the_mutex},
	{"dbl_handles_free", "!handles->all", free_the_table_with_a_handle},
	{"dbl_grant_begin", "!lock->before", begin_what_others_have_seen},
	{"dbl_grant_hold", "lock->grant.token > 0", hold_without_a_token},
	{"dbl_grant_hold", "dbl_validity_was(dbl_lock_validity(lock)) > 0",
	 hold_without_a_deadline},
	{"dbl_sm_refuse", "false; from DONE to HELD", hold_what_was_given_back},
	{"dbl_sm_refuse", "false; from DONE to DONE", be_done_twice},
	{"dbl_grant_lose", "cause != DBLOCK_LOSS_NONE", lose_for_no_reason},
	{"dbl_loss_of", "!= dbl_thread_id()", tell_a_loss_under_the_mutex},
	{"dbl_loss_of", "loss->at_us > 0", lose_before_time_began},
	{0},
};

ASSERTS_MAIN(kit_begin_handles, deaths)
