/* SPDX-License-Identifier: MIT */
/* What others may ask the table of handles. */
#include <string.h>

#include "base/mem.h"
#include "lock/handle/handle.h"
#include "lock/handle/own.h"

struct dbl_handles *dbl_handles_new(void)
{
	struct dbl_handles *handles = dbl_alloc(sizeof(*handles));

	if (handles)
		dbl_held_init(&handles->held);
	return handles;
}

void dbl_handles_free(struct dbl_handles *handles)
{
	if (!handles)
		return;
	DBL_ASSERT(!handles->held.first && !handles->all); /* each is its caller's, or freed */
	dbl_held_fini(&handles->held);
	dbl_free(handles);
}

struct dblock_lock *dbl_handle_out(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return locks->handles->held.first;
}

struct dblock_lock *dbl_handle_first(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return locks->handles->all;
}

struct dblock_lock *dbl_handle_find(const struct dbl_locks *locks, const char *name,
				    struct dblock_lock **at)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return dbl_held_find(&locks->handles->held, name, dbl_name_hash(name, strlen(name)), at);
}

int64_t dbl_handle_token(struct dbl_locks *locks, const char *name, const struct dblock_lock *lock)
{
	struct dblock_lock *at = NULL, *found;
	int64_t token;

	dbl_lock(&locks->mutex);
	do
		found = dbl_handle_find(locks, name, &at);
	while (found && found != lock);
	token = found ? found->grant.token : 0;
	dbl_unlock(&locks->mutex);
	return token;
}

uint64_t dbl_handle_youngest(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return locks->handles->serial;
}

void dbl_handle_replace(struct dblock_lock *out, struct dblock_lock *by)
{
	struct dbl_held *held = &out->locks->handles->held;

	DBL_ASSERT_HELD(&out->locks->mutex);
	DBL_ASSERT(strcmp(out->name, by->name) == 0, "%s, %s", out->name, by->name);
	dbl_held_remove(held, out);
	dbl_held_add(held, by);
}
