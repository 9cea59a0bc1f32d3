/* SPDX-License-Identifier: MIT */
/* Ends somebody's grant, which is named by its token and nonce, so that a copy of the request that
 * comes late cannot hit the next grant. */
#include "lock/admin/revoke.h"
#include "lock/core/blocked.h"
#include "lock/core/make_durable.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/queue/advance.h"
#include "lock/queue/queue_rows.h"

#define FILE_STEP_US 1000000

int dbl_break_blocked(struct dbl_locks *locks, const char *name, const struct dbl_row_wait *wait,
		      struct dblock_error *err)
{
	struct dbl_blocker by;

	/* Without the privilege to see other transactions `by` stays empty. */
	dbl_blocked_by(locks->link, dbl_locks_deadline(locks), &by);
	if (by.has_table)
		return dbl_fail(err, DBLOCK_BUSY, "'%s' %s: %s; end it and try again", name,
				wait->stands, by.text);
	return dbl_fail(err, DBLOCK_BUSY,
			"'%s' %s: an open transaction locks its row%s%s; end it and try again",
			name, wait->stands, by.text[0] ? ", perhaps that of " : "", by.text);
}

/* Whether a request that ended with *rc is to be sent again: it met a locked row, or table, and the
 * caller wants to go on. Pauses before that. Else *rc is the outcome. */
static bool is_tried_again(struct dbl_locks *locks, const char *name,
			   const struct dbl_row_wait *wait, int *rc, struct dblock_error *err)
{
	if (*rc != DBLOCK_E_BLOCKED)
		return false;
	*rc = wait->asks ? wait->asks(wait->ctx, err) : 0;
	if (*rc == 0 && !dbl_pause_before_retry(locks, wait->until))
		*rc = dbl_break_blocked(locks, name, wait, err);
	return *rc == 0;
}

/* A request to a database file waits by itself while somebody has the file locked. Its deadline
 * comes early, so that the caller is asked in between whether to go on. */
static int64_t next_deadline(const struct dbl_locks *locks, const struct dbl_row_wait *wait)
{
	int64_t step = dbl_now(locks->env) + FILE_STEP_US;
	bool steps = locks->target->dialect->is_file && wait->asks && step < wait->until;

	return dbl_locks_deadline_by(locks, steps ? step : wait->until);
}

/* Runs the request again and again until no transaction locks the row. */
static int write_by(struct dbl_link *link, struct dbl_locks *locks, const char *name,
		    struct dbl_request *request, const struct dbl_row_wait *wait,
		    struct dblock_error *err)
{
	int rc;

	do {
		request->deadline = next_deadline(locks, wait);
		rc = dbl_link_run(link, request, err);
	} while (is_tried_again(locks, name, wait, &rc, err));
	return rc;
}

int dbl_break_tell(struct dbl_locks *locks, const char *name, struct dbl_request *request,
		   const struct dbl_row_wait *wait, struct dblock_error *err)
{
	return write_by(dbl_durable_link(locks, true), locks, name, request, wait, err);
}

static int break_row(struct dbl_locks *locks, const char *name, int64_t token, int64_t nonce,
		     const struct dbl_row_wait *wait, const struct dbl_ending_event *event,
		     int64_t *above, bool *resent, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name),      dbl_int(token),
				   dbl_int(nonce),      dbl_int(event->kind),
				   DBL_BY(locks->host), dbl_text(event->detail)};
	struct dbl_request request = {
		.op = DBL_OP_break, .args = DBL_ARGS(args), .row = dbl_take_int, .ctx = above};
	int rc = write_by(locks->link, locks, name, &request, wait, err);

	*resent = request.resent;
	return rc;
}

static int read_queue(struct dbl_locks *locks, const char *name, const struct dbl_row_wait *wait,
		      struct dbl_queue *queue, struct dblock_error *err)
{
	int rc;

	do {
		rc = dbl_queue_read(locks, name, dbl_locks_deadline(locks), queue, err);
	} while (is_tried_again(locks, name, wait, &rc, err));
	return rc;
}

/* Ends the grant with this token if a row of the queue carries it. */
static int break_rows(struct dbl_locks *locks, const char *name, int64_t token,
		      const struct dbl_row_wait *wait, const struct dbl_ending_event *event,
		      int64_t *broken, struct dblock_error *err)
{
	struct dbl_queue queue = {.n = 0};
	int rc = read_queue(locks, name, wait, &queue, err);
	unsigned n = rc ? 0 : dbl_queue_holders(&queue);

	*broken = 0;
	for (unsigned i = 0; i < n && rc == 0; i++) {
		const struct dbl_row *row = &queue.rows[i];
		struct dbl_value args[] = {dbl_text(name), dbl_int(row->token),
					   dbl_int_if(row->by_time, row->expires),
					   dbl_int(event->kind), DBL_BY(locks->host)};
		struct dbl_request request = {.op = DBL_OP_row_end, .args = DBL_ARGS(args)};

		if (row->token != token)
			continue;
		rc = write_by(locks->link, locks, name, &request, wait, err);
		*broken += request.changed > 0 || request.resent;
	}
	dbl_queue_free(&queue);
	return rc;
}

int dbl_break_grant(struct dbl_locks *locks, const char *name, int64_t token, int64_t nonce,
		    const struct dbl_row_wait *wait, const struct dbl_ending_event *event,
		    struct dblock_error *err)
{
	int64_t above = -1, broken = 0;
	bool resent = false;
	int rc;

	DBL_ASSERT(token > 0, "%lld", (long long)token);
	rc = break_row(locks, name, token, nonce, wait, event, &above, &resent, err);

	if (rc == 0 && above == -1)
		rc = break_rows(locks, name, token, wait, event, &broken, err);
	if (above != -1 || broken)
		dbl_event_written(locks);
	/* If this fails, the waiters find out for themselves that the lock is free. */
	if (rc == 0)
		(void)dbl_queue_advance(locks, name, dbl_locks_deadline(locks), NULL);
	/* Nothing was ended: the grant is not there, unless an earlier copy of ours ended it. */
	return rc == 0 && above == -1 && !broken && !resent ? dbl_stale(name, token, err) : rc;
}
