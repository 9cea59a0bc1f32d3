/* SPDX-License-Identifier: MIT */
/* SQLite keeps one record of the locks that a process has on a file, for all its connections. A
 * child inherits this memory, but not the locks: its own, new connection would believe that it has
 * them, and write into a WAL that the parent, as the last one to close, has deleted. That has led
 * to two holders. SQLite's state is global, so our note about it has to be. */
#include <stdatomic.h>

#include "driver/sqlite/own.h"

enum { COUNT_BITS = 32 };

/* The process, and how many open connections it has, in one word. */
static _Atomic uint64_t connections_here;

static uint64_t process(void)
{
	return (uint64_t)dbl_host_pid() << COUNT_BITS;
}

static bool is_inherited(uint64_t seen)
{
	return (uint32_t)seen > 0 && seen >> COUNT_BITS != process() >> COUNT_BITS;
}

int dbl_lite_enter(const char *path, struct dblock_error *err)
{
	uint64_t seen = atomic_load(&connections_here);

	while (!is_inherited(seen)) {
		uint64_t count = (uint32_t)seen + 1;

		if (atomic_compare_exchange_weak(&connections_here, &seen, process() | count))
			return 0;
	}
	return dbl_fail(err, DBLOCK_E_FORKED,
			"%s: process %lld had a SQLite file open when it forked this one, which "
			"SQLite does not survive; open after the fork, or call exec()",
			path, (long long)(seen >> COUNT_BITS));
}

void dbl_lite_leave(void)
{
	if (!is_inherited(atomic_load(&connections_here)))
		atomic_fetch_sub(&connections_here, 1);
}
