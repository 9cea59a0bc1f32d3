/* SPDX-License-Identifier: MIT */
/* The phases of a waiting acquire in which rows of the queue hold the lock, or are to hold it. Each
 * takes about one round trip. */
#include "lock/cache/reclaim.h"
#include "lock/wait/wait_own.h"

/* How often a try looks again: whether holders that seem to be over are, or as the queue has just changed. */
#define TRY_ROUNDS 8

/* Before it has joined the queue it counts as the last in it, with these. */
#define NEWCOMER_TICKET INT64_MAX
#define NEWCOMER_NONCE  (-1)

static int read_queue(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;

	return dbl_queue_read(a->locks, a->spec->name, dbl_attempt_deadline(a), &w->queue, err);
}

/* ---- what is wrong with the spec ------------------------------------------------------------- */

/* Fails if this can never be granted as the queue is, for example a mutex that is in use as a
 * semaphore. */
static int check_spec(struct dbl_wait *w, int64_t ticket, struct dblock_error *err)
{
	const struct dbl_acquire_spec *spec = w->attempt.spec;
	bool alone;
	const struct dbl_row *row =
		dbl_queue_misfit(&w->queue, ticket, spec->mode, spec->capacity, &alone);
	int rc = row || alone || spec->mode != DBLOCK_PERMITS
			 ? 0
			 : dbl_queue_check_permits(&w->queue, spec->name, spec->weight,
						   spec->capacity, err);

	if (rc)
		return rc;
	/* An upgrade has the lock as what it is; others, who want another kind of lock, fail. */
	if (!spec->upgrades)
		return row || alone ? dbl_queue_refuse(spec->name, row, err) : 0;
	if (!dbl_queue_has(&w->queue, spec->upgrades))
		return dbl_fail(err, DBLOCK_LOST, "'%s' had been lost before", spec->name);
	if (dbl_queue_other_upgrade(&w->queue, ticket, spec->upgrades))
		return dbl_fail(err, DBLOCK_DEADLOCK,
				"'%s': another holder waits to have it alone, and for this one to "
				"let go: release it, and acquire it exclusive",
				spec->name);
	return 0;
}

/* ---- before it is in the queue --------------------------------------------------------------- */

static void add_newcomer(struct dbl_wait *w)
{
	const struct dbl_acquire_spec *spec = w->attempt.spec;

	DBL_ASSERT(w->queue.n < w->queue.room && !w->ticket, "%u of %u", w->queue.n, w->queue.room);
	w->queue.rows[w->queue.n++] = (struct dbl_row){
		.ticket = NEWCOMER_TICKET,
		.nonce = NEWCOMER_NONCE,
		.mode = spec->mode,
		.weight = spec->weight,
		.capacity = spec->capacity > 0 ? spec->capacity : 0,
		.upgrades = spec->upgrades,
		.names = spec->names ? spec->names : 1,
		.priority = spec->priority,
		.session_found = true,
		.session_left = DBL_UNKNOWN,
	};
}

/* Whether the holder by the lock's own row is over. Our own session counts as alive. */
static bool is_over_now(struct dbl_wait *w)
{
	struct dbl_snapshot *snapshot = &w->attempt.snapshot;

	snapshot->own_alive = true;
	return dbl_judge_now(snapshot, dbl_session_clock_agrees(w->attempt.locks->session,
								&snapshot->clock)) != DBL_WAIT;
}

static bool tries_again(struct dbl_wait *w)
{
	return w->attempt.spec->tries && w->rounds++ < TRY_ROUNDS;
}

/* Whether a row is to be declared dead: a try may do so by the database's clock. */
static bool finds_doomed(struct dbl_wait *w)
{
	if (w->attempt.spec->asks_only || !tries_again(w))
		return false;
	w->action = DBL_DECLARE_DEAD;
	return dbl_advance_find_expired(w->attempt.locks, &w->queue, &w->doomed);
}

/* Whether the exclusive holder may be dead, as a try judges it, or its grant is idle. */
static bool may_be_over(struct dbl_wait *w)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_look(a->locks->link, a->spec->name, NULL, 0, dbl_attempt_deadline(a),
			  &a->snapshot, NULL);

	if (rc == 0 && dbl_may_be_idle(&a->snapshot))
		rc = dbl_reclaim(a, NULL);
	return rc || !dbl_is_held(&a->snapshot) || is_over_now(w);
}

/* The lock cannot be granted now: a try ends, others join the queue. */
static int not_admitted(struct dbl_wait *w, struct dblock_error *err)
{
	const struct dbl_acquire_spec *spec = w->attempt.spec;

	DBL_ASSERT(w->queue.n && w->queue.rows[w->queue.n - 1].nonce == NEWCOMER_NONCE);
	w->queue.n--; /* the newcomer */
	if (spec->asks_only)
		return DBLOCK_BUSY;
	if (finds_doomed(w))
		return dbl_wait_go_on(w, DBL_WAIT_DECLARE_ROW);
	if (!spec->tries || (w->queue.held && may_be_over(w)))
		return dbl_wait_go_on(w, DBL_WAIT_ENQUEUE);
	if (w->queue.held) {
		dbl_snapshot_tell(&w->attempt.snapshot, spec->name, err, DBLOCK_BUSY);
		return DBLOCK_BUSY;
	}
	dbl_queue_tell(&w->queue, spec->name, err, DBLOCK_BUSY);
	return DBLOCK_BUSY;
}

int dbl_wait_admit(struct dbl_wait *w, struct dblock_error *err)
{
	int rc = read_queue(w, err);

	if (rc == 0)
		rc = check_spec(w, NEWCOMER_TICKET, err);
	if (rc)
		return rc;
	add_newcomer(w);
	dbl_policy_decide(&w->queue, &w->decision);
	if (w->decision.what == DBL_DECIDE_NAME || w->decision.what == DBL_DECIDE_EXPEL)
		return dbl_wait_go_on(w, DBL_WAIT_ADVANCE);
	w->admitted = dbl_decision_grants(&w->decision, &w->queue, NEWCOMER_NONCE);
	if (w->admitted)
		dbl_expect_others(&w->attempt.locks->expected, dbl_spec_hash(w->attempt.spec),
				  false);
	if (w->admitted && dbl_wait_may_enter(w)) {
		w->admitted = false;
		return dbl_wait_go_on(w, DBL_WAIT_ENTER);
	}
	return w->admitted ? dbl_wait_go_on(w, DBL_WAIT_ENQUEUE) : not_admitted(w, err);
}

/* It has joined the queue by now: the newcomer's row gets its ticket and nonce, and the decision
 * holds, as long as nothing else has changed. */
static void take_its_place(struct dbl_wait *w)
{
	struct dbl_row *row = &w->queue.rows[w->queue.n - 1];

	DBL_ASSERT(w->queue.n && row->nonce == NEWCOMER_NONCE && w->ticket);
	row->ticket = w->ticket;
	row->nonce = w->waiter.nonce;
	if (w->decision.served == NEWCOMER_TICKET)
		w->decision.served = w->ticket;
}

/* ---- in the queue ---------------------------------------------------------------------------- */

static bool all_can_notify(struct dbl_wait *w)
{
	unsigned n = dbl_queue_holders(&w->queue);
	bool can = !w->mute;

	for (unsigned i = 0; i < n && can; i++)
		can = dbl_notifier_reaches(w->attempt.locks, w->queue.rows[i].host);
	return can;
}

static int keep_watching(struct dbl_wait *w)
{
	w->looked = true;
	w->can_wake_us = all_can_notify(w);
	dbl_wait_schedule(w, dbl_detector_next(&w->detector, &w->queue, dbl_wait_now(w)));
	dbl_queue_vigil(&w->queue, &w->vigil, w->attempt.locks, w->waiter.nonce);
	w->vigil_of_rows = true;
	dbl_wait_move(w, DBL_WAIT_WATCH);
	return DBLOCK_WAITING;
}

/* Whether this part of a wait for several names is first in its queue. */
static bool is_first(const struct dbl_wait *w)
{
	return w->decision.what == DBL_DECIDE_NOTIFY &&
	       w->queue.rows[w->decision.grants[0]].nonce == w->waiter.nonce;
}

/* A wait for any one of several names, not this one, is to be granted it: by who gave it back, or by itself at
 * its next look. All who stand behind would only be in each other's way. */
static bool is_anothers(const struct dbl_wait *w)
{
	return w->decision.what == DBL_DECIDE_ANY &&
	       w->queue.rows[w->decision.grants[0]].nonce != w->waiter.nonce;
}

int dbl_wait_read_queue(struct dbl_wait *w, struct dblock_error *err)
{
	int rc = read_queue(w, err);

	if (rc == 0)
		rc = check_spec(w, w->ticket, err);
	if (rc)
		return rc;
	/* It has been granted the lock since it looked. */
	if (dbl_queue_has(&w->queue, w->waiter.nonce))
		return dbl_wait_go_on(w, DBL_WAIT_WATCH);
	dbl_policy_decide(&w->queue, &w->decision);
	w->ready = is_first(w);
	if (w->ready || is_anothers(w))
		return keep_watching(w);
	if (w->decision.what != DBL_DECIDE_NOTHING)
		return dbl_wait_go_on(w, DBL_WAIT_ADVANCE);
	dbl_detector_note(&w->detector, &w->queue);
	w->action = dbl_detector_judge(&w->detector, &w->queue, dbl_wait_now(w), &w->doomed);
	if (w->action == DBL_WAIT && !finds_doomed(w))
		return keep_watching(w);
	return dbl_wait_go_on(w, DBL_WAIT_DECLARE_ROW);
}

/* The phase to go on with once a row was declared over, or expelled. */
static enum dbl_wait_phase queue_again(const struct dbl_wait *w)
{
	return w->ticket ? DBL_WAIT_READ_QUEUE : DBL_WAIT_ADMIT;
}

/* Tries again later if somebody has a row locked, perhaps for a heartbeat. */
static int not_now(struct dbl_wait *w, int rc)
{
	if (rc != DBLOCK_E_BLOCKED)
		return rc;
	(void)dbl_wait_go_on(w, queue_again(w));
	return dbl_wait_locked_out(w);
}

int dbl_wait_declare_row(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_advance_declare(a->locks, a->spec->name, &w->doomed, w->action,
				     dbl_attempt_deadline(a), err);

	return rc ? not_now(w, rc) : dbl_wait_go_on(w, queue_again(w));
}

/* It was not granted the lock at once, as decided: so its row, which was not announced, has to
 * be. */
static int announce_after_all(struct dbl_wait *w, int rc)
{
	char address[DBL_WAKE_ADDRESS_MAX];

	w->admitted = false;
	if (rc && rc != DBLOCK_E_BLOCKED && !dbl_link_may_pass(w->attempt.locks->link, rc))
		return rc;
	/* Its row has no address, so it looks often this time; the next one can be notified. */
	dbl_notifier_address(w->attempt.locks, true, NULL, address);
	(void)dbl_wait_go_on(w, DBL_WAIT_ANNOUNCE);
	w->locked_out = rc == DBLOCK_E_BLOCKED;
	return rc && !w->locked_out ? rc : DBLOCK_WAITING;
}

/* Others were granted the lock, or nobody was, since the queue had changed. */
static int after_advance(struct dbl_wait *w, const struct dbl_advanced *advanced)
{
	bool again = w->decision.what == DBL_DECIDE_NAME || w->decision.what == DBL_DECIDE_EXPEL;

	if (again && !w->ticket && dbl_wait_may_enter(w))
		return dbl_wait_go_on(w, DBL_WAIT_ENTER);
	if (again)
		return dbl_wait_go_on(w, queue_again(w));
	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	if (!advanced->done && !tries_again(w))
		return dbl_wait_a_little(w, DBL_WAIT_POLL_FIRST_US);
	return advanced->done ? keep_watching(w) : DBLOCK_WAITING;
}

/* A connection may lead to an older copy of the database, whose grants are none; a look says so. */
static bool is_ours(const struct dbl_wait *w, const struct dbl_advanced *advanced)
{
	return advanced->token && dbl_wait_is_here(w) &&
	       (advanced->beat == DBL_UNKNOWN || advanced->beat >= w->attempt.epoch->beat_there);
}

/* It is one of a wait for any of several names: that takes it, as if a look had found it. */
static int part_granted(struct dbl_wait *w, int64_t token, int64_t sent)
{
	w->attempt.snapshot.row_token = token;
	w->attempt.snapshot.row_left = DBL_UNKNOWN;
	w->asked_at = sent;
	w->ready = true;
	return dbl_wait_go_on(w, DBL_WAIT_WATCH);
}

int dbl_wait_advance(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t sent = dbl_wait_now(w);
	struct dbl_advanced advanced;
	int rc;

	if (w->admitted)
		take_its_place(w);
	w->ready = false;
	rc = dbl_advance_by(a->locks, a->spec->name, &w->queue, &w->decision, w->waiter.nonce,
			    dbl_attempt_deadline(a), &advanced, err);
	if (rc == 0 && is_ours(w, &advanced) && dbl_wait_is_part(w))
		return part_granted(w, advanced.token, sent);
	if (rc == 0 && is_ours(w, &advanced)) {
		w->by_row = w->decision.what == DBL_DECIDE_GRANT;
		return dbl_wait_granted(w, advanced.token, sent, a->spec->lease, err);
	}
	if (rc == 0 && advanced.token) {
		w->admitted = false;
		return dbl_wait_go_on(w, DBL_WAIT_WATCH);
	}
	if (w->admitted)
		return announce_after_all(w, rc);
	return rc ? not_now(w, rc) : after_advance(w, &advanced);
}

/* ---- of several names ------------------------------------------------------------------------ */

int dbl_wait_part(struct dbl_wait *w, struct dblock_error *err)
{
	int rc;

	DBL_ASSERT(dbl_wait_is_part(w) && w->waiter.nonce);
	w->ready = w->out = false;
	dbl_wait_move(w, DBL_WAIT_WATCH);
	do {
		w->next = dbl_wait_now(w);
		rc = dbl_wait_go(w, &w->why);
	} while (rc == DBLOCK_WAITING && !w->ready && !w->out && w->next <= dbl_wait_now(w));
	if (rc != DBLOCK_WAITING && err)
		*err = w->why;
	return rc;
}
