/* SPDX-License-Identifier: MIT */
/* Waits until the holders of grants that are taken away let go, or have had the time to. */
#include <stdio.h>

#include "base/err.h"
#include "lock/admin/revoke_own.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/grant/release.h"

/* The pause between two looks whether the holder has let go. */
#define LOOK_FIRST_US 2000
#define LOOK_LAST_US  250000

/* How often the caller is asked whether to stop. */
#define STEP_US 100000

int64_t dbl_revoking_row_until(const struct dbl_revoking *r)
{
	int64_t until = dbl_add(dbl_now(r->locks->env), r->what->row_wait);

	return until < r->what->until ? until : r->what->until;
}

bool dbl_revoking_stands(const struct dbl_revoking *r)
{
	bool any = false, all = true;

	for (unsigned i = 0; i < r->n; i++) {
		any |= !r->rows[i].ended;
		all &= r->rows[i].ended || r->rows[i].marked;
	}
	return any && all;
}

static int canceled(const struct dbl_revoking *r, struct dblock_error *err)
{
	const char *why = atomic_load(&r->locks->shut) ? ", as the client has been shut down" : "";

	if (dbl_revoking_stands(r))
		return dbl_fail(err, DBLOCK_CANCELED,
				"'%s': the wait for its holder was canceled%s; it is taken away, "
				"and is free when its holder lets go",
				r->what->name, why);
	return dbl_fail(err, DBLOCK_CANCELED,
			"'%s': the wait for who has its row, or a table, locked was canceled%s; "
			"it may still be held",
			r->what->name, why);
}

/* Asks the caller whether to go on. */
static int ask(void *ctx, struct dblock_error *err)
{
	const struct dbl_revoking *r = ctx;
	const struct dbl_break *what = r->what;

	if (atomic_load(&r->locks->shut) || (what->canceled && what->canceled(what->canceled_arg)))
		return canceled(r, err);
	return 0;
}

struct dbl_row_wait dbl_revoking_row_wait(struct dbl_revoking *r)
{
	const char *marked = r->what->cause == DBLOCK_LOSS_RELEASED
				     ? "is released, but not free yet"
				     : "is broken, but not free yet";

	return (struct dbl_row_wait){.until = dbl_revoking_row_until(r),
				     .stands = dbl_revoking_stands(r) ? marked : "is not free yet",
				     .asks = ask,
				     .ctx = r};
}

/* The break has its event already, if its holder was told. */
static struct dbl_ending_event event_of(const struct dbl_revoking *r,
					const struct dbl_revoked_row *row)
{
	if (r->what->force)
		return (struct dbl_ending_event){DBLOCK_EVENT_FORCED, ""};
	if (row->marked)
		return (struct dbl_ending_event){DBLOCK_EVENT_FREED,
						 "its holder had been told, or had the time to be"};
	return (struct dbl_ending_event){DBLOCK_EVENT_BROKEN, "there was nobody to be told"};
}

int dbl_revoking_free(struct dbl_revoking *r, struct dbl_revoked_row *row, struct dblock_error *err)
{
	const char *name = r->what->name;
	struct dbl_row_wait wait = dbl_revoking_row_wait(r);
	struct dbl_ending_event event = event_of(r, row);
	int rc;

	if (r->what->cause != DBLOCK_LOSS_RELEASED)
		rc = dbl_break_grant(r->locks, name, row->token, row->nonce, &wait, &event, err);
	else if ((rc = dbl_release_by_token(r->locks, name, row->token, wait.until, err)) ==
		 DBLOCK_E_BLOCKED)
		rc = dbl_break_blocked(r->locks, name, &wait, err);
	row->ended = rc == 0 || rc == DBLOCK_STALE;
	row->marked |= rc == 0;
	return row->ended ? 0 : rc;
}

static int take_stand(void *ctx, const struct dbl_value *row)
{
	struct dbl_stand *stand = ctx;

	stand->stands = true;
	stand->token = row[0].i;
	stand->marked = row[1].type != DBL_NULL;
	stand->told = dbl_int_or(&row[1], 0) != 0;
	stand->watch = dbl_int_or(&row[2], DBL_UNKNOWN);
	stand->over = row[3].i != 0;
	return 0;
}

int dbl_revoked_stand(struct dbl_locks *locks, const char *name, int64_t token, int64_t nonce,
		      struct dbl_stand *stand, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token), dbl_int(nonce)};
	struct dbl_request request = {.op = DBL_OP_revoked,
				      .args = DBL_ARGS(args),
				      .row = take_stand,
				      .ctx = stand,
				      .deadline = dbl_locks_deadline(locks)};

	*stand = (struct dbl_stand){.watch = DBL_UNKNOWN};
	return dbl_link_run(locks->link, &request, err);
}

static bool is_due(const struct dbl_revoking *r, const struct dbl_revoked_row *row)
{
	return row->watch != DBL_UNKNOWN && dbl_now(r->locks->env) - row->since >= row->watch;
}

/* Looks whether the holder has let go; frees the grant if the holder has had the time to. */
static int look(struct dbl_revoking *r, struct dbl_revoked_row *row, struct dblock_error *err)
{
	struct dbl_stand stand;
	int rc = dbl_revoked_stand(r->locks, r->what->name, row->token, row->nonce, &stand, err);

	if (rc)
		return rc;
	row->ended = !stand.stands;
	row->token = stand.stands ? stand.token : row->token;
	row->told = stand.told;
	row->watch = stand.watch;
	row->marked |= stand.marked;
	/* A crash has lost the row that tells the holder: begin again. */
	if (stand.stands && !stand.marked && !stand.over)
		return DBLOCK_WAITING;
	/* The holder's time runs only from when that row is known to be there. */
	DBL_ASSERT(!stand.stands || stand.over || (row->marked && row->since > 0), "since %lld",
		   (long long)row->since);
	if (stand.stands && (stand.over || is_due(r, row)))
		return dbl_revoking_free(r, row, err);
	return 0;
}

struct dbl_revoked_row *dbl_revoking_left(const struct dbl_revoking *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (!r->rows[i].ended)
			return &r->rows[i];
	}
	return NULL;
}

/* A grant that cannot be looked at, since somebody has a table locked, still counts as held. */
static int look_at_all(struct dbl_revoking *r, struct dblock_error *err)
{
	int rc = 0;

	r->blocked = false;
	for (unsigned i = 0; i < r->n && rc == 0; i++) {
		if (!r->rows[i].ended)
			rc = look(r, &r->rows[i], err);
		r->blocked |= rc == DBLOCK_E_BLOCKED;
		rc = rc == DBLOCK_E_BLOCKED ? 0 : rc;
	}
	return rc;
}

static int64_t left_of(const struct dbl_revoking *r, const struct dbl_revoked_row *row)
{
	int64_t left;

	DBL_ASSERT(row->watch == DBL_UNKNOWN || row->watch >= 0, "%lld", (long long)row->watch);
	if (row->watch == DBL_UNKNOWN)
		return DBL_UNKNOWN;
	left = row->watch - (dbl_now(r->locks->env) - row->since);
	return left > 0 ? left : 0;
}

static void tell_caller(struct dbl_revoking *r, const struct dbl_revoked_row *row)
{
	int64_t now = dbl_now(r->locks->env), left = left_of(r, row);
	struct dblock_breaking breaking = {.size = sizeof(breaking),
					   .name = r->what->name,
					   .token = row->token,
					   .host = row->host,
					   .pid = row->pid,
					   .told = row->told,
					   .waited_ms = (now - r->begun) / 1000,
					   .left_ms = left == DBL_UNKNOWN ? -1 : left / 1000};

	if (!r->what->waiting || now - r->told_at < r->what->waiting_every)
		return;
	r->told_at = now;
	r->what->waiting(r->what->waiting_arg, &breaking);
}

static int time_is_up(const struct dbl_revoking *r, const struct dbl_revoked_row *row,
		      struct dblock_error *err)
{
	int64_t left = left_of(r, row);
	char latest[64] = "with its lease";

	if (left != DBL_UNKNOWN)
		(void)snprintf(latest, sizeof(latest), "in %lld s",
			       (long long)(left / 1000000 + 1));
	return dbl_fail(
		err, DBLOCK_TIMEOUT,
		"'%s' is taken away from host %s, pid %lld (token %lld), which %s; it is free "
		"when that process lets go, or %s for who waits then",
		r->what->name, row->host, (long long)row->pid, (long long)row->token,
		row->told ? "has been told, and has not let go yet" : "has not heard of it yet",
		latest);
}

/* Adds whose transaction keeps us from seeing the grant. */
static void tell_blocker(const struct dbl_revoking *r, struct dblock_error *err)
{
	struct dblock_error by = {0};

	(void)dbl_blocked_name(r->locks, r->what->name, DBLOCK_TIMEOUT, &by);
	dbl_err_suffix(err, "; %s", by.message);
}

/* Sleeps until the next look, or until the grant may be freed (unless a locked table kept us from
 * looking) or the wait ends, if that is sooner. */
static int rest(struct dbl_revoking *r, const struct dbl_revoked_row *row, int64_t pause,
		struct dblock_error *err)
{
	const struct dbl_break *what = r->what;
	const struct dbl_env *env = r->locks->env;
	int64_t now = dbl_now(env), next = now + dbl_jitter(env, pause);
	int rc;

	if (!r->blocked && row->watch != DBL_UNKNOWN && row->since + row->watch < next)
		next = row->since + row->watch > now ? row->since + row->watch : now;
	if (what->until < next)
		next = what->until;
	while ((rc = ask(r, err)) == 0 && (now = dbl_now(env)) < next) {
		tell_caller(r, row);
		dbl_sleep_until(env, now + STEP_US < next ? now + STEP_US : next);
	}
	return rc;
}

int dbl_revoking_wait(struct dbl_revoking *r, struct dblock_error *err)
{
	int64_t pause = LOOK_FIRST_US;
	const struct dbl_revoked_row *left;
	int rc;

	for (;;) {
		rc = look_at_all(r, err);
		left = dbl_revoking_left(r);
		if (rc || !left)
			return rc;
		if (dbl_now(r->locks->env) >= r->what->until) {
			rc = time_is_up(r, left, err);
			if (r->blocked)
				tell_blocker(r, err);
			return rc;
		}
		rc = rest(r, left, pause, err);
		if (rc)
			return rc;
		pause = pause * 2 < LOOK_LAST_US ? pause * 2 : LOOK_LAST_US;
	}
}
