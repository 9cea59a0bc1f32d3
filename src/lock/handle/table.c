/* SPDX-License-Identifier: MIT */
/* The table of handles, as others may ask it. */
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
	dbl_held_fini(&handles->held);
	dbl_spare_fini(&handles->spare);
	dbl_free(handles);
}

struct dblock_lock *dbl_handle_out(const struct dbl_locks *locks)
{
	return locks->handles->held.first;
}

struct dblock_lock *dbl_handle_first(const struct dbl_locks *locks)
{
	return locks->handles->all;
}

struct dblock_lock *dbl_handle_find(const struct dbl_locks *locks, const char *name,
				    struct dblock_lock **at)
{
	return dbl_held_find(&locks->handles->held, name, at);
}

uint64_t dbl_handle_youngest(const struct dbl_locks *locks)
{
	return locks->handles->serial;
}

void dbl_handle_replace(struct dblock_lock *out, struct dblock_lock *by)
{
	struct dbl_held *held = &out->locks->handles->held;

	dbl_held_remove(held, out);
	dbl_held_add(held, by);
}
