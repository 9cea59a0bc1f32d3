/* SPDX-License-Identifier: MIT */
/* A release by token from another client, and a holder that lets go when it is told. */
#ifndef TESTS_SUPPORT_BY_TOKEN_H
#define TESTS_SUPPORT_BY_TOKEN_H

#include "support/call.h"

static inline int let_go_when_told(void *lock, struct dblock_error *err)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (dblock_valid(lock, 0) && clock_ms() < until)
		sleep_ms(1);
	return dblock_release(lock, err);
}

/* Uses up `theirs`. */
static inline void release_by_token(struct dblock_client *client, const char *name,
				    struct dblock_lock *theirs)
{
	int64_t token = dblock_token(theirs);
	struct dblock_error err = {0};
	struct call holder;

	call_start(&holder, let_go_when_told, theirs);
	expect(OK, dblock_release_token(client, name, token, &err));
	assert_int_equal(call_end(&holder), DBLOCK_LOST);
}

#endif
