/* SPDX-License-Identifier: MIT */
/* What a waiting acquire does where rows of the line hold the lock, or are to hold it: phase by
 * phase, each about one round trip. */
#include "lock/cache/reclaim.h"
#include "lock/wait/wait_own.h"

/* A try looks so often whether holders that seem to be over are. */
#define TRY_ROUNDS 8

/* Before it is in line it stands behind everybody. */
#define NEWCOMER_TICKET INT64_MAX
#define NEWCOMER_NONCE  (-1)

static int read_line(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;

	return dbl_line_read(a->locks, a->wish->name, dbl_attempt_deadline(a), &w->line, err);
}

/* ---- what is wrong with the wish ----------------------------------------------------------------
 */

/* Somebody else, or we before, keep us from ever being granted this. 0: nobody does. */
static int check_wish(struct dbl_wait *w, int64_t ticket, struct dblock_error *err)
{
	const struct dbl_wish *wish = w->attempt.wish;
	bool alone;
	const struct dbl_row *row =
		dbl_line_misfit(&w->line, ticket, wish->mode, wish->capacity, &alone);

	/* Who upgrades has it, as what it is; whoever stands in line for another kind is told so.
	 */
	if (!wish->upgrades)
		return row || alone ? dbl_line_refuse(wish->name, row, err) : 0;
	if (!dbl_line_has(&w->line, wish->upgrades))
		return dbl_fail(err, DBLOCK_LOST, "'%s' had been lost before", wish->name);
	if (dbl_line_other_upgrade(&w->line, ticket, wish->upgrades))
		return dbl_fail(err, DBLOCK_DEADLOCK,
				"'%s': another holder waits to have it alone, and for this one to "
				"let go: release it, and acquire it exclusive",
				wish->name);
	return 0;
}

/* ---- before it is in line -----------------------------------------------------------------------
 */

static void add_newcomer(struct dbl_wait *w)
{
	const struct dbl_wish *wish = w->attempt.wish;

	DBL_ASSERT(w->line.n < w->line.room && !w->ticket, "%u of %u", w->line.n, w->line.room);
	w->line.rows[w->line.n++] = (struct dbl_row){
		.ticket = NEWCOMER_TICKET,
		.nonce = NEWCOMER_NONCE,
		.mode = wish->mode,
		.weight = wish->weight,
		.capacity = wish->capacity,
		.upgrades = wish->upgrades,
		.names = wish->names > 1 ? wish->names : 1,
		.session_found = true,
		.session_left = DBL_UNKNOWN,
	};
}

/* As the lock's own row was seen, for somebody whose own session is alive. */
static bool is_over_now(struct dbl_wait *w)
{
	struct dbl_sight *sight = &w->attempt.sight;

	sight->own_alive = true;
	return dbl_judge_now(sight, dbl_session_clock_agrees(w->attempt.locks->session,
							     &sight->clock)) != DBL_WAIT;
}

/* A try may declare dead who looks so by the database's clock. */
static bool finds_doomed(struct dbl_wait *w)
{
	if (!w->attempt.wish->tries || w->rounds++ == TRY_ROUNDS)
		return false;
	w->verdict = DBL_BURY;
	return dbl_serve_find_expired(w->attempt.locks, &w->line, &w->doomed);
}

/* Who has it alone may be dead, by what a try may go by; or does not need it. */
static bool may_be_over(struct dbl_wait *w)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_look(a->locks->link, a->wish->name, "", 0, dbl_attempt_deadline(a), &a->sight,
			  NULL);

	if (rc == 0 && dbl_is_kept(&a->sight))
		rc = dbl_beg(a, NULL);
	return rc || !dbl_is_held(&a->sight) || is_over_now(w);
}

/* It cannot have it now. */
static int not_admitted(struct dbl_wait *w, struct dblock_error *err)
{
	const struct dbl_wish *wish = w->attempt.wish;

	DBL_ASSERT(w->line.n && w->line.rows[w->line.n - 1].nonce == NEWCOMER_NONCE);
	w->line.n--; /* the newcomer */
	if (finds_doomed(w))
		return dbl_wait_go_on(w, DBL_WAIT_DECLARE_ROW);
	if (!wish->tries || (w->line.held && may_be_over(w)))
		return dbl_wait_go_on(w, DBL_WAIT_ENQUEUE);
	if (w->line.held) {
		dbl_sight_tell(&w->attempt.sight, wish->name, err, DBLOCK_BUSY);
		return DBLOCK_BUSY;
	}
	dbl_line_tell(&w->line, wish->name, err, DBLOCK_BUSY);
	return DBLOCK_BUSY;
}

int dbl_wait_admit(struct dbl_wait *w, struct dblock_error *err)
{
	int rc = read_line(w, err);

	if (rc == 0)
		rc = check_wish(w, NEWCOMER_TICKET, err);
	if (rc)
		return rc;
	add_newcomer(w);
	dbl_plan_make(&w->line, &w->plan);
	if (w->plan.what == DBL_PLAN_NAME || w->plan.what == DBL_PLAN_EXPEL)
		return dbl_wait_go_on(w, DBL_WAIT_SERVE);
	w->admitted = dbl_plan_grants(&w->plan, &w->line, NEWCOMER_NONCE);
	return w->admitted ? dbl_wait_go_on(w, DBL_WAIT_ENQUEUE) : not_admitted(w, err);
}

/* It is in line now, though nobody has been told: so the plan that was made with it holds, as long
 * as nothing else has changed. */
static void take_its_place(struct dbl_wait *w)
{
	struct dbl_row *row = &w->line.rows[w->line.n - 1];

	DBL_ASSERT(w->line.n && row->nonce == NEWCOMER_NONCE && w->ticket);
	row->ticket = w->ticket;
	row->nonce = w->waiter.nonce;
	if (w->plan.served == NEWCOMER_TICKET)
		w->plan.served = w->ticket;
}

/* ---- in line ------------------------------------------------------------------------------------
 */

static bool all_can_ring(struct dbl_wait *w)
{
	unsigned n = dbl_line_holders(&w->line);
	bool can = !w->mute;

	for (unsigned i = 0; i < n && can; i++)
		can = dbl_bells_can_ring(w->attempt.locks, w->line.rows[i].host);
	return can;
}

static int keep_watching(struct dbl_wait *w)
{
	w->looked = true;
	w->rings = all_can_ring(w);
	dbl_wait_plan_next(w, dbl_vigil_next(&w->vigil, &w->line, dbl_wait_now(w)));
	dbl_wait_move(w, DBL_WAIT_WATCH);
	return DBLOCK_WAITING;
}

/* Of several names: here it is its turn. */
static bool is_first(const struct dbl_wait *w)
{
	return w->plan.what == DBL_PLAN_RING &&
	       w->line.rows[w->plan.grants[0]].nonce == w->waiter.nonce;
}

int dbl_wait_line(struct dbl_wait *w, struct dblock_error *err)
{
	int rc = read_line(w, err);

	if (rc == 0)
		rc = check_wish(w, w->ticket, err);
	if (rc)
		return rc;
	dbl_plan_make(&w->line, &w->plan);
	w->ready = is_first(w);
	if (w->ready)
		return keep_watching(w);
	if (w->plan.what != DBL_PLAN_NOTHING)
		return dbl_wait_go_on(w, DBL_WAIT_SERVE);
	dbl_vigil_note(&w->vigil, &w->line);
	w->verdict = dbl_vigil_judge(&w->vigil, &w->line, dbl_wait_now(w), &w->doomed);
	if (w->verdict == DBL_WAIT && !finds_doomed(w))
		return keep_watching(w);
	return dbl_wait_go_on(w, DBL_WAIT_DECLARE_ROW);
}

/* Where it goes on once a row was declared over, or expelled. */
static enum dbl_wait_phase line_again(const struct dbl_wait *w)
{
	return w->ticket ? DBL_WAIT_LINE : DBL_WAIT_ADMIT;
}

/* Somebody has a row locked, perhaps to beat. */
static int not_now(struct dbl_wait *w, int rc)
{
	if (rc != DBLOCK_E_LOCKED)
		return rc;
	(void)dbl_wait_go_on(w, line_again(w));
	return dbl_wait_kept_out(w);
}

int dbl_wait_declare_row(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int rc = dbl_serve_declare(a->locks, a->wish->name, &w->doomed, w->verdict,
				   dbl_attempt_deadline(a), err);

	return rc ? not_now(w, rc) : dbl_wait_go_on(w, line_again(w));
}

/* Nobody was told that it is in line; and it did not go as planned. */
static int announce_after_all(struct dbl_wait *w, int rc)
{
	char bell[DBL_BELL_TEXT_MAX];

	w->admitted = false;
	if (rc && rc != DBLOCK_E_LOCKED)
		return rc;
	/* It looks often, this time; the next one is rung. */
	dbl_bells_address(w->attempt.locks, true, bell);
	(void)dbl_wait_go_on(w, DBL_WAIT_ANNOUNCE);
	w->kept_out = rc != 0;
	return DBLOCK_WAITING;
}

/* Others got on; or nobody did, since things had changed. */
static int after_serving(struct dbl_wait *w, const struct dbl_served *served)
{
	bool again = w->plan.what == DBL_PLAN_NAME || w->plan.what == DBL_PLAN_EXPEL;

	if (again)
		return dbl_wait_go_on(w, line_again(w));
	(void)dbl_wait_go_on(w, DBL_WAIT_WATCH);
	if (!served->done)
		return dbl_wait_a_little(w, DBL_WAIT_POLL_FIRST_US);
	return keep_watching(w);
}

int dbl_wait_serve(struct dbl_wait *w, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;
	int64_t sent = dbl_wait_now(w);
	struct dbl_served served;
	int rc;

	if (w->admitted)
		take_its_place(w);
	rc = dbl_serve_plan(a->locks, a->wish->name, &w->line, &w->plan, w->waiter.nonce,
			    dbl_attempt_deadline(a), &served, err);
	if (rc == 0 && served.token)
		return dbl_wait_granted(w, served.token, sent, a->wish->lease, err);
	if (w->admitted)
		return announce_after_all(w, rc);
	return rc ? not_now(w, rc) : after_serving(w, &served);
}

/* ---- of several names ---------------------------------------------------------------------------
 */

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
