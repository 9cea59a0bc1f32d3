/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/cache. */
#include "unit/lock/handle_kit.h"

#include "lock/cache/cache.h"
#include "lock/cache/own.h"
#include "lock/cache/posted.h"
#include "lock/cache/reclaim.h"
#include "lock/cache/sticky.h"

static void set_up(void)
{
	kit_begin_handles();
	locks.cache = dbl_cache_new();
	dbl_cache_turns(&locks, 64);
}

/* ---- entries, and local waiters -------------------------------------------------------------- */

/* The entry of "a" with this holder, its shard locked. */
static struct dbl_entry *entered(struct dblock_lock *holder)
{
	struct dbl_entry *entry = dbl_entry_enter(locks.cache->local, "a", dbl_name_hash("a", 1));

	if (holder)
		dbl_entry_hold(entry, holder);
	return entry;
}

static void free_what_somebody_uses(void)
{
	dbl_unlock(&entered(NULL)->shard->mutex);
	dbl_local_free(locks.cache->local);
}

static void leave_without_the_mutex(void)
{
	struct dbl_entry *entry = entered(NULL);

	dbl_unlock(&entry->shard->mutex);
	dbl_entry_leave(entry);
}

static void leave_more_often_than_entered(void)
{
	struct dbl_entry *entry = entered(NULL);

	entry->users = 0;
	dbl_entry_leave(entry);
}

static void leave_behind_who_holds_it(void)
{
	struct dbl_entry *entry = entered(kit_held("a"));

	entry->users = 1;
	dbl_entry_leave(entry);
}

static void add_a_place_without_a_handle(void)
{
	struct dbl_local_waiter waiter = {.state = DBL_LOCAL_WAITS};

	dbl_local_waiter_add(entered(NULL), &waiter);
}

static void add_a_place_without_the_mutex(void)
{
	struct dbl_local_waiter waiter = {.lock = kit_granted("a")};
	struct dbl_entry *entry = entered(NULL);

	dbl_unlock(&entry->shard->mutex);
	dbl_local_waiter_add(entry, &waiter);
}

static void remove_a_place_that_is_not_there(void)
{
	struct dbl_local_waiter waiter = {.lock = kit_granted("a")};

	dbl_local_waiter_remove(entered(NULL), &waiter);
}

static void remove_a_place_without_the_mutex(void)
{
	struct dbl_local_waiter waiter = {.lock = kit_granted("a")};
	struct dbl_entry *entry = entered(NULL);

	dbl_local_waiter_add(entry, &waiter);
	dbl_unlock(&entry->shard->mutex);
	dbl_local_waiter_remove(entry, &waiter);
}

static void let_nobody_go(void)
{
	dbl_local_waiter_go(entered(NULL), DBL_LOCAL_ASKS);
}

static void stir_without_the_mutex(void)
{
	struct dbl_entry *entry = entered(NULL);

	dbl_unlock(&entry->shard->mutex);
	dbl_entry_stir(entry);
}

static void hold_another_name(void)
{
	(void)entered(kit_held("b"));
}

static void hold_without_the_mutex(void)
{
	struct dbl_entry *entry = entered(NULL);

	dbl_unlock(&entry->shard->mutex);
	dbl_entry_hold(entry, kit_held("a"));
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void unname_without_the_mutex(void)
{
	struct dblock_lock *lock = kit_held("a");

	dbl_unlock(&entered(lock)->shard->mutex);
	dbl_local_unname(lock, true);
}

static void name_what_nobody_has_unnamed(void)
{
	struct dblock_lock *lock = kit_held("a");

	(void)entered(lock);
	lock->cached.unnamed = true;
	dbl_local_unname(lock, false);
}

/* A grant that may be passed on, and the handle of the waiter that it goes to. */
static struct dblock_lock *next;

static struct dblock_lock *passed_on(void)
{
	static struct dbl_local_waiter waiter;
	struct dblock_lock *lock = kit_held("a");
	struct dbl_entry *entry = entered(lock);

	next = kit_new("a");
	waiter = (struct dbl_local_waiter){.lock = next};
	dbl_cond_init(&waiter.woken);
	dbl_local_waiter_add(entry, &waiter);
	entry->turns = 5;
	entry->fresh = DBL_NEVER;
	lock->grant.row_token = 105;
	dbl_unlock(&entry->shard->mutex);
	return lock;
}

static void pass_on_to_one_that_is_out(void)
{
	struct dblock_lock *lock = passed_on();

	next->before = &locks.handles->held.first;
	(void)dbl_local_stay(lock);
}

static void pass_on_to_one_that_is_entered_twice(void)
{
	struct dblock_lock *lock = passed_on();

	next->count = 2;
	(void)dbl_local_stay(lock);
}

static void reserve_nothing(void)
{
	struct dblock_lock *lock = kit_held("a");

	dbl_cache_turns(&locks, 0);
	lock->cached.idle_for = 0;
	dbl_unlock(&entered(lock)->shard->mutex);
	lock->cached.entry->first = (struct dbl_local_waiter *)&next; /* a local waiter */
	(void)dbl_local_stay(lock);
}

/* While a call asks the database, the count of such calls is set back. */
static struct dbl_entry *asked;

static int ask_without_asking(struct dbl_locks *all, const struct dbl_acquire_spec *spec,
			      struct dblock_lock **out, struct dblock_error *err)
{
	(void)out;
	(void)err;
	asked = dbl_entry_find(all->cache->local, spec->name);
	asked->asking = 0;
	dbl_entry_leave(asked);
	return DBLOCK_TIMEOUT;
}

static void ask_more_often_than_there_are_calls(void)
{
	const struct dbl_acquire_spec spec = {.name = "a", .blocks = true, .wait_until = DBL_NEVER};
	struct dblock_lock *out;

	(void)dbl_local_wait(&locks, &spec, ask_without_asking, &out, NULL);
}

/* ---- posted releases ------------------------------------------------------------------------- */

static void post_what_is_out(void)
{
	assert_int_equal(dbl_posted_start(&locks, NULL, NULL), 0);
	dbl_posted_release(kit_held("a"));
}

static void end_while_something_is_out(void)
{
	dbl_cache_over(kit_held("a"));
}

static void beg_for_a_negative_time(void)
{
	struct dbl_attempt a = {.locks = &locks,
				.snapshot = {.clock = {.before = NOW, .after = NOW - 1}}};

	(void)dbl_reclaim(&a, NULL);
}

static const struct death deaths[] = {
	{"dbl_local_free", "shard->n == 0", free_what_somebody_uses},
	{"dbl_entry_leave", "== dbl_thread_id()", leave_without_the_mutex},
	{"dbl_entry_leave", "entry->users > 0", leave_more_often_than_entered},
	{"dbl_entry_leave", "!entry->holder", leave_behind_who_holds_it},
	{"dbl_local_waiter_add", "waiter->lock", add_a_place_without_a_handle},
	{"dbl_local_waiter_add", "== dbl_thread_id()", add_a_place_without_the_mutex},
	{"dbl_local_waiter_remove", "*at", remove_a_place_that_is_not_there},
	{"dbl_local_waiter_remove", "== dbl_thread_id()", remove_a_place_without_the_mutex},
	{"dbl_local_waiter_go", "waiter && waiter->state", let_nobody_go},
	{"dbl_entry_stir", "== dbl_thread_id()", stir_without_the_mutex},
	{"dbl_entry_hold", "strcmp(entry->name, lock->name) == 0", hold_another_name},
	{"dbl_entry_hold", "== dbl_thread_id()", hold_without_the_mutex},
	{"dbl_local_unname", "== dbl_thread_id()", unname_without_the_mutex},
	{"dbl_local_unname", "atomic_load(in_turns) > 0", name_what_nobody_has_unnamed},
	{"succeed", "!next->before", pass_on_to_one_that_is_out},
	{"succeed", "next->count == 1", pass_on_to_one_that_is_entered_twice},
	{"ask_database", "entry->asking > 0", ask_more_often_than_there_are_calls},
	{"reserve", "then > lock->grant.token", reserve_nothing},
	{"note", "!lock->before", post_what_is_out},
	{"dbl_cache_over", "!lock->before", end_while_something_is_out},
	{"reclaim_time", "trips >= 0", beg_for_a_negative_time},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
