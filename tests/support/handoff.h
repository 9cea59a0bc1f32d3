/* SPDX-License-Identifier: MIT */
/* Tests of a lock that is offered to another client share these. */
#ifndef TESTS_SUPPORT_HANDOFF_H
#define TESTS_SUPPORT_HANDOFF_H

#include "support/kit.h"

static struct dblock_error err; /* of this thread's last call */

static inline int accept(struct dblock_client *client, const char *ticket,
			 struct dblock_lock **lock)
{
	return dblock_handoff_accept(client, ticket, NULL, lock, &err);
}

static inline struct dblock_lock *offer(struct dblock_client *client,
					char ticket[DBLOCK_TICKET_SIZE])
{
	struct dblock_lock *lock = take(client, "x");

	expect(OK, dblock_handoff_offer(lock, ticket, &err));
	return lock;
}

#endif
