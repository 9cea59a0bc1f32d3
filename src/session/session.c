/* SPDX-License-Identifier: MIT */
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alarm.h"
#include "base/assert.h"
#include "base/mem.h"
#include "driver/value.h"
#include "session/internal.h"

/* How far the distance of two readings may differ on two clocks that are said to agree. */
#define CLOCK_TOLERANCE_US 50000

/* A heartbeat waits for a connection that is in use for this part of the ttl: it has until two thirds. */
#define LEND_PART 12

/* ended: nothing of it is left in the database that somebody could need a proof for. */
static void session_free(struct dbl_session *session, bool ended)
{
	dbl_cleanups_free(session);
	dbl_epoch_drop(session->epoch);
	dbl_link_free(session->link);
	dbl_alarm_free(session->alarm);
	dbl_mark_free(session->mark, ended);
	dbl_cond_fini(&session->changed);
	dbl_mutex_fini(&session->mutex);
	dbl_free(session);
}

static struct dbl_session *session_new(const struct dbl_target *target,
				       const struct dbl_session_options *options)
{
	struct dbl_session *session = dbl_alloc(sizeof(*session));

	DBL_ASSERT(options->ttl > 0 && options->timeout > 0, "%lld, %lld", (long long)options->ttl,
		   (long long)options->timeout);
	if (!session)
		return NULL;
	session->target = target;
	session->env = target->env;
	session->options = *options;
	atomic_init(&session->until, DBL_NEVER);
	session->errands_at = session->beat_at = DBL_NEVER;
	dbl_host_read(&session->host);
	if (options->app)
		snprintf(session->host.app, sizeof(session->host.app), "%s", options->app);
	if (dbl_mutex_init(&session->mutex)) {
		dbl_free(session);
		return NULL;
	}
	if (dbl_cond_init(&session->changed)) {
		dbl_mutex_fini(&session->mutex);
		dbl_free(session);
		return NULL;
	}
	/* Without one, as where no descriptor is left, a lost connection is noticed when it is used. An
	 * alarm goes by the system's clock. */
	session->alarm = target->driver->socket && !target->env->now ? dbl_alarm_new() : -1;
	return session;
}

/* Connect, and begin at one host. Where there are several, look whether this is the one. */
static int begin_once(struct dbl_session *session, int64_t deadline, struct dbl_rival *rival,
		      struct dblock_error *err)
{
	enum dbl_branch branch;
	unsigned host;
	int rc = dbl_link_connect(session->link, deadline, err);

	rival->is = DBL_RIVAL_NONE;
	if (rc == 0)
		rc = dbl_epoch_row_begin(session, deadline, err);
	if (rc || dbl_link_hosts(session->link, &host) <= 1)
		return rc;
	rc = dbl_lineage_read(&session->lineage, session->link, deadline, &branch, err);
	if (rc == 0)
		rc = dbl_rivals_look(session, true, deadline, rival, err);
	if (rc == 0 && rival->is == DBL_RIVAL_NONE)
		return 0;
	(void)dbl_epoch_row_end(session, DBL_OP_session_delete, deadline);
	dbl_validity_end(&session->epoch->validity);
	session->lineage = (struct dbl_lineage){.id = ""};
	return rc ? rc : dbl_rivals_refuse(session, rival, err);
}

/* Begin, at the newest of several hosts. */
static int begin(struct dbl_session *session, int64_t deadline, struct dblock_error *err)
{
	struct dbl_rival rival;
	unsigned steps = 0;
	int rc;

	do
		rc = begin_once(session, deadline, &rival, err);
	while (rc && rival.is == DBL_RIVAL_NEWER && ++steps < DBL_URL_HOSTS_MAX);
	if (steps > 0)
		dbl_session_moved(session);
	return rc;
}

/* Without a mark the session's death is noticed when its ttl is over. Only what a caller should have
 * known better is refused. */
static int mark_it(struct dbl_session *session, int fd, struct dblock_error *err)
{
	if (fd == 0)
		session->mark = dbl_mark_new(session->env);
	if (fd <= 0)
		return 0;
	session->mark = dbl_mark_adopt(fd);
	if (session->mark || (errno != ENOTSUP && errno != EEXIST))
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"alive_fd is %d, which is no descriptor of dblock_alive_new()%s", fd,
			errno == EEXIST ? " that no other client was opened with" : "");
}

int dbl_session_open(struct dbl_session **out, const struct dbl_target *target,
		     const struct dbl_session_options *options, int64_t deadline,
		     struct dblock_error *err)
{
	struct dbl_session *session = session_new(target, options);
	int rc;

	*out = NULL;
	if (!session)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = mark_it(session, options->alive_fd, err);
	if (rc == 0)
		rc = dbl_link_new(&session->link, dbl_target_past_pool(target), err);
	if (rc == 0 && options->lender)
		dbl_link_borrow(session->link, options->lender, options->ttl / LEND_PART);
	if (rc == 0)
		rc = begin(session, deadline, err);
	session->state = DBLOCK_STATE_CONNECTED;
	if (rc)
		session_free(session, true);
	else
		*out = session;
	return rc;
}

void dbl_session_stop(struct dbl_session *session, int64_t until)
{
	atomic_store(&session->until, until);
	dbl_lock(&session->mutex);
	session->stopping = true;
	dbl_session_wake(session);
	dbl_unlock(&session->mutex);
}

void dbl_session_hasten(struct dbl_session *session, int64_t until)
{
	dbl_link_once(session->link);
	dbl_session_stop(session, until);
}

void dbl_session_close(struct dbl_session *session, bool nothing_held, int64_t deadline)
{
	bool ended;

	if (!session)
		return;
	dbl_session_stop(session, deadline);
	dbl_thread_join(&session->heartbeat_thread);
	dbl_cleanups_run(session, deadline);
	ended = dbl_epoch_row_end(session,
				  nothing_held && !session->cleanups ? DBL_OP_session_delete
								     : DBL_OP_session_close,
				  deadline);
	session_free(session, ended);
}

enum dblock_connection_state dbl_session_state(struct dbl_session *session)
{
	enum dblock_connection_state state;

	dbl_lock(&session->mutex);
	state = session->state;
	if (dbl_validity_left(&session->epoch->validity, dbl_now(session->env)) == 0)
		state = DBLOCK_STATE_LOST;
	dbl_unlock(&session->mutex);
	return state;
}

void dbl_session_id(struct dbl_session *session, char id[DBLOCK_SESSION_ID_SIZE])
{
	dbl_lock(&session->mutex);
	memcpy(id, session->epoch->id, DBLOCK_SESSION_ID_SIZE);
	dbl_unlock(&session->mutex);
}

void dbl_session_trouble(struct dbl_session *session, const struct dbl_epoch *epoch,
			 char text[DBL_TROUBLE_MAX])
{
	dbl_lock(&session->mutex);
	memcpy(text, epoch->trouble, DBL_TROUBLE_MAX);
	dbl_unlock(&session->mutex);
}

void dbl_session_settle(struct dbl_session *session, int64_t us)
{
	dbl_mark_settle(session->mark, us);
}

int dbl_session_alive_fd(const struct dbl_session *session)
{
	return dbl_mark_hand_on(session->mark);
}

const struct dbl_host *dbl_session_host(const struct dbl_session *session)
{
	return &session->host;
}

static int no_epoch(struct dbl_session *session, struct dblock_error *err)
{
	DBL_ASSERT_HELD(&session->mutex);
	/* A caller that goes on while the database is away, or the file locked, is to know of what
	 * does not pass: the tables are gone, or the rights. */
	int code = session->trouble.code;

	if (code == 0 || dbl_link_may_pass(session->link, code))
		code = DBLOCK_E_UNAVAILABLE;

	return dbl_fail(err, code, "the session is over and no new one could be opened%s%s",
			session->trouble.message[0] ? ": " : "", session->trouble.message);
}

int dbl_session_epoch(struct dbl_session *session, int64_t deadline, struct dbl_epoch **epoch,
		      struct dblock_error *err)
{
	int64_t now;
	int rc = 0;

	dbl_lock(&session->mutex);
	if (dbl_validity_left(&session->epoch->validity, dbl_now(session->env)) == 0) {
		session->hurry = true;
		dbl_session_wake(session);
	}
	while (dbl_validity_left(&session->epoch->validity, now = dbl_now(session->env)) == 0 &&
	       now < deadline)
		dbl_cond_wait(&session->changed, &session->mutex, session->env, deadline);
	*epoch = NULL;
	if (dbl_validity_left(&session->epoch->validity, now) == 0) {
		rc = no_epoch(session, err);
	} else {
		*epoch = session->epoch;
		dbl_epoch_share(*epoch);
	}
	dbl_unlock(&session->mutex);
	return rc;
}

void dbl_session_await_beat(struct dbl_session *session, struct dbl_epoch *epoch, int64_t enough,
			    int64_t deadline)
{
	int64_t now = dbl_now(session->env), left;

	deadline = dbl_least(deadline, dbl_validity_end_of(&epoch->validity));
	dbl_lock(&session->mutex);
	session->hurry = true;
	dbl_session_wake(session);
	while ((left = dbl_validity_left(&epoch->validity, now)) > 0 && left < enough &&
	       now < deadline) {
		dbl_cond_wait(&session->changed, &session->mutex, session->env, deadline);
		now = dbl_now(session->env);
	}
	dbl_unlock(&session->mutex);
}

bool dbl_session_clock_agrees(struct dbl_session *session, const struct dbl_clock_sample *now)
{
	struct dbl_clock_sample then;
	int64_t passed;

	DBL_ASSERT(now->before <= now->after, "%lld, %lld", (long long)now->before,
		   (long long)now->after);
	dbl_lock(&session->mutex);
	then = session->clock;
	dbl_unlock(&session->mutex);
	passed = now->database - then.database;
	return passed <= now->after - then.before + CLOCK_TOLERANCE_US &&
	       passed >= now->before - then.after - CLOCK_TOLERANCE_US;
}
