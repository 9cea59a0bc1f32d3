/* SPDX-License-Identifier: MIT */
/* Handles for asserts_kit.h, in the modules from src/lock/handle on. */
#ifndef TESTS_UNIT_LOCK_HANDLE_KIT_H
#define TESTS_UNIT_LOCK_HANDLE_KIT_H

#include "unit/lock/asserts_kit.h"

#include <string.h>

#include "lock/handle/handle.h"
#include "lock/handle/own.h"
#include "lock/notify/own.h"

static inline void kit_lock_hook(struct dblock_lock *lock)
{
	(void)lock;
}

static inline bool kit_not_asked_for(struct dblock_lock *lock)
{
	(void)lock;
	return false;
}

static inline void kit_locks_hook(struct dbl_locks *all)
{
	(void)all;
}

static inline bool kit_no_stake(const struct dbl_locks *all, const struct dblock_lock *lock)
{
	(void)all;
	(void)lock;
	return false;
}

static inline int kit_may_ask(struct dbl_locks *all, const char *name, struct dbl_owner owner,
			      struct dblock_error *err)
{
	(void)all;
	(void)name;
	(void)owner;
	(void)err;
	return 0;
}

static inline int kit_may_write(struct dblock_lock *lock, struct dblock_error *err)
{
	(void)lock;
	(void)err;
	return 0;
}

static const struct dbl_hooks kit_hooks = {.granted = kit_not_asked_for,
					   .leaving = kit_lock_hook,
					   .requested = kit_locks_hook,
					   .released = kit_lock_hook,
					   .freed = kit_lock_hook,
					   .validity_changed = kit_locks_hook,
					   .is_attached = kit_no_stake,
					   .may_write = kit_may_write,
					   .may_ask = kit_may_ask};

/* Makes the table of handles, and opens no socket. */
static inline void kit_begin_handles(void)
{
	locks.hooks = &kit_hooks;
	locks.handles = dbl_handles_new();
	locks.notifier = dbl_notifier_new();
	locks.notifier->wake_off = ~0U;
	locks.listens = locks.notifier->channel_tried = true;
}

static inline struct dblock_lock *kit_new(const char *name)
{
	return dbl_handle_new(&locks, name, dbl_name_hash(name, strlen(name)), dbl_owner_me());
}

/* A handle that has been granted its lock, but is not published. */
static inline struct dblock_lock *kit_granted(const char *name)
{
	struct dblock_lock *lock = kit_new(name);

	lock->grant.token = 100;
	lock->grant.nonce = 50;
	lock->grant.epoch = &epoch;
	lock->grant.weight = 1;
	dbl_grant_begin(lock);
	(void)dbl_grant_hold(lock, NULL);
	return lock;
}

/* A handle that has been published. */
static inline struct dblock_lock *kit_held(const char *name)
{
	struct dblock_lock *lock = kit_granted(name);

	dbl_handle_publish(lock);
	return lock;
}

#endif
