/* SPDX-License-Identifier: MIT */
#include "lock/admin/revoke_own.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/make_durable.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/notify/notifier.h"
#include "lock/watch/revoked.h"

/* The columns of revoke_grants, in order. */
enum { TOKEN, NONCE, LEASED, OVER, SESSION, LIVING, PROTOCOL, HOST, PID };

/* ---- who holds it ---------------------------------------------------------------------------- */

static int take_row(void *ctx, const struct dbl_value *value)
{
	struct dbl_revoking *r = ctx;
	struct dbl_revoked_row *row;

	if (r->what->token && value[TOKEN].i != r->what->token)
		return 0;
	if (r->n == r->room) {
		unsigned room = r->room ? r->room * 2 : 8;
		struct dbl_revoked_row *rows = dbl_realloc(r->rows, room * sizeof(*rows));

		if (!rows)
			return DBLOCK_E_NOMEM;
		r->rows = rows;
		r->room = room;
	}
	row = &r->rows[r->n++];
	*row = (struct dbl_revoked_row){.token = value[TOKEN].i,
					.nonce = value[NONCE].i,
					.leased = value[LEASED].i != 0,
					.over = value[OVER].i != 0,
					.living = value[LIVING].i != 0,
					.protocol = value[PROTOCOL].i,
					.pid = value[PID].i,
					.watch = DBL_UNKNOWN};
	/* The rows of one grant come one behind the other. */
	DBL_ASSERT(r->n < 2 || row[-1].token <= row->token, "%lld", (long long)row->token);
	dbl_copy_text(row->session, sizeof(row->session), &value[SESSION]);
	dbl_copy_text(row->host, sizeof(row->host), &value[HOST]);
	return 0;
}

static int read_grants(struct dbl_revoking *r, struct dblock_error *err)
{
	struct dbl_value name = dbl_text(r->what->name);
	struct dbl_request request = {
		.op = DBL_OP_revoke_grants, .args = DBL_ARG(name), .row = take_row, .ctx = r};
	struct dbl_row_wait wait = dbl_revoking_row_wait(r);
	int rc;

	do {
		r->n = 0;
		request.deadline = dbl_locks_deadline(r->locks);
		rc = dbl_link_run(r->locks->link, &request, err);
		if (rc != DBLOCK_E_BLOCKED)
			break;
		rc = wait.asks(wait.ctx, err);
		/* A read waits for nobody's row: somebody has the table. */
		if (rc == 0 && !dbl_pause_before_retry(r->locks, wait.until))
			return dbl_blocked_name(r->locks, r->what->name, DBLOCK_BUSY, err);
	} while (rc == 0);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

/* Whether the grant can be freed at once, since no living client might give it back or be told. */
static bool is_nobodys(const struct dbl_revoked_row *row, bool living)
{
	return row->over || row->nonce == 0 || (row->leased && !living);
}

static int not_held(struct dbl_locks *locks, const struct dbl_break *what, struct dblock_error *err)
{
	if (what->token && what->cause == DBLOCK_LOSS_RELEASED)
		dbl_event_note(locks, DBLOCK_EVENT_REFUSED, what->name, what->token, "",
			       "its release");
	if (what->token)
		return dbl_stale(what->name, what->token, err);
	return dbl_fail(err, DBLOCK_STALE, "'%s' is not held by anybody", what->name);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void own_id(const struct dbl_revoking *r, char *id, size_t size)
{
	struct dbl_epoch *epoch;

	id[0] = '\0';
	if (dbl_session_epoch(r->locks->session, dbl_now(r->locks->env), &epoch, NULL))
		return;
	(void)snprintf(id, size, "%s", epoch->id);
	dbl_epoch_drop(epoch);
}

/* Takes the grant of rows[i .. end) from this client, if it has it. *ours: it has, by the session's
 * id, or, for a lease, by its handles. *living: another living session may have it. Once a handle
 * here has been told, the grant counts as broken, also if it is over before we end it. */
static int tell_ourselves(struct dbl_revoking *r, unsigned i, unsigned end, bool *ours,
			  bool *living, struct dblock_error *err)
{
	struct dbl_revoked_row *rows = r->rows, *row = &rows[i];
	char id[sizeof(rows->session)];

	own_id(r, id, sizeof(id));
	*ours = !rows[i].leased && strcmp(rows[i].session, id) == 0;
	for (*living = false; i < end; i++)
		*living |= rows[i].living && strcmp(rows[i].session, id) != 0;
	return dbl_revoked_own(r->locks, r->what->name, r->what->cause, rows[end - 1].token,
			       rows[end - 1].nonce, ours, &row->marked, err);
}

static int too_old(const struct dbl_revoking *r, const struct dbl_revoked_row *row,
		   struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_BUSY,
			"'%s' is held by host %s, pid %lld, whose dblock is of an older version "
			"and cannot be told; end that process, or take it away by force",
			r->what->name, row->host, (long long)row->pid);
}

/* Writes durably for one session that the grant is taken away. */
static int mark(struct dbl_revoking *r, struct dbl_revoked_row *row, bool *done,
		struct dblock_error *err)
{
	const struct dbl_host *host = r->locks->host;
	struct dbl_value args[] = {dbl_text(row->session),  dbl_text(r->what->name),
				   dbl_int(row->token),     dbl_int(row->nonce),
				   dbl_int(r->what->cause), dbl_text(host->name),
				   dbl_int(host->pid),      dbl_text(host->app)};
	struct dbl_request request = {.op = DBL_OP_revoke, .args = DBL_ARGS(args)};
	struct dbl_row_wait wait = dbl_revoking_row_wait(r);
	int rc;

	DBL_ASSERT(row->session[0] && row->token > 0 && row->nonce != 0);
	wait.stands =
		r->what->cause == DBLOCK_LOSS_RELEASED ? "was not released" : "was not broken";
	rc = dbl_break_tell(r->locks, r->what->name, &request, &wait, err);
	*done |= rc == 0 && (request.changed > 0 || request.resent);
	if (rc == 0 && request.changed > 0)
		dbl_event_written(r->locks);
	return rc;
}

/* Tells all sessions that may have the grant of rows[i .. end). */
static int mark_all(struct dbl_revoking *r, unsigned i, unsigned end, struct dblock_error *err)
{
	struct dbl_revoked_row *first = &r->rows[i];
	int rc = 0;

	for (unsigned k = i; k < end && rc == 0; k++) {
		if (r->rows[k].protocol >= 1 && r->rows[k].session[0])
			rc = mark(r, &r->rows[k], &first->marked, err);
	}
	first->since = dbl_now(r->locks->env);
	if (rc == 0)
		dbl_notifier_revoked(r->locks, first->host, first->pid, first->token);
	return rc;
}

static unsigned end_of_grant(const struct dbl_revoking *r, unsigned i)
{
	unsigned end = i + 1;

	while (end < r->n && r->rows[end].token == r->rows[i].token)
		end++;
	return end;
}

static bool is_old(const struct dbl_revoking *r, unsigned i, unsigned end)
{
	bool old = false;

	for (unsigned k = i; k < end; k++)
		old |= r->rows[k].protocol < 1;
	return old;
}

/* Tells the holder of the grant, and frees it if nobody need be waited for. */
static int take_away(struct dbl_revoking *r, unsigned i, unsigned end, struct dblock_error *err)
{
	struct dbl_revoked_row *row = &r->rows[i];
	bool ours, living;
	int rc = tell_ourselves(r, i, end, &ours, &living, err);

	if (rc)
		return rc;
	if (ours || is_nobodys(row, living))
		return dbl_revoking_free(r, row, err);
	rc = mark_all(r, i, end, err);
	return rc || !r->what->force ? rc : dbl_revoking_free(r, row, err);
}

/* Fails if a holder is too old to be told: before any is told, so that nothing has been done. */
static int check_old(const struct dbl_revoking *r, struct dblock_error *err)
{
	for (unsigned i = 0, end; i < r->n; i = end) {
		end = end_of_grant(r, i);
		if (is_old(r, i, end) && !is_nobodys(&r->rows[i], true))
			return too_old(r, &r->rows[i], err);
	}
	return 0;
}

static int take_all_away(struct dbl_revoking *r, struct dblock_error *err)
{
	int rc = r->what->force ? 0 : check_old(r, err);

	for (unsigned i = 0, end; i < r->n && rc == 0; i = end) {
		end = end_of_grant(r, i);
		rc = take_away(r, i, end, err);
		for (unsigned k = i + 1; k < end; k++)
			r->rows[k].ended = true;
	}
	return rc;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool any_marked(const struct dbl_revoking *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->n; i++)
		any |= r->rows[i].marked;
	return any;
}

/* It was held when it was read: its holder, or our own client, who was told, has been faster. */
static bool has_ended_meanwhile(const struct dbl_revoking *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->n && r->what->token; i++)
		any |= r->rows[i].nonce != 0 && !r->rows[i].over;
	return any;
}

static int one_round(struct dbl_revoking *r, struct dblock_error *err)
{
	int rc = read_grants(r, err);

	if (rc == 0)
		rc = take_all_away(r, err);
	if (rc == 0 && dbl_revoking_left(r))
		rc = dbl_revoking_wait(r, err);
	return rc || any_marked(r) || has_ended_meanwhile(r) ? rc
							     : not_held(r->locks, r->what, err);
}

/* Adds to a failure that the grant is being taken away: the caller would think nothing was done. */
static void say_what_stands(const struct dbl_revoking *r, struct dblock_error *err)
{
	if (dbl_revoking_stands(r))
		dbl_err_suffix(err, "; the %s stands: it is free when its holder lets go",
			       r->what->cause == DBLOCK_LOSS_RELEASED ? "release" : "break");
}

/* The lock may change hands after the holders were read; then the next holders are dealt with. */
int dbl_revoke(struct dbl_locks *locks, const struct dbl_break *what, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_revoking r = {.locks = locks, .what = what, .begun = dbl_now(locks->env)};
	int64_t until = dbl_revoking_row_until(&r);
	int rc;

	r.told_at = r.begun;
	do
		rc = one_round(&r, err);
	while (rc == DBLOCK_WAITING ||
	       (rc == DBLOCK_STALE && r.n > 0 && !what->token && dbl_now(locks->env) < until));
	if (rc < 0)
		say_what_stands(&r, err);
	dbl_free(r.rows);
	/* A release makes itself durable. */
	if (rc || what->cause == DBLOCK_LOSS_RELEASED)
		return rc;
	return dbl_make_durable(locks, dbl_locks_deadline(locks), err);
}
