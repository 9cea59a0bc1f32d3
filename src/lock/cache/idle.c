/* SPDX-License-Identifier: MIT */
#include "lock/cache/idle.h"

#include "lock/handle/lock.h"

void dbl_idle_init(struct dbl_idle_list *list)
{
	*list = (struct dbl_idle_list){.end = &list->first};
}

static void put_in(struct dbl_idle_list *list, struct dblock_lock **at, struct dblock_lock *lock)
{
	lock->cached.idle_next = *at;
	lock->cached.idle_before = at;
	if (lock->cached.idle_next)
		lock->cached.idle_next->cached.idle_before = &lock->cached.idle_next;
	else
		list->end = &lock->cached.idle_next;
	*at = lock;
}

void dbl_idle_take_out(struct dbl_idle_list *list, struct dblock_lock *lock)
{
	DBL_ASSERT_HELD(&lock->locks->mutex);
	DBL_ASSERT(lock->cached.idle && *lock->cached.idle_before == lock, "%s", lock->name);
	*lock->cached.idle_before = lock->cached.idle_next;
	if (lock->cached.idle_next)
		lock->cached.idle_next->cached.idle_before = lock->cached.idle_before;
	else
		list->end = lock->cached.idle_before;
}

/* The lock whose idle_next is here. */
static struct dblock_lock *owner_of(struct dblock_lock **idle_next)
{
	return (struct dblock_lock *)((char *)idle_next -
				      offsetof(struct dblock_lock, cached.idle_next));
}

/* Most grants are kept idle for equally long, so the search begins at the end. */
void dbl_idle_put(struct dbl_idle_list *list, struct dblock_lock *lock)
{
	struct dblock_lock **at = list->end;

	DBL_ASSERT_HELD(&lock->locks->mutex);
	DBL_ASSERT(!*at && lock->cached.idle_until > 0, "%s", lock->name);
	while (at != &list->first && owner_of(at)->cached.idle_until > lock->cached.idle_until)
		at = owner_of(at)->cached.idle_before;
	put_in(list, at, lock);
}

void dbl_idle_put_first(struct dbl_idle_list *list, struct dblock_lock *lock)
{
	dbl_idle_take_out(list, lock);
	lock->cached.idle_until = 0;
	put_in(list, &list->first, lock);
}
