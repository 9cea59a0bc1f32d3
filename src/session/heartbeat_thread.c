/* SPDX-License-Identifier: MIT */
#include "session/internal.h"

#include "base/alarm.h"
#include "base/assert.h"

#define BEAT_LEAST_US 1000000LL

/* The least time between two heartbeats that dbl_session_beat_soon() brings about. */
#define BEAT_SOON_US 100000

/* The time over which the clients of a server that has hung up come back. */
#define HUNG_UP_US 400000

/* The first pause between an errand that could not be done and the next try. */
#define ERRAND_PAUSE_US 50000

static void note_trouble(struct dbl_session *session, const struct dblock_error *err)
{
	dbl_lock(&session->mutex);
	session->trouble = *err;
	dbl_unlock(&session->mutex);
}

static int64_t life_left(struct dbl_session *session)
{
	return dbl_validity_left(&session->epoch->validity, dbl_now(session->env));
}

/* A heartbeat that hangs on a lost connection must leave time for another one on a new connection:
 * it gets half of the time that the epoch has left, but at least a second. */
static int64_t beat_deadline(struct dbl_session *session, int64_t left)
{
	int64_t half = left / 2 > BEAT_LEAST_US ? left / 2 : BEAT_LEAST_US;

	DBL_ASSERT(left > 0 && left < session->options.ttl, "%lld", (long long)left);
	return dbl_least(dbl_now(session->env) + dbl_least(left, half),
			 dbl_heartbeat_deadline(session));
}

static int begin_anew(struct dbl_session *session, struct dblock_error *err)
{
	int rc;

	dbl_state_lost(session);
	/* The holders of this client's grants can be told until then; others are let in later. */
	if (session->options.ended)
		session->options.ended(session->options.ctx,
				       dbl_add(dbl_now(session->env), session->options.ttl / 10));
	dbl_epoch_row_declare_dead(session, dbl_heartbeat_deadline(session));
	rc = dbl_epoch_row_begin(session, dbl_heartbeat_deadline(session), err);
	if (rc)
		return rc;
	/* What we lived by is over: the branch that has the new row is ours from now on. */
	session->lineage = (struct dbl_lineage){.id = ""};
	dbl_state_begun(session);
	/* Leases outlive an epoch: the next heartbeat tells which were taken away meanwhile. */
	dbl_session_hurry(session);
	return 0;
}

static int send_beat(struct dbl_session *session, int64_t left, struct dblock_error *err)
{
	struct dbl_tally *tally = session->target->tally;
	int64_t began = dbl_now(session->env);
	int rc = dbl_heartbeat_send(session, beat_deadline(session, left), err);

	if (rc == 0)
		DBL_COUNT(tally, heartbeats);
	else
		DBL_COUNT(tally, heartbeats_failed);
	dbl_state_beaten(session, rc, err);
	if (session->options.sent)
		session->options.sent(session->options.ctx, began, rc);
	return rc;
}

/* Prolong the epoch; if it is over, begin another. */
static int keep_alive(struct dbl_session *session, struct dblock_error *err)
{
	int64_t left = life_left(session);
	int rc = 0;

	if (left > 0)
		rc = send_beat(session, left, err);
	return rc == 0 && life_left(session) == 0 ? begin_anew(session, err) : rc;
}

/* Do what goes with a heartbeat; the time of the next heartbeat stays. */
static void run_errands(struct dbl_session *session, bool proven)
{
	int64_t deadline = dbl_least(dbl_now(session->env) + session->options.ttl / 6,
				     dbl_heartbeat_deadline(session));

	if (proven && session->options.proven)
		session->options.proven(session->options.ctx, session->link, deadline);
	dbl_cleanups_run(session, deadline);
	if (session->options.beaten)
		session->options.beaten(session->options.ctx, session->link, deadline);
}

/* What could not be done is tried again, soon at first; a new errand keeps its own time. */
static void plan_errands(struct dbl_session *session)
{
	dbl_lock(&session->mutex);
	session->errand_pause = dbl_least(session->errand_pause * 2, session->options.ttl / 3);
	if (session->cleanups)
		session->errands_at = dbl_least(session->errands_at,
						dbl_now(session->env) + session->errand_pause);
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
		do_errands(session, dbl_heartbeat_is_proven(session));
	return rc;
}

static int64_t wakes_at(const struct dbl_session *session, int64_t until)
{
	DBL_ASSERT_HELD(&session->mutex);
	return dbl_least(dbl_least(until, session->beat_at), session->errands_at);
}

/* Under the mutex: the next heartbeat is sent then at the latest. */
static void beat_by(struct dbl_session *session, int64_t at)
{
	DBL_ASSERT_HELD(&session->mutex);
	if (at < session->beat_at) {
		session->beat_at = at;
		dbl_session_wake(session);
	}
}

/* The server has hung up: what takes over from it may have forgotten what we hold, and is asked
 * soon. All its clients noticed in the same moment, so each waits for a time of its own. */
static void hung_up(struct dbl_session *session)
{
	int64_t apart = dbl_random_id(session->env) % HUNG_UP_US;

	dbl_link_drop(session->link);
	beat_by(session, dbl_now(session->env) + BEAT_SOON_US + apart);
}

/* Sleep until then, or until woken. Where the connection is a socket its end wakes as well. */
static void sleep_beside(struct dbl_session *session, int64_t until)
{
	int socket = dbl_link_socket(session->link);
	bool gone;

	DBL_ASSERT_HELD(&session->mutex);
	if (session->alarm < 0 || socket < 0) {
		dbl_cond_wait(&session->changed, &session->mutex, session->env, until);
		return;
	}
	dbl_alarm_set(session->alarm, session->env, until);
	dbl_unlock(&session->mutex);
	gone = dbl_alarm_wait_beside(session->alarm, socket);
	dbl_lock(&session->mutex);
	if (gone)
		hung_up(session);
}

/* Sleep until `until`, or until an errand is due. *beat says whether it is time for a heartbeat.
 * False: the session is being closed. */
static bool rest(struct dbl_session *session, int64_t until, bool *beat)
{
	bool stopping;

	dbl_lock(&session->mutex);
	while (!session->stopping && !session->hurry &&
	       dbl_now(session->env) < wakes_at(session, until))
		sleep_beside(session, wakes_at(session, until));
	stopping = session->stopping;
	*beat = session->hurry || dbl_now(session->env) >= dbl_least(until, session->beat_at);
	session->hurry = false;
	if (*beat) {
		session->beat_at = DBL_NEVER;
		session->beaten_at = dbl_now(session->env);
	}
	dbl_unlock(&session->mutex);
	return !stopping;
}

/* If the connection has been lost since the last beat, what came over another one proves nothing:
 * beat again, soon at first. Returns the pause for the next time. */
static int64_t lost_since(struct dbl_session *session, int64_t pause)
{
	if (dbl_heartbeat_is_proven(session))
		return BEAT_SOON_US;
	dbl_lock(&session->mutex);
	beat_by(session, dbl_now(session->env) + pause);
	dbl_unlock(&session->mutex);
	return dbl_least(pause * 2, session->options.ttl / 24);
}

/* All that was to be sent has been. */
static void park(const struct dbl_session *session)
{
	if (session->options.parks && session->options.idle(session->options.ctx) &&
	    dbl_heartbeat_is_proven(session))
		dbl_link_park(session->link);
}

/* When to try again what has failed: at the session's end, if that comes first, as it is told then. */
static int64_t again_at(struct dbl_session *session, int64_t next)
{
	int64_t left = life_left(session);

	return left > 0 ? dbl_least(next, dbl_now(session->env) + left) : next;
}

/* How long until the next heartbeat. What begins out of turn may have begun for many in one moment, as
 * after a restart of the server, and each heartbeat of theirs would be sent in one moment from then on:
 * so the first pause is one of its own, of half to the whole. */
static int64_t pause_after(const struct dbl_session *session, bool in_turn)
{
	int64_t interval = session->options.ttl / 3;

	return in_turn ? interval : interval - dbl_random_id(session->env) % (interval / 2);
}

/* Beat when it was due, or earlier. *failed: whether the last one could not be sent. Returns when the next
 * one is due. */
static int64_t beat_and_plan(struct dbl_session *session, int64_t due, bool *failed)
{
	int64_t begun = dbl_now(session->env);
	bool in_turn = !*failed && begun >= due;

	*failed = keep(session) != 0;
	/* A failed heartbeat is not a loss yet: it is tried again until the deadline. */
	return *failed ? again_at(session, begun + session->options.ttl / 24)
		       : begun + pause_after(session, in_turn);
}

static void *heartbeat_thread(void *arg)
{
	struct dbl_session *session = arg;
	/* The pause counts from when the epoch began, however late this thread came to run. */
	int64_t next = session->clock.before + session->first_pause;
	int64_t pause = BEAT_SOON_US;
	bool beat, failed = false;

	while (rest(session, next, &beat)) {
		if (beat)
			next = beat_and_plan(session, next, &failed);
		else
			do_errands(session, false);
		pause = lost_since(session, pause);
		dbl_link_round_over(session->link);
		park(session);
	}
	return NULL;
}

void dbl_session_wake(struct dbl_session *session)
{
	DBL_ASSERT_HELD(&session->mutex);
	dbl_cond_wake(&session->changed);
	dbl_alarm_ring(session->alarm);
}

void dbl_session_errand(struct dbl_session *session, int64_t within)
{
	int64_t at = dbl_now(session->env) + within;

	DBL_ASSERT(within >= 0, "%lld", (long long)within);
	dbl_lock(&session->mutex);
	session->errand_pause = ERRAND_PAUSE_US;
	if (at < session->errands_at) {
		session->errands_at = at;
		dbl_session_wake(session);
	}
	dbl_unlock(&session->mutex);
}

void dbl_session_hurry(struct dbl_session *session)
{
	dbl_lock(&session->mutex);
	session->hurry = true;
	dbl_session_wake(session);
	dbl_unlock(&session->mutex);
}

void dbl_session_beat_soon(struct dbl_session *session)
{
	dbl_lock(&session->mutex);
	DBL_ASSERT(session->beaten_at <= dbl_now(session->env), "%lld",
		   (long long)session->beaten_at);
	beat_by(session, session->beaten_at + BEAT_SOON_US);
	dbl_unlock(&session->mutex);
}

int dbl_session_start(struct dbl_session *session, struct dblock_error *err)
{
	session->first_pause = pause_after(session, false);
	if (dbl_thread_start(&session->heartbeat_thread, heartbeat_thread, session) == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_NOMEM, "the heartbeat thread cannot be started");
}
