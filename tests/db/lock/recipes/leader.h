/* SPDX-License-Identifier: MIT */
/* Helpers of the tests of leaders. */
#ifndef TESTS_SUPPORT_LEADER_H
#define TESTS_SUPPORT_LEADER_H

#include "support/kit.h"

static inline struct dblock_leader leader_of(struct dblock_client *client, const char *name)
{
	struct dblock_leader leader = DBLOCK_LEADER_INIT;
	struct dblock_error err = {0};

	expect(OK, dblock_leader_of(client, name, &leader, &err));
	return leader;
}

/* *leader must say so, too. */
static inline void nobody_leads(struct dblock_client *client, const char *name)
{
	struct dblock_leader leader = {.size = sizeof(leader), .token = 7, .value = "rest"};
	struct dblock_error err = {0};

	expect(STALE, dblock_leader_of(client, name, &leader, &err));
	message_has("nobody leads");
	assert_int_equal(leader.token, 0);
	assert_string_equal(leader.value, "");
}

static inline struct dblock_lock *elect(struct dblock_client *client, const char *name,
					const char *value)
{
	struct dblock_elect_options options = DBLOCK_ELECT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.value = value;
	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_elect(client, name, &options, &lock, &err));
	return lock;
}

#endif
