/* SPDX-License-Identifier: MIT */
/* The session's state, as its heartbeats show it: told when it changes. */
#include <dblock/loss.h>

#include "base/err.h"
#include "session/internal.h"

/* The session's mutex guards it, for those who ask; only this thread changes it. */
static void move(struct dbl_session *session, enum dblock_connection_state to,
		 const struct dblock_error *why)
{
	dbl_lock(&session->mutex);
	session->state = to;
	dbl_unlock(&session->mutex);
	if (session->options.state)
		session->options.state(session->options.ctx, to, why);
}

static const char *cause_of(const struct dbl_epoch *epoch)
{
	switch (atomic_load(&epoch->cause)) {
	case DBLOCK_LOSS_DECLARED_DEAD:
		return "it was declared dead by somebody who saw no heartbeat of it for its ttl";
	case DBLOCK_LOSS_FORGOTTEN:
		return "the database has forgotten it";
	default:
		return "no heartbeat got through in time";
	}
}

void dbl_state_lost(struct dbl_session *session)
{
	const struct dbl_epoch *epoch = session->epoch;
	struct dblock_error why = {0};

	if (session->state == DBLOCK_STATE_LOST)
		return;
	/* Only this thread writes its trouble. */
	(void)dbl_fail(&why, DBLOCK_LOST, "the session %s is over: %s%s%s", epoch->id,
		       cause_of(epoch), epoch->trouble[0] ? ": " : "", epoch->trouble);
	move(session, DBLOCK_STATE_LOST, &why);
}

void dbl_state_begun(struct dbl_session *session)
{
	move(session, DBLOCK_STATE_CONNECTED, NULL);
}

static void suspended(struct dbl_session *session, const struct dblock_error *why)
{
	struct dblock_error next = *why;

	dbl_err_suffix(&next, "; it is tried again until the session's ttl is over");
	move(session, DBLOCK_STATE_SUSPENDED, &next);
}

void dbl_state_beaten(struct dbl_session *session, int rc, const struct dblock_error *why)
{
	if (dbl_validity_left(&session->epoch->validity, dbl_now(session->env)) == 0)
		dbl_state_lost(session);
	else if (rc && session->state != DBLOCK_STATE_SUSPENDED)
		suspended(session, why);
	else if (rc == 0 && session->state == DBLOCK_STATE_SUSPENDED)
		move(session, DBLOCK_STATE_RECONNECTED, NULL);
}
