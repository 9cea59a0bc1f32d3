/* SPDX-License-Identifier: MIT */
/* Break: by token, so that a copy of the request that comes late cannot hit the next grant. */
#include "lock/admin.h"
#include "lock/bells.h"
#include "lock/serve.h"
#include "lock/settle.h"
#include "lock/value.h"

#define LOCKED_PAUSE_US 20000

static int not_held(const char *name, int64_t token, struct dblock_error *err)
{
	if (token)
		return dbl_fail(err, DBLOCK_STALE, "'%s' is not held by the grant with token %lld",
				name, (long long)token);
	return dbl_fail(err, DBLOCK_STALE, "'%s' is not held by anybody", name);
}

/* Which grant is it now? 0, with its token, or 0 if rows of the line may hold it; or DBLOCK_STALE.
 */
static int find_grant(struct dbl_locks *locks, const char *name, struct dbl_sight *sight,
		      struct dblock_error *err)
{
	int rc = dbl_look(locks->link, name, "", 0, dbl_locks_deadline(locks), sight, err);

	if (rc)
		return rc;
	if (!dbl_is_held(sight) && !sight->by_rows)
		return not_held(name, 0, err);
	if (!dbl_is_held(sight))
		sight->token = 0;
	return 0;
}

/* It may go from thread to thread there: not any more, now that it is broken. */
static void tell_holder(struct dbl_locks *locks, const struct dbl_sight *sight)
{
	if (sight->held_by_session && sight->thread <= 0)
		(void)dbl_bells_tell_holder(locks, sight->host, sight->pid, sight->token);
}

struct text {
	char text[200];
};

static int take_text(void *ctx, const struct dbl_value *row)
{
	dbl_copy_text(((struct text *)ctx)->text, sizeof(struct text), &row[0]);
	return 0;
}

/* Somebody's open transaction keeps the row: say whose, if the database tells. */
static int blocked(struct dbl_locks *locks, const char *name, struct dblock_error *err)
{
	struct text who = {""};
	struct dbl_request request = {.op = DBL_OP_blockers,
				      .row = take_text,
				      .ctx = &who,
				      .deadline = dbl_locks_deadline(locks)};

	/* Without the privilege to see it, the rest of the message must do. */
	(void)dbl_link_run(locks->link, &request, NULL);
	return dbl_fail(err, DBLOCK_BUSY,
			"'%s' was not broken: an open transaction locks its row%s%s; end it and "
			"try again",
			name, who.text[0] ? ", perhaps that of " : "", who.text);
}

/* Again until the row is free to be written. */
static int write_patiently(struct dbl_locks *locks, const char *name, struct dbl_request *request,
			   int64_t deadline, struct dblock_error *err)
{
	int rc;

	for (;;) {
		request->deadline = dbl_locks_deadline_by(locks, deadline);
		rc = dbl_link_run(locks->link, request, err);
		if (rc != DBLOCK_E_LOCKED)
			return rc;
		if (dbl_now(locks->env) >= deadline)
			return blocked(locks, name, err);
		dbl_sleep_until(locks->env,
				dbl_now(locks->env) + dbl_jitter(locks->env, LOCKED_PAUSE_US));
	}
}

static int break_row(struct dbl_locks *locks, const char *name, int64_t token, int64_t deadline,
		     int64_t *above, bool *resent, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token)};
	struct dbl_request request = {
		.op = DBL_OP_break, .args = args, .row = dbl_take_int, .ctx = above};
	int rc = write_patiently(locks, name, &request, deadline, err);

	*resent = request.resent;
	return rc;
}

/* Those rows of the line that hold it: the one with that token, or all. */
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
		struct dbl_request request = {.op = DBL_OP_row_end, .args = args};

		if (token && row->token != token)
			continue;
		rc = write_patiently(locks, name, &request, deadline, err);
		*broken += request.changed > 0 || request.resent;
	}
	dbl_line_free(&line);
	return rc;
}

/* Nothing found: unless an earlier copy of ours did it, that grant does not hold it. */
static int break_grant(struct dbl_locks *locks, const char *name, int64_t token, int64_t deadline,
		       struct dblock_error *err)
{
	int64_t above = -1, broken = 0;
	bool resent = false;
	int rc = break_row(locks, name, token, deadline, &above, &resent, err);

	if (rc == 0 && above == -1)
		rc = break_rows(locks, name, token, deadline, &broken, err);
	/* Who waits need not find out for himself; if this fails, he does. */
	if (rc == 0)
		(void)dbl_serve(locks, name, dbl_locks_deadline(locks), NULL);
	return rc == 0 && above == -1 && !broken && !resent ? not_held(name, token, err) : rc;
}

/* It may change hands between the look and the break: then it is the next one's turn. */
static int break_whoever(struct dbl_locks *locks, const char *name, int64_t deadline,
			 struct dblock_error *err)
{
	struct dbl_sight sight;
	int rc;

	do {
		rc = find_grant(locks, name, &sight, err);
		if (rc)
			return rc;
		rc = break_grant(locks, name, sight.token, deadline, err);
	} while (rc == DBLOCK_STALE && dbl_now(locks->env) < deadline);
	if (rc == 0)
		tell_holder(locks, &sight);
	return rc;
}

static int break_that(struct dbl_locks *locks, const char *name, int64_t token, int64_t deadline,
		      struct dblock_error *err)
{
	struct dbl_sight sight;
	int rc = dbl_look(locks->link, name, "", 0, dbl_locks_deadline(locks), &sight, err);

	if (rc)
		return rc;
	rc = break_grant(locks, name, token, deadline, err);
	if (rc == 0 && sight.token == token)
		tell_holder(locks, &sight);
	return rc;
}

int dbl_grant_break(struct dbl_locks *locks, const char *name, int64_t token, int64_t deadline,
		    struct dblock_error *err)
{
	int rc = token ? break_that(locks, name, token, deadline, err)
		       : break_whoever(locks, name, deadline, err);

	return rc ? rc : dbl_settle(locks, dbl_locks_deadline(locks), err);
}
