/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "driver/value.h"
#include "session/internal.h"

#define BEAT_LEAST_US 1000000LL

/* Between an errand that could not be done and the next try, at first. */
#define ERRAND_PAUSE_US 50000

static int take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t dbl_keeper_deadline(const struct dbl_session *session)
{
	int64_t deadline = dbl_add(dbl_now(session->env), session->options.timeout);

	return least(deadline, atomic_load(&session->until));
}

static void note_clock(struct dbl_session *session, int64_t database, int64_t sent)
{
	dbl_lock(&session->mutex);
	session->clock = (struct dbl_clock_sample){database, sent, dbl_now(session->env)};
	dbl_unlock(&session->mutex);
}

/* What session_open and heartbeat say: twice the database's time, and one more if somebody asks
 * this process for something. */
static void take_answer(struct dbl_session *session, int64_t answer, int64_t sent)
{
	note_clock(session, answer / 2, sent);
	if (answer % 2 && session->options.asked)
		session->options.asked(session->options.ctx);
}

/* Publish a life, and drop our share of the one before. */
static void publish(struct dbl_session *session, struct dbl_life *life)
{
	struct dbl_life *before;

	dbl_lock(&session->mutex);
	before = session->life;
	session->life = life;
	dbl_cond_wake(&session->changed);
	dbl_unlock(&session->mutex);
	dbl_life_drop(before);
}

/* Write the row of a new life. */
static int insert(struct dbl_session *session, struct dbl_life *life, int64_t deadline,
		  struct dblock_error *err)
{
	int64_t sent = dbl_now(session->env), answer = 0;
	struct dbl_value args[] = {
		dbl_text(life->id),
		dbl_text(session->host.name),
		dbl_int(session->host.pid),
		dbl_text(session->host.app),
		dbl_int(session->options.ttl),
		dbl_int(++life->beat),
	};
	struct dbl_request request = {.op = DBL_OP_session_open,
				      .args = args,
				      .row = take_int,
				      .ctx = &answer,
				      .deadline = deadline};
	int rc = dbl_link_run(session->link, &request, err);

	if (rc)
		return rc;
	take_answer(session, answer, sent);
	dbl_term_begin(&life->term, dbl_term_deadline(sent, session->options.ttl));
	if (dbl_term_left(&life->term, dbl_now(session->env)) > 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_TIMEOUT,
			"the database took longer to write the session than the session's ttl; "
			"choose a longer ttl");
}

void dbl_keeper_take_back(struct dbl_session *session, const struct dbl_life *life,
			  int64_t deadline)
{
	struct dbl_value id = dbl_text(life->id);
	struct dbl_request request = {
		.op = DBL_OP_session_delete, .args = &id, .deadline = deadline};

	(void)dbl_link_run(session->link, &request, NULL);
}

/* It was not begun, though its row may be there: as far as anybody has to know, it is not. */
static int not_begun(struct dbl_session *session, const struct dbl_life *life, int rc,
		     int64_t deadline, struct dblock_error *err)
{
	dbl_keeper_take_back(session, life, deadline);
	if (rc == DBLOCK_E_UNSURE)
		rc = dbl_now(session->env) < deadline ? DBLOCK_E_UNAVAILABLE : DBLOCK_E_TIMEOUT;
	if (err)
		err->code = rc;
	return rc;
}

int dbl_keeper_begin_life(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	struct dbl_life *life = dbl_life_new(session->env);
	int rc;

	if (!life)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory, or no random numbers");
	rc = insert(session, life, deadline, err);
	if (rc == 0) {
		publish(session, life);
		return 0;
	}
	if (rc == DBLOCK_E_UNSURE || rc == DBLOCK_E_TIMEOUT)
		rc = not_begun(session, life, rc, deadline, err);
	dbl_life_drop(life);
	return rc;
}

/* The old life is over for us: say so in the database, so that nobody has to watch it die. */
static void bury_own(struct dbl_session *session, int64_t deadline)
{
	struct dbl_value id = dbl_text(session->life->id);
	struct dbl_request request = {
		.op = DBL_OP_session_close, .args = &id, .deadline = deadline};

	(void)dbl_link_run(session->link, &request, NULL);
}

/* One heartbeat. 0: the life goes on, or has been found over; else it could not be told. */
static int beat(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	struct dbl_life *life = session->life;
	int64_t sent = dbl_now(session->env), answer = -1;
	struct dbl_value args[] = {dbl_text(life->id), dbl_int(++life->beat)};
	struct dbl_request request = {.op = DBL_OP_heartbeat,
				      .args = args,
				      .row = take_int,
				      .ctx = &answer,
				      .deadline = deadline};
	int rc = dbl_link_run(session->link, &request, err);

	/* Our row is certainly not there: the file was replaced, or the tables were dropped. Who
	 * comes now knows nothing of us. */
	if (rc == DBLOCK_E_NOTDB || rc == DBLOCK_E_SCHEMA)
		dbl_term_end(&life->term);
	if (rc)
		return rc;
	if (answer == -1) {
		dbl_term_end(&life->term);
		return 0;
	}
	dbl_term_renew(&life->term, dbl_now(session->env),
		       dbl_term_deadline(sent, session->options.ttl));
	take_answer(session, answer, sent);
	return 0;
}

static void note_trouble(struct dbl_session *session, const struct dblock_error *err)
{
	dbl_lock(&session->mutex);
	session->trouble = *err;
	dbl_unlock(&session->mutex);
}

static int64_t life_left(struct dbl_session *session)
{
	return dbl_term_left(&session->life->term, dbl_now(session->env));
}

/* A heartbeat that hangs, on a connection that is lost and does not know it, must leave time for
 * another on a new one: it gets half of the life that is left, or a second. */
static int64_t beat_deadline(struct dbl_session *session, int64_t left)
{
	int64_t half = left / 2 > BEAT_LEAST_US ? left / 2 : BEAT_LEAST_US;

	return least(dbl_now(session->env) + least(left, half), dbl_keeper_deadline(session));
}

/* Prolong the life; if it is over, begin another. */
static int keep_alive(struct dbl_session *session, struct dblock_error *err)
{
	int64_t left = life_left(session);
	int rc = 0;

	if (left > 0)
		rc = beat(session, beat_deadline(session, left), err);
	if (rc == 0 && life_left(session) == 0) {
		if (session->options.ended)
			session->options.ended(session->options.ctx);
		bury_own(session, dbl_keeper_deadline(session));
		rc = dbl_keeper_begin_life(session, dbl_keeper_deadline(session), err);
	}
	return rc;
}

/* What rides along with a heartbeat, without putting the next one off. */
static void run_errands(struct dbl_session *session, bool proven)
{
	int64_t deadline = least(dbl_now(session->env) + session->options.ttl / 6,
				 dbl_keeper_deadline(session));

	if (proven && session->options.proven)
		session->options.proven(session->options.ctx, session->link, deadline);
	dbl_debts_settle(session, deadline);
	if (session->options.beaten)
		session->options.beaten(session->options.ctx, session->link, deadline);
}

/* What is left over is tried again, soon at first; what has come up meanwhile is due when it said.
 */
static void plan_errands(struct dbl_session *session)
{
	dbl_lock(&session->mutex);
	session->errand_pause = least(session->errand_pause * 2, session->options.ttl / 3);
	if (session->debts)
		session->errands_at =
			least(session->errands_at, dbl_now(session->env) + session->errand_pause);
	dbl_unlock(&session->mutex);
}

static void do_errands(struct dbl_session *session, bool proven)
{
	dbl_lock(&session->mutex);
	session->errands_at = DBL_NEVER;
	dbl_unlock(&session->mutex);
	run_errands(session, proven);
	plan_errands(session);
}

static int keep(struct dbl_session *session)
{
	struct dblock_error err = {0};
	int rc = keep_alive(session, &err);

	note_trouble(session, &err);
	if (rc == 0)
		do_errands(session, true);
	return rc;
}

/* Sleep until `until`, or until there is an errand; *beat: it is time for a heartbeat. False: the
 * session is being closed. */
static bool rest(struct dbl_session *session, int64_t until, bool *beat)
{
	bool stopping;

	dbl_lock(&session->mutex);
	while (!session->stopping && !session->hurry &&
	       dbl_now(session->env) < least(until, session->errands_at))
		dbl_cond_wait(&session->changed, &session->mutex, session->env,
			      least(until, session->errands_at));
	stopping = session->stopping;
	*beat = session->hurry || dbl_now(session->env) >= until;
	session->hurry = false;
	dbl_unlock(&session->mutex);
	return !stopping;
}

static void *keeper(void *arg)
{
	struct dbl_session *session = arg;
	int64_t interval = session->options.ttl / 3;
	/* Counted from when the life began, however late this thread got to run. */
	int64_t next = session->clock.before + interval;
	bool beat;

	while (rest(session, next, &beat)) {
		int64_t begun = dbl_now(session->env);

		/* A failed heartbeat is no loss yet: try again soon, the deadline decides. */
		if (beat)
			next = begun + (keep(session) == 0 ? interval : interval / 8);
		else
			do_errands(session, false);
	}
	return NULL;
}

void dbl_session_errand(struct dbl_session *session, int64_t within)
{
	int64_t at = dbl_now(session->env) + within;

	dbl_lock(&session->mutex);
	session->errand_pause = ERRAND_PAUSE_US;
	if (at < session->errands_at) {
		session->errands_at = at;
		dbl_cond_wake(&session->changed);
	}
	dbl_unlock(&session->mutex);
}

void dbl_session_hurry(struct dbl_session *session)
{
	dbl_lock(&session->mutex);
	session->hurry = true;
	dbl_cond_wake(&session->changed);
	dbl_unlock(&session->mutex);
}

int dbl_keeper_start(struct dbl_session *session, struct dblock_error *err)
{
	if (dbl_thread_start(&session->keeper, keeper, session) == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_NOMEM, "the keeper thread cannot be started");
}
