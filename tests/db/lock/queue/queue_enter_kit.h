/* SPDX-License-Identifier: MIT */
/* Puppets that enter: what the usual case of an acquire in a mode that several may hold writes, or not. */
#ifndef TESTS_DB_QUEUE_ENTER_KIT_H
#define TESTS_DB_QUEUE_ENTER_KIT_H

#include "db/lock/queue/queue_races_kit.h"

/* There one statement cannot write two tables. */
static inline bool enters_never(void)
{
	return on_backend("mysql");
}

static inline bool enters(struct puppet *p, enum dblock_mode mode)
{
	return puppet_enters(p, "x", mode, 1, 0).done;
}

static inline bool gets(struct puppet *p, int64_t permits, int64_t capacity)
{
	return puppet_enters(p, "x", DBLOCK_PERMITS, permits, capacity).done;
}

/* The number of rows that hold the lock. */
static inline int64_t holders(struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE name = 'x' "
			       "AND token IS NOT NULL");
}

static inline void clear_away(struct scene *s)
{
	raw_exec(s->raw, "UPDATE dblock_lock SET mode = 0, served = 0 WHERE name = 'x'");
	clear_up(s);
}

#endif
