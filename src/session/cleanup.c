/* SPDX-License-Identifier: MIT */
/* The list of what is still to be cleaned up in the database: what that takes is known above. */
#include "base/assert.h"
#include "base/mem.h"
#include "session/internal.h"

static void keep(struct dbl_session *session, struct dbl_cleanup *cleanup, int64_t token,
		 int64_t nonce)
{
	DBL_ASSERT(nonce != 0 && token >= 0, "%lld", (long long)token); /* else it is anybody's */
	DBL_ASSERT(!cleanup->next && cleanup->nonce == 0);              /* it is not kept already */
	cleanup->token = token;
	cleanup->nonce = nonce;
	cleanup->until = dbl_now(session->env) + DBL_LATEST_ARRIVAL_US;
	dbl_lock(&session->mutex);
	cleanup->next = session->cleanups;
	session->cleanups = cleanup;
	dbl_unlock(&session->mutex);
	dbl_session_errand(session, 0);
}

void dbl_session_give_back(struct dbl_session *session, struct dbl_cleanup *cleanup, int64_t token,
			   int64_t nonce)
{
	keep(session, cleanup, token, nonce);
}

void dbl_session_leave_queue(struct dbl_session *session, struct dbl_cleanup *cleanup,
			     int64_t nonce)
{
	cleanup->in_queue = cleanup->unannounced = true;
	keep(session, cleanup, 0, nonce);
}

static struct dbl_cleanup *take_all(struct dbl_session *session)
{
	struct dbl_cleanup *all;

	dbl_lock(&session->mutex);
	all = session->cleanups;
	session->cleanups = NULL;
	dbl_unlock(&session->mutex);
	return all;
}

static void put_back(struct dbl_session *session, struct dbl_cleanup *cleanup)
{
	dbl_lock(&session->mutex);
	cleanup->next = session->cleanups;
	session->cleanups = cleanup;
	dbl_unlock(&session->mutex);
}

void dbl_cleanups_run(struct dbl_session *session, int64_t deadline)
{
	struct dbl_cleanup *cleanup, *next;

	for (cleanup = take_all(session); cleanup; cleanup = next) {
		next = cleanup->next;
		if (dbl_now(session->env) < deadline &&
		    session->options.clean_up(session->options.ctx, cleanup, session->link,
					      deadline))
			dbl_free(cleanup);
		else
			put_back(session, cleanup);
	}
}

void dbl_cleanups_free(struct dbl_session *session)
{
	struct dbl_cleanup *cleanup, *next;

	DBL_ASSERT(!session->heartbeat_thread.started); /* which may be settling them */
	for (cleanup = take_all(session); cleanup; cleanup = next) {
		next = cleanup->next;
		dbl_free(cleanup);
	}
}
