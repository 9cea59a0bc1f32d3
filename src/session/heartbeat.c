/* SPDX-License-Identifier: MIT */
/* A heartbeat: sent, answered; and where it was not written, what that means. */
#include <stdio.h>
#include <string.h>

#include <dblock/loss.h>

#include "base/assert.h"
#include "base/err.h"
#include "driver/value.h"
#include "session/internal.h"

#define OTHER_BRANCH                                                                               \
	"this is another branch of the database than the one that we hold locks on: a former "     \
	"primary, or a restored copy"
#define OLDER_COPY                                                                                 \
	"this is an older copy of the database than the one that we hold locks on: it was "        \
	"restored, or went back"

static int take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

int64_t dbl_heartbeat_deadline(const struct dbl_session *session)
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
		   (long long)sent); /* requests go one after the other */
	session->clock = sample;
	dbl_cond_wake(&session->changed); /* for dbl_session_await_beat() */
	dbl_unlock(&session->mutex);
}

/* The answer of session_open and heartbeat is four times the database's time, plus 1 if somebody
 * asks this process for something, plus 2 if something is taken away from the session. */
static bool tells_revoked(int64_t answer)
{
	return answer / 2 % 2 != 0;
}

void dbl_heartbeat_take_answer(struct dbl_session *session, int64_t answer, int64_t sent)
{
	note_clock(session, answer / 4, sent);
	if (answer % 2 && session->options.asked)
		session->options.asked(session->options.ctx);
}

static void note_epoch_trouble(struct dbl_session *session, struct dbl_epoch *epoch,
			       const char *trouble)
{
	dbl_lock(&session->mutex);
	(void)snprintf(epoch->trouble, sizeof(epoch->trouble), "%.*s", DBL_TROUBLE_MAX - 1,
		       trouble);
	dbl_unlock(&session->mutex);
}

/* What is read after a beat counts on its connection alone: another one may lead to a copy. */
static int still_proven(const struct dbl_session *session, struct dblock_error *err)
{
	if (dbl_heartbeat_is_proven(session))
		return 0;
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection was lost after the heartbeat");
}

static int look_what_is_revoked(struct dbl_session *session, const struct dbl_epoch *epoch,
				int64_t deadline, struct dblock_error *err)
{
	int rc = session->options.revoked(session->options.ctx, session->link, epoch->id, deadline,
					  err);

	return rc ? rc : still_proven(session, err);
}

/* The deadline is put off only after `revoked` has looked at what is taken away: then who takes a
 * grant away has to wait for the deadline before this answer, and no longer. */
static int heed(struct dbl_session *session, struct dbl_epoch *epoch, int64_t answer, int64_t sent,
		int64_t deadline, struct dblock_error *err)
{
	int rc = 0;

	if (tells_revoked(answer) && session->options.revoked)
		rc = look_what_is_revoked(session, epoch, deadline, err);
	if (rc) {
		dbl_err_prefix(err, "what was taken away cannot be read");
		return rc;
	}
	dbl_validity_renew(&epoch->validity, dbl_now(session->env),
			   dbl_validity_deadline(sent, session->options.ttl));
	DBL_ASSERT(dbl_validity_was(&epoch->validity) <= dbl_add(sent, session->options.ttl),
		   "%lld after %lld", (long long)dbl_validity_was(&epoch->validity),
		   (long long)sent);
	dbl_heartbeat_take_answer(session, answer, sent);
	return 0;
}

/* Sends one beat. *answer stays as it is where the row was not written. */
static int beat(struct dbl_session *session, struct dbl_epoch *epoch, int64_t deadline,
		int64_t *sent, int64_t *answer, struct dblock_error *err)
{
	int64_t next = dbl_epoch_next_beat(epoch, session->env);
	struct dbl_value args[] = {dbl_text(epoch->id), dbl_int(next), dbl_int(epoch->beat_there)};
	struct dbl_request request = {.op = DBL_OP_heartbeat,
				      .args = DBL_ARGS(args),
				      .row = take_int,
				      .ctx = answer,
				      .deadline = deadline};
	int rc;

	dbl_mark_note(session->mark, next, dbl_now(session->env));
	*sent = dbl_now(session->env);
	rc = dbl_link_run(session->link, &request, err);
	if (rc == 0 && *answer != -1) {
		epoch->beat_there = next;
		dbl_heartbeat_prove(session);
	}
	/* A database that refuses beats for long does not make us forget those that it may have. */
	if ((rc == 0 && *answer == -1) || (rc == DBLOCK_E_UNAVAILABLE && !request.resent))
		dbl_epoch_drop_beat(epoch);
	return rc;
}

/* The connection does not lead to the database that we live in: the next one may. */
static int refuse(struct dbl_session *session, const char *why, struct dblock_error *err)
{
	dbl_link_shun(session->link);
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "%s", why);
}

static int read_branch(struct dbl_session *session, int64_t deadline, enum dbl_branch *branch,
		       struct dblock_error *err)
{
	int rc = dbl_lineage_read(&session->lineage, session->link, deadline, branch, err);

	if (rc == 0 && *branch == DBL_BRANCH_NEWER)
		dbl_session_moved(session);
	return rc;
}

/* Is there another host that goes on from ours, or beside it? Then none of ours counts. */
static int check_rivals(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	struct dbl_rival rival;
	int rc = dbl_rivals_look(session, false, deadline, &rival, err);

	if (rc == 0 && rival.is != DBL_RIVAL_NONE)
		rc = dbl_rivals_refuse(session, &rival, err);
	if (rc)
		session->lineage.is_read = false; /* look again with the next beat */
	return rc;
}

/* Before the first beat on another connection counts: is it the database that we know? */
static int check_branch(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	enum dbl_branch branch;
	int rc = 0;

	if (!dbl_lineage_may_differ(&session->lineage, session->link))
		return 0;
	rc = read_branch(session, deadline, &branch, err);
	if (rc == 0 && branch == DBL_BRANCH_OTHER)
		return refuse(session, OTHER_BRANCH, err);
	if (rc == 0)
		rc = check_rivals(session, deadline, err);
	return rc ? rc : still_proven(session, err);
}

/* Was the beat of that age sent after the one that the row had, or is it that one? */
static bool was_sent_since(const struct dbl_epoch *epoch, int age)
{
	int there = dbl_epoch_beat_age(epoch, epoch->beat_there);

	return there < 0 || age <= there;
}

/* No row was written: why? *again: the row has an earlier beat of ours, and is to be beaten for. */
static int find_out(struct dbl_session *session, struct dbl_epoch *epoch, int64_t deadline,
		    bool *again, struct dblock_error *err)
{
	enum dbl_branch branch = DBL_BRANCH_SAME;
	struct dbl_epoch_row own;
	int rc = read_branch(session, deadline, &branch, err), age;

	if (rc == 0)
		rc = dbl_epoch_row_read(session, deadline, &own, err);
	if (rc)
		return rc;
	if (branch == DBL_BRANCH_OTHER)
		return refuse(session, OTHER_BRANCH, err);
	age = dbl_epoch_row_age(session, &own);
	if (age < 0) {
		dbl_epoch_end(epoch, own.dead ? DBLOCK_LOSS_DECLARED_DEAD : DBLOCK_LOSS_FORGOTTEN,
			      dbl_now(session->env));
		return 0;
	}
	*again = was_sent_since(epoch, age) || session->lineage.newer;
	if (!*again)
		return refuse(session, OLDER_COPY, err);
	/* What else was lost with the later beats? Another connection has all that we hold read. */
	if (!was_sent_since(epoch, age))
		dbl_link_drop(session->link);
	epoch->beat_there = own.beat;
	return 0;
}

/* Beats, and once more where the row has an earlier beat of ours: its answer was lost, or a
 * failover has lost the later ones. */
static int beat_surely(struct dbl_session *session, struct dbl_epoch *epoch, int64_t deadline,
		       int64_t *sent, int64_t *answer, struct dblock_error *err)
{
	bool again = false;
	int rc = beat(session, epoch, deadline, sent, answer, err);

	if (rc == 0 && *answer == -1)
		rc = find_out(session, epoch, deadline, &again, err);
	if (rc || !again)
		return rc;
	rc = beat(session, epoch, deadline, sent, answer, err);
	return rc == 0 && *answer == -1 ? refuse(session, OLDER_COPY, err) : rc;
}

int dbl_heartbeat_send(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	struct dbl_epoch *epoch = session->epoch;
	int64_t sent, answer = -1;
	int rc = beat_surely(session, epoch, deadline, &sent, &answer, err);

	if (rc == 0 && answer != -1)
		rc = check_branch(session, deadline, err);
	if (rc == 0 && answer != -1)
		session->lineage.newer = false;
	/* Our row, or the history, is not there: the file was replaced, or tables were dropped. Other
	 * clients do not know of us. */
	if (rc == DBLOCK_E_NOTDB || rc == DBLOCK_E_SCHEMA)
		dbl_epoch_end(epoch, DBLOCK_LOSS_FORGOTTEN, dbl_now(session->env));
	else if (rc == 0 && answer != -1)
		rc = heed(session, epoch, answer, sent, deadline, err);
	note_epoch_trouble(session, epoch, rc ? err->message : "");
	return rc;
}
