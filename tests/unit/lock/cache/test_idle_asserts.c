/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of idle grants. */
#include "unit/lock/handle_kit.h"

#include "lock/cache/cache.h"
#include "lock/cache/idle.h"
#include "lock/cache/own.h"
#include "lock/cache/sticky.h"

static void set_up(void)
{
	kit_begin_handles();
	locks.cache = dbl_cache_new();
}

static struct dbl_idle_list idle;

static struct dblock_lock *kept(void)
{
	struct dblock_lock *lock = kit_held("a");

	dbl_idle_init(&idle);
	lock->cached.idle_until = NOW;
	return lock;
}

static void put_in_without_the_mutex(void)
{
	dbl_idle_put(&idle, kept());
}

static void put_in_behind_the_end(void)
{
	struct dblock_lock *lock = kept();

	idle.first = lock;
	dbl_lock(&locks.mutex);
	dbl_idle_put(&idle, lock);
}

static void take_out_without_the_mutex(void)
{
	struct dblock_lock *lock = kept();

	dbl_lock(&locks.mutex);
	dbl_idle_put(&idle, lock);
	dbl_unlock(&locks.mutex);
	dbl_idle_take_out(&idle, lock);
}

static void take_out_one_that_is_not_there(void)
{
	struct dblock_lock *lock = kept();

	dbl_lock(&locks.mutex);
	dbl_idle_put(&idle, lock);
	lock->cached.idle = true;
	idle.first = NULL;
	dbl_idle_take_out(&idle, lock);
}

static void claim_without_the_mutex(void)
{
	dbl_sticky_claim(kit_held("a"));
}

static void hurry_without_the_mutex(void)
{
	dbl_sticky_hurry(kit_held("a"));
}

static void claim_one_of_none(void)
{
	struct dblock_lock *lock = kit_held("a");

	lock->cached.idle = true;
	dbl_lock(&locks.mutex);
	dbl_sticky_claim(lock);
}

static void revive_without_the_mutex(void)
{
	const struct dbl_acquire_spec spec = {.name = "a"};
	struct dbl_entry *entry = dbl_entry_enter(locks.cache->local, "a", dbl_name_hash("a", 1));

	dbl_entry_hold(entry, kit_held("a"));
	dbl_unlock(&entry->shard->mutex);
	(void)dbl_sticky_revive(entry, &spec);
}

static void keep_what_is_idle_already(void)
{
	struct dblock_lock *lock = kit_held("a");

	assert_true(dbl_sticky_start(&locks));
	lock->cached.idle = true;
	(void)dbl_sticky_keep(lock);
}

static void free_while_something_is_idle(void)
{
	assert_true(dbl_sticky_start(&locks));
	locks.cache->n_idle = 1;
	dbl_sticky_free(locks.cache);
}

static const struct death deaths[] = {
	{"dbl_idle_put", "== dbl_thread_id()", put_in_without_the_mutex},
	{"dbl_idle_put", "!*at", put_in_behind_the_end},
	{"dbl_idle_take_out", "== dbl_thread_id()", take_out_without_the_mutex},
	{"dbl_idle_take_out", "*lock->cached.idle_before == lock", take_out_one_that_is_not_there},
	{"dbl_sticky_claim", "== dbl_thread_id()", claim_without_the_mutex},
	{"dbl_sticky_hurry", "== dbl_thread_id()", hurry_without_the_mutex},
	{"dbl_sticky_claim", "n_idle) > 0", claim_one_of_none},
	{"dbl_sticky_revive", "== dbl_thread_id()", revive_without_the_mutex},
	{"make_idle", "!lock->cached.idle", keep_what_is_idle_already},
	{"dbl_sticky_free", "n_idle) == 0", free_while_something_is_idle},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
