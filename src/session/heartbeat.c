/* SPDX-License-Identifier: MIT */
/* What is said to the database about a life: its row, its heartbeats, its end. */
#include <stdio.h>
#include <string.h>

#include <dblock/loss.h>

#include "base/assert.h"
#include "base/err.h"
#include "driver/value.h"
#include "session/internal.h"

static int take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

int64_t dbl_keeper_deadline(const struct dbl_session *session)
{
	int64_t deadline = dbl_add(dbl_now(session->env), session->options.timeout);
	int64_t until = atomic_load(&session->until);

	return deadline < until ? deadline : until;
}

static void note_clock(struct dbl_session *session, int64_t database, int64_t sent)
{
	struct dbl_clock_sample sample = {database, sent, dbl_now(session->env)};

	DBL_ASSERT(sample.before <= sample.after, "%lld, %lld", (long long)sent,
		   (long long)sample.after);
	dbl_lock(&session->mutex);
	DBL_ASSERT(session->clock.after <= sent, "%lld, %lld", (long long)session->clock.after,
		   (long long)sent); /* one request after the other */
	session->clock = sample;
	dbl_unlock(&session->mutex);
}

/* What session_open and heartbeat say: four times the database's time, and one more if somebody
 * asks this process for something; and two more if something is taken away from the session. */
static bool tells_revoked(int64_t answer)
{
	return answer / 2 % 2 != 0;
}

static void take_answer(struct dbl_session *session, int64_t answer, int64_t sent)
{
	note_clock(session, answer / 4, sent);
	if (answer % 2 && session->options.asked)
		session->options.asked(session->options.ctx);
}

/* Nothing is held by it any more. */
static bool is_over(const struct dbl_life *life)
{
	return dbl_term_end_of(&life->term) <= 0;
}

/* Publish a life, and drop our share of the one before. */
static void publish(struct dbl_session *session, struct dbl_life *life)
{
	struct dbl_life *before;

	dbl_lock(&session->mutex);
	before = session->life;
	DBL_ASSERT(!before || is_over(before)); /* one at a time */
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
				      .args = DBL_ARGS(args),
				      .row = take_int,
				      .ctx = &answer,
				      .deadline = deadline,
				      .patient = !session->life};
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
		.op = DBL_OP_session_delete, .args = DBL_ARG(id), .deadline = deadline};

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

void dbl_keeper_bury_own(struct dbl_session *session, int64_t deadline)
{
	struct dbl_value id = dbl_text(session->life->id);
	struct dbl_request request = {
		.op = DBL_OP_session_close, .args = DBL_ARG(id), .deadline = deadline};

	DBL_ASSERT(is_over(session->life)); /* others are let in by this */
	(void)dbl_link_run(session->link, &request, NULL);
}

static void note_life_trouble(struct dbl_session *session, struct dbl_life *life,
			      const char *trouble)
{
	dbl_lock(&session->mutex);
	(void)snprintf(life->trouble, sizeof(life->trouble), "%.*s", DBL_TROUBLE_MAX - 1, trouble);
	dbl_unlock(&session->mutex);
}

/* Our row does not beat any more: it is dead, or is not there, which says that the database has
 * forgotten us. Only for people: the life is over in either case, from now on. */
static void found_over(struct dbl_session *session, struct dbl_life *life, int64_t deadline)
{
	int64_t dead = -1;
	struct dbl_value id = dbl_text(life->id);
	struct dbl_request request = {.op = DBL_OP_session_dead,
				      .args = DBL_ARG(id),
				      .row = take_int,
				      .ctx = &dead,
				      .deadline = deadline};

	dbl_life_end(life, DBLOCK_LOSS_DECLARED_DEAD, dbl_now(session->env));
	if (dbl_link_run(session->link, &request, NULL) == 0 && dead == -1) {
		int declared = DBLOCK_LOSS_DECLARED_DEAD;

		atomic_compare_exchange_strong(&life->cause, &declared, DBLOCK_LOSS_FORGOTTEN);
	}
}

/* The session's deadline is put off only by an answer that was looked at: who takes a grant away
 * waits no longer than for the one that was sent before. */
static int heed(struct dbl_session *session, struct dbl_life *life, int64_t answer, int64_t sent,
		int64_t deadline, struct dblock_error *err)
{
	int rc = 0;

	if (tells_revoked(answer) && session->options.revoked)
		rc = session->options.revoked(session->options.ctx, session->link, life->id,
					      deadline, err);
	if (rc) {
		dbl_err_prefix(err, "what was taken away cannot be read");
		return rc;
	}
	dbl_term_renew(&life->term, dbl_now(session->env),
		       dbl_term_deadline(sent, session->options.ttl));
	DBL_ASSERT(dbl_term_was(&life->term) <= dbl_add(sent, session->options.ttl),
		   "%lld after %lld", (long long)dbl_term_was(&life->term), (long long)sent);
	take_answer(session, answer, sent);
	return 0;
}

int dbl_keeper_beat(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	struct dbl_life *life = session->life;
	int64_t sent = dbl_now(session->env), answer = -1;
	struct dbl_value args[] = {dbl_text(life->id), dbl_int(++life->beat)};
	struct dbl_request request = {.op = DBL_OP_heartbeat,
				      .args = DBL_ARGS(args),
				      .row = take_int,
				      .ctx = &answer,
				      .deadline = deadline};
	int rc = dbl_link_run(session->link, &request, err);

	DBL_ASSERT(life->beat > 1, "%lld", (long long)life->beat); /* they grow; the row has one */
	/* Our row is certainly not there: the file was replaced, or the tables were dropped. Who
	 * comes now knows nothing of us. */
	if (rc == DBLOCK_E_NOTDB || rc == DBLOCK_E_SCHEMA)
		dbl_life_end(life, DBLOCK_LOSS_FORGOTTEN, dbl_now(session->env));
	else if (rc == 0 && answer != -1)
		rc = heed(session, life, answer, sent, deadline, err);
	note_life_trouble(session, life, rc ? err->message : "");
	if (rc == 0 && answer == -1)
		found_over(session, life, deadline);
	return rc;
}
