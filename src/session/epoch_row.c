/* SPDX-License-Identifier: MIT */
/* The row of an epoch: written when it begins, read where a beat was not written, ended. */
#include "base/assert.h"
#include "base/err.h"
#include "driver/value.h"
#include "session/internal.h"

static int take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

/* Is the epoch over, so that nothing is held by it any more? */
static bool is_over(const struct dbl_epoch *epoch)
{
	return dbl_validity_end_of(&epoch->validity) <= 0;
}

/* Make this the session's epoch, and drop the session's reference to the one before. */
static void publish(struct dbl_session *session, struct dbl_epoch *epoch)
{
	struct dbl_epoch *before;

	dbl_lock(&session->mutex);
	before = session->epoch;
	DBL_ASSERT(!before || is_over(before)); /* there is one epoch at a time */
	session->epoch = epoch;
	dbl_cond_wake(&session->changed);
	dbl_unlock(&session->mutex);
	dbl_epoch_drop(before);
}

/* What others need to know of this client, in bits: see session_open. */
enum { READS_REVOCATIONS = 1, IS_RELAXED = 2 };

static int protocol_of(const struct dbl_target *target)
{
	return READS_REVOCATIONS | (target->durability == DBLOCK_RELAXED ? IS_RELAXED : 0);
}

/* Write the row of a new epoch. */
static int insert(struct dbl_session *session, struct dbl_epoch *epoch, int64_t deadline,
		  struct dblock_error *err)
{
	int64_t sent = dbl_now(session->env), answer = 0;
	struct dbl_value args[] = {
		dbl_text(epoch->id),
		dbl_text(session->host.name),
		dbl_int(session->host.pid),
		dbl_text(session->host.app),
		dbl_int(session->options.ttl),
		dbl_int(dbl_epoch_last_beat(epoch)),
		dbl_text(dbl_mark_citation(session->mark)),
		dbl_int(protocol_of(session->target)),
	};
	struct dbl_request request = {.op = DBL_OP_session_open,
				      .args = DBL_ARGS(args),
				      .row = take_int,
				      .ctx = &answer,
				      .deadline = deadline,
				      .patient = !session->epoch};
	int rc;

	dbl_mark_note(session->mark, dbl_epoch_last_beat(epoch), sent);
	rc = dbl_link_run(session->link, &request, err);
	if (rc)
		return rc;
	dbl_heartbeat_prove(session);
	dbl_heartbeat_take_answer(session, answer, sent);
	dbl_validity_begin(&epoch->validity, dbl_validity_deadline(sent, session->options.ttl));
	if (dbl_validity_left(&epoch->validity, dbl_now(session->env)) > 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_NO_ANSWER,
			"the database took longer to write the session than the session's ttl; "
			"choose a longer ttl");
}

/* Delete the row of an epoch that was never used: no other row names it. */
static void take_back(struct dbl_session *session, const struct dbl_epoch *epoch, int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(epoch->id), dbl_int(epoch->beat_there),
				   dbl_int(dbl_epoch_last_beat(epoch))};
	struct dbl_request request = {
		.op = DBL_OP_session_delete, .args = DBL_ARGS(args), .deadline = deadline};

	(void)dbl_link_run(session->link, &request, NULL);
}

/* The epoch did not begin. Its row may have been written, but no caller has to know of that, so an
 * unsure result becomes a plain failure. */
static int not_begun(struct dbl_session *session, const struct dbl_epoch *epoch, int rc,
		     int64_t deadline, struct dblock_error *err)
{
	take_back(session, epoch, deadline);
	if (rc == DBLOCK_E_UNSURE)
		rc = dbl_now(session->env) < deadline ? DBLOCK_E_UNAVAILABLE : DBLOCK_E_NO_ANSWER;
	if (err)
		err->code = rc;
	return rc;
}

int dbl_epoch_row_begin(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	struct dbl_epoch *epoch = dbl_epoch_new(session->env);
	int rc;

	if (!epoch)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory, or no random numbers");
	rc = insert(session, epoch, deadline, err);
	if (rc == 0) {
		DBL_COUNT(session->target->tally, sessions);
		publish(session, epoch);
		return 0;
	}
	if (rc == DBLOCK_E_UNSURE || rc == DBLOCK_E_NO_ANSWER)
		rc = not_begun(session, epoch, rc, deadline, err);
	dbl_epoch_drop(epoch);
	return rc;
}

static int take_own_row(void *ctx, const struct dbl_value *row)
{
	*(struct dbl_epoch_row *)ctx = (struct dbl_epoch_row){true, row[0].i != 0, row[1].i};
	return 0;
}

struct dbl_request dbl_epoch_row_request(struct dbl_epoch_row *own, const struct dbl_value *id,
					 int64_t deadline)
{
	*own = (struct dbl_epoch_row){.found = false};
	return (struct dbl_request){.op = DBL_OP_session_dead,
				    .args = {id, 1},
				    .row = take_own_row,
				    .ctx = own,
				    .deadline = deadline};
}

static int read_row(struct dbl_session *session, struct dbl_link *link, int64_t deadline,
		    struct dbl_epoch_row *own, struct dblock_error *err)
{
	struct dbl_value id = dbl_text(session->epoch->id);
	struct dbl_request request = dbl_epoch_row_request(own, &id, deadline);

	return dbl_link_run(link, &request, err);
}

int dbl_epoch_row_read(struct dbl_session *session, int64_t deadline, struct dbl_epoch_row *own,
		       struct dblock_error *err)
{
	return read_row(session, session->link, deadline, own, err);
}

int dbl_session_meets(struct dbl_session *session, struct dbl_link *link, int64_t deadline,
		      struct dblock_error *err)
{
	struct dbl_epoch_row own;
	int rc = read_row(session, link, deadline, &own, err);

	if (rc || own.found)
		return rc;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"direct=: the session that was opened at %s is not to be seen at %s: these "
			"are two databases; name the one that is behind the pooler",
			dbl_link_target(session->link)->url.shown,
			dbl_link_target(link)->url.shown);
}

int dbl_epoch_row_age(const struct dbl_session *session, const struct dbl_epoch_row *own)
{
	return own->found && !own->dead ? dbl_epoch_beat_age(session->epoch, own->beat) : -1;
}

/* Not 0: it may not have been ended. *met: the row had one of the beats that it is most likely to have. */
static int end_row(struct dbl_session *session, enum dbl_op op, int64_t deadline, bool *met)
{
	const struct dbl_epoch *epoch = session->epoch;
	struct dbl_value args[] = {dbl_text(epoch->id), dbl_int(epoch->beat_there),
				   dbl_int(dbl_epoch_last_beat(epoch))};
	struct dbl_request request = {.op = op, .args = DBL_ARGS(args), .deadline = deadline};
	int rc = dbl_link_run(session->link, &request, NULL);

	*met = request.changed > 0;
	return rc;
}

bool dbl_epoch_row_end(struct dbl_session *session, enum dbl_op op, int64_t deadline)
{
	struct dbl_epoch_row own;
	bool met;

	if (end_row(session, op, deadline, &met))
		return false;
	if (met)
		return true;
	if (dbl_epoch_row_read(session, deadline, &own, NULL))
		return false;
	if (dbl_epoch_row_age(session, &own) < 0)
		return true;
	session->epoch->beat_there = own.beat; /* its answer was lost */
	return end_row(session, op, deadline, &met) == 0;
}

void dbl_epoch_row_declare_dead(struct dbl_session *session, int64_t deadline)
{
	DBL_ASSERT(is_over(session->epoch)); /* others may take its locks after this */
	(void)dbl_epoch_row_end(session, DBL_OP_session_close, deadline);
}
