/* SPDX-License-Identifier: MIT */
#include "lock/handle/spare.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "lock/handle/lock.h"

/* Names of that length fit whatever the handle was called before; longer ones than the last are not
 * kept room for. */
enum { ROOM_FIRST = 64, ROOM_LAST = 1024 };

static bool set_name(struct dblock_lock *lock, const char *name)
{
	size_t size = strlen(name) + 1;

	if (size > lock->room) {
		size_t room = size > ROOM_FIRST ? size : ROOM_FIRST;
		char *text = dbl_realloc(lock->name, room);

		if (!text)
			return false;
		lock->name = text;
		lock->room = room;
	}
	memcpy(lock->name, name, size);
	return true;
}

struct dblock_lock *dbl_spare_new(const char *name)
{
	struct dblock_lock *lock = dbl_alloc(sizeof(*lock));

	if (!lock)
		return NULL;
	if (set_name(lock, name) && dbl_turn_init(&lock->extending) == 0)
		return lock;
	dbl_free(lock->name);
	dbl_free(lock);
	return NULL;
}

void dbl_spare_free(struct dblock_lock *lock)
{
	dbl_debt_free(lock->grant.debt);
	dbl_turn_fini(&lock->extending);
	dbl_free(lock->name);
	dbl_free(lock);
}

/* All but its name, its debt and its turn. */
static void clear(struct dblock_lock *lock)
{
	const size_t from = offsetof(struct dblock_lock, extending);
	const size_t to = from + sizeof(lock->extending);
	struct dbl_debt *debt = lock->grant.debt;
	char *name = lock->name;
	size_t room = lock->room;

	memset((void *)lock, 0, from);
	memset((char *)lock + to, 0, sizeof(*lock) - to);
	lock->grant.debt = debt;
	lock->name = name;
	lock->room = room;
}

struct dblock_lock *dbl_spare_take(struct dbl_spare *spare, const char *name)
{
	struct dblock_lock *lock = NULL;

	for (int i = 0; !lock && i < DBL_SPARES; i++) {
		if (atomic_load_explicit(&spare->all[i], memory_order_relaxed))
			lock = atomic_exchange(&spare->all[i], NULL);
	}
	if (!lock)
		return NULL;
	if (lock->grant.debt && !dbl_debt_rename(lock->grant.debt, name)) {
		dbl_debt_free(lock->grant.debt);
		lock->grant.debt = NULL;
	}
	if (set_name(lock, name))
		return lock;
	dbl_spare_free(lock);
	return NULL;
}

bool dbl_spare_give(struct dbl_spare *spare, struct dblock_lock *lock)
{
	if (DBL_IS_WATCHED || lock->room > ROOM_LAST)
		return false;
	clear(lock);
	for (int i = 0; i < DBL_SPARES; i++) {
		struct dblock_lock *none = NULL;

		if (!atomic_load_explicit(&spare->all[i], memory_order_relaxed) &&
		    atomic_compare_exchange_strong(&spare->all[i], &none, lock))
			return true;
	}
	return false;
}

void dbl_spare_fini(struct dbl_spare *spare)
{
	for (int i = 0; i < DBL_SPARES; i++) {
		struct dblock_lock *lock = atomic_exchange(&spare->all[i], NULL);

		if (lock)
			dbl_spare_free(lock);
	}
}
