/* SPDX-License-Identifier: MIT */
/* Notifying another client over its channel. */
#include <inttypes.h>
#include <stdio.h>

#include "lock/core/value.h"
#include "lock/notify/channel.h"
#include "lock/notify/own.h"

enum { NUMBERS_MAX = 4 };

struct numbers {
	int64_t of[NUMBERS_MAX];
	int n;
};

static int take_number(void *ctx, const struct dbl_value *row)
{
	struct numbers *numbers = ctx;

	if (row[0].i > 0 && numbers->n < NUMBERS_MAX)
		numbers->of[numbers->n++] = row[0].i;
	return 0;
}

bool dbl_channel_say(struct dbl_locks *locks, const char *channel, const char *what, int64_t until)
{
	struct dbl_value args[] = {dbl_text(channel), dbl_text(what)};
	struct numbers numbers = {.n = 0};
	struct dbl_request request = {.op = DBL_OP_ring,
				      .args = DBL_ARGS(args),
				      .row = take_number,
				      .ctx = &numbers,
				      .deadline = until};
	struct dbl_value number;
	struct dbl_request stop = {
		.op = DBL_OP_ring_stop, .args = DBL_ARG(number), .deadline = until};

	if (dbl_link_run(locks->link, &request, NULL) || request.rows == 0)
		return false;
	for (int i = 0; i < numbers.n; i++) {
		number = dbl_int(numbers.of[i]);
		if (dbl_link_run(locks->link, &stop, NULL))
			return false;
	}
	return true;
}

bool dbl_channel_notify(struct dbl_locks *locks, const char *channel, int64_t nonce, int64_t token)
{
	char what[48];

	/* The channel comes from another client's row; on MySQL it becomes part of a pattern. */
	if (!dbl_db_is_channel(channel))
		return false;
	snprintf(what, sizeof(what), "%" PRId64 " %" PRId64, nonce, token);
	return dbl_channel_say(locks, channel, what, dbl_locks_deadline_by(locks, 0));
}
