/* SPDX-License-Identifier: MIT */
/* Ending somebody's grant: by token and nonce, so that a copy of the request that comes late cannot
 * hit the next one. */
#include "lock/blocked.h"
#include "lock/line.h"
#include "lock/patience.h"
#include "lock/revoke.h"
#include "lock/serve.h"
#include "lock/settle.h"
#include "lock/value.h"

/* Somebody's open transaction keeps the row, or a table: say whose, if the database tells. */
static int blocked(struct dbl_locks *locks, const char *name, const char *done,
		   struct dblock_error *err)
{
	struct dbl_blocker by;

	/* Without the privilege to see it, the rest of the message must do. */
	dbl_blocked_by(locks->link, dbl_locks_deadline(locks), &by);
	if (by.has_table)
		return dbl_fail(err, DBLOCK_BUSY, "'%s' %s: %s; end it and try again", name, done,
				by.text);
	return dbl_fail(err, DBLOCK_BUSY,
			"'%s' %s: an open transaction locks its row%s%s; end it and try again",
			name, done, by.text[0] ? ", perhaps that of " : "", by.text);
}

static int write_by(struct dbl_link *link, struct dbl_locks *locks, const char *name,
		    const char *done, struct dbl_request *request, int64_t deadline,
		    struct dblock_error *err)
{
	int rc;

	for (;;) {
		request->deadline = dbl_locks_deadline_by(locks, deadline);
		rc = dbl_link_run(link, request, err);
		if (rc != DBLOCK_E_LOCKED)
			return rc;
		if (!dbl_pause_before_retry(locks, deadline))
			return blocked(locks, name, done, err);
	}
}

/* Again until the row is free to be written. */
static int write_patiently(struct dbl_locks *locks, const char *name, struct dbl_request *request,
			   int64_t deadline, struct dblock_error *err)
{
	return write_by(locks->link, locks, name, "is broken, but not free yet", request, deadline,
			err);
}

int dbl_break_tell(struct dbl_locks *locks, const char *name, struct dbl_request *request,
		   int64_t deadline, struct dblock_error *err)
{
	return write_by(dbl_settled_link(locks, true), locks, name, "was not broken", request,
			deadline, err);
}

static int break_row(struct dbl_locks *locks, const char *name, int64_t token, int64_t nonce,
		     int64_t deadline, int64_t *above, bool *resent, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token), dbl_int(nonce)};
	struct dbl_request request = {
		.op = DBL_OP_break, .args = DBL_ARGS(args), .row = dbl_take_int, .ctx = above};
	int rc = write_patiently(locks, name, &request, deadline, err);

	*resent = request.resent;
	return rc;
}

/* A row of the line holds it. */
static int break_rows(struct dbl_locks *locks, const char *name, int64_t token, int64_t deadline,
		      int64_t *broken, struct dblock_error *err)
{
	struct dbl_line line = {.n = 0};
	int rc = dbl_line_read(locks, name, dbl_locks_deadline(locks), &line, err);
	unsigned n = rc ? 0 : dbl_line_holders(&line);

	*broken = 0;
	for (unsigned i = 0; i < n && rc == 0; i++) {
		const struct dbl_row *row = &line.rows[i];
		struct dbl_value args[] = {dbl_text(name), dbl_int(row->token),
					   dbl_int_if(row->by_time, row->expires)};
		struct dbl_request request = {.op = DBL_OP_row_end, .args = DBL_ARGS(args)};

		if (row->token != token)
			continue;
		rc = write_patiently(locks, name, &request, deadline, err);
		*broken += request.changed > 0 || request.resent;
	}
	dbl_line_free(&line);
	return rc;
}

int dbl_break_grant(struct dbl_locks *locks, const char *name, int64_t token, int64_t nonce,
		    int64_t deadline, struct dblock_error *err)
{
	int64_t above = -1, broken = 0;
	bool resent = false;
	int rc = break_row(locks, name, token, nonce, deadline, &above, &resent, err);

	if (rc == 0 && above == -1)
		rc = break_rows(locks, name, token, deadline, &broken, err);
	/* Who waits need not find out for himself; if this fails, he does. */
	if (rc == 0)
		(void)dbl_serve(locks, name, dbl_locks_deadline(locks), NULL);
	/* Unless an earlier copy of ours did it, that grant does not hold it. */
	return rc == 0 && above == -1 && !broken && !resent ? dbl_stale(name, token, err) : rc;
}
