/* SPDX-License-Identifier: MIT */
#include "lock/notify/channel_own.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/event.h"
#include "base/mem.h"
#include "lock/core/value.h"
#include "lock/notify/notifier.h"
#include "lock/notify/own.h"
#include "sql/tx.h"

/* One sleep in SQL, and a short one where more is to be expected: no notification interrupts the
 * connection between two sleeps. Nor does one reach another node of a cluster: a grant there that
 * was found by looking, as no datagram came either, makes so many sleeps short ones. */
#define SLEEP_US 1000000
#define BRIEF_US 50000
#define LOOKS    100
/* One wait on a channel that listens. */
#define LISTEN_US 60000000
/* How long the channel's own notification may take, and the pause if it has not come. */
#define PROOF_US 5000000
#define DEAF_US  60000000
/* The pause before a lost connection is opened anew. */
#define BACKOFF_FIRST_US 20000
#define BACKOFF_LAST_US  5000000
/* The longest wait for an answer of the database. */
#define ANSWER_US 3000000

static const struct dbl_env *env_of(const struct dbl_channel *d)
{
	return d->locks->env;
}

static bool sleeps(const struct dbl_channel *d)
{
	return d->locks->target->dialect->sleeps;
}

static int64_t answer_us(const struct dbl_channel *d)
{
	return d->locks->timeout / 2 < ANSWER_US ? d->locks->timeout / 2 : ANSWER_US;
}

int64_t dbl_channel_deadline(const struct dbl_channel *d)
{
	return dbl_now(env_of(d)) + answer_us(d);
}

void dbl_channel_set_works(struct dbl_channel *d, bool works)
{
	dbl_lock(&d->locks->mutex);
	d->works = works;
	dbl_unlock(&d->locks->mutex);
}

/* ---- being notified -------------------------------------------------------------------------- */

/* The channel's own notification is "0 0". */
void dbl_channel_heard(struct dbl_channel *d, const char *said)
{
	char *end;
	int64_t nonce = strtoll(said, &end, 10);
	int64_t token = *end == ' ' ? strtoll(end + 1, &end, 10) : 0;

	if (nonce == 0)
		dbl_channel_set_works(d, true);
	else if (nonce > 0 && token > 0 && *end == '\0')
		(void)dbl_notifier_tell_own(d->locks, nonce, token, DBL_WAY_DATABASE);
}

static int take_granted(void *ctx, const struct dbl_value *row)
{
	struct dbl_channel *d = ctx;

	/* A row with a nonce of 0 was given back since, but is not yet deleted. */
	if (row[0].i && dbl_notifier_tell_own(d->locks, row[0].i, row[1].i, DBL_WAY_DATABASE)) {
		d->brief = true;
		d->looks = d->apart ? LOOKS : 0;
	}
	return 0;
}

int dbl_channel_read_granted(struct dbl_channel *d, struct dbl_db *db)
{
	struct dbl_value id;
	struct dbl_request request = {.op = DBL_OP_granted,
				      .args = DBL_ARG(id),
				      .row = take_granted,
				      .ctx = d,
				      .deadline = dbl_channel_deadline(d)};
	struct dbl_epoch *epoch;

	/* Who waited under an earlier epoch is not in the queue any more. */
	if (dbl_session_epoch(d->locks->session, dbl_now(env_of(d)), &epoch, NULL))
		return 0;
	d->brief = false;
	id = dbl_text(epoch->id);
	/* A late notification may have interrupted this statement instead of a sleep. */
	if (dbl_db_run(db, &request, NULL) && !dbl_db_broken(db))
		(void)dbl_db_run(db, &request, NULL);
	dbl_epoch_drop(epoch);
	return dbl_db_broken(db);
}

/* ---- the connection -------------------------------------------------------------------------- */

static void disconnect(struct dbl_channel *d, int64_t pause)
{
	dbl_channel_set_works(d, false);
	dbl_db_close(d->db);
	d->db = NULL;
	d->retry_at = dbl_now(env_of(d)) + dbl_jitter(env_of(d), pause);
}

static void lose(struct dbl_channel *d)
{
	disconnect(d, d->backoff);
	d->backoff = d->backoff * 2 < BACKOFF_LAST_US ? d->backoff * 2 : BACKOFF_LAST_US;
}

/* Who sleeps in SQL is interrupted, or looks by itself: then what its node has applied will do. */
static int find_out(struct dbl_channel *d)
{
	int rc = dbl_db_certified(d->db, &d->apart, dbl_channel_deadline(d), NULL);

	if (rc == 0 && d->apart)
		rc = dbl_db_script(d->db, DBL_OP_doorbell_apart, dbl_channel_deadline(d), NULL);
	dbl_channel_set_works(d, rc == 0);
	return rc;
}

/* Finds out whether notifications come through, and reads what was granted before that. */
static int begin(struct dbl_channel *d)
{
	int rc = dbl_db_listen(d->db, d->channel, dbl_channel_deadline(d), NULL);

	if (rc == 0 && sleeps(d))
		rc = find_out(d);
	else if (rc == 0 && !dbl_channel_say(d->locks, d->channel, "0 0", dbl_channel_deadline(d)))
		rc = DBLOCK_E_UNAVAILABLE;
	d->proof_until = dbl_now(env_of(d)) + PROOF_US;
	return rc ? rc : dbl_channel_read_granted(d, d->db);
}

static void connect_it(struct dbl_channel *d)
{
	int rc;

	DBL_ASSERT(!d->db && !d->works);
	rc = dbl_db_open(&d->db, dbl_target_past_pool(d->locks->target), dbl_channel_deadline(d),
			 NULL);
	if (rc == 0)
		rc = begin(d);
	d->brief = true;
	if (rc)
		lose(d);
}

/* How long the next wait is: on PostgreSQL until `proof_until`, as long as there is no proof. */
static int64_t next_us(const struct dbl_channel *d)
{
	int64_t left = d->proof_until - dbl_now(env_of(d));

	if (sleeps(d))
		return d->brief || d->looks > 0 ? BRIEF_US : SLEEP_US;
	if (d->works)
		return LISTEN_US;
	return left > 0 ? left : 0;
}

static void attend(struct dbl_channel *d)
{
	const char *said;
	int64_t us = next_us(d), began = dbl_now(env_of(d));
	int rc = dbl_db_hear(d->db, d->channel, us, answer_us(d), d->stop_event, &said, NULL);

	d->looks -= d->looks > 0;
	if (rc > 0 && !sleeps(d))
		dbl_channel_heard(d, said);
	if (rc >= 0 && sleeps(d) && dbl_now(env_of(d)) - began < us - us / 10)
		dbl_notifier_tell_bells(d->locks);
	if (rc >= 0 && sleeps(d))
		rc = dbl_db_broken(d->db) ? -1 : dbl_channel_read_granted(d, d->db);
	if (rc < 0 || dbl_db_broken(d->db))
		lose(d);
	else if (d->works)
		d->backoff = BACKOFF_FIRST_US;
	else if (dbl_now(env_of(d)) >= d->proof_until)
		disconnect(d, DEAF_US);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Under the mutex: nobody waits, so there is nothing to do. A channel that listens may go on. */
static bool is_idle(const struct dbl_channel *d)
{
	return !d->locks->notifier->waiting && (sleeps(d) || d->shares || !d->db);
}

static bool is_early(const struct dbl_channel *d)
{
	return !d->db && dbl_now(env_of(d)) < d->retry_at;
}

/* False: the thread has to stop. */
static bool await_need(struct dbl_channel *d)
{
	bool stopping;

	dbl_lock(&d->locks->mutex);
	while (!d->stopping && (is_idle(d) || is_early(d)))
		dbl_cond_wait(&d->changed, &d->locks->mutex, env_of(d),
			      is_idle(d) ? DBL_NEVER : d->retry_at);
	stopping = d->stopping;
	dbl_unlock(&d->locks->mutex);
	return !stopping;
}

static void *channel(void *arg)
{
	struct dbl_channel *d = arg;

	while (await_need(d)) {
		if (d->shares)
			dbl_channel_attend_shared(d);
		else if (d->db)
			attend(d);
		else
			connect_it(d);
	}
	dbl_db_close(d->db);
	return NULL;
}

struct dbl_channel *dbl_channel_new(struct dbl_locks *locks, bool shares)
{
	struct dbl_channel *d = dbl_alloc(sizeof(*d));

	if (!d)
		return NULL;
	d->locks = locks;
	d->shares = shares;
	d->backoff = BACKOFF_FIRST_US;
	d->stop_event = dbl_event_new();
	if (d->stop_event < 0 || dbl_random_hex(locks->env, d->channel) ||
	    dbl_cond_init(&d->changed))
		goto fail;
	if (dbl_thread_start(&d->thread, channel, d) == 0)
		return d;
	dbl_cond_fini(&d->changed);
fail:
	dbl_event_free(d->stop_event);
	dbl_free(d);
	return NULL;
}

void dbl_channel_stop(struct dbl_channel *d)
{
	if (!d)
		return;
	dbl_lock(&d->locks->mutex);
	d->stopping = true;
	dbl_cond_wake(&d->changed);
	dbl_unlock(&d->locks->mutex);
	dbl_event_set(d->stop_event);
}

void dbl_channel_free(struct dbl_channel *d)
{
	if (!d)
		return;
	DBL_ASSERT(d->stopping); /* or the join would never end */
	dbl_thread_join(&d->thread);
	dbl_cond_fini(&d->changed);
	dbl_event_free(d->stop_event);
	dbl_free(d);
}

const char *dbl_channel_name(const struct dbl_channel *d)
{
	return d->channel;
}

bool dbl_channel_works(const struct dbl_channel *d)
{
	DBL_ASSERT_HELD(&d->locks->mutex);
	return d->works;
}

void dbl_channel_needed(struct dbl_channel *d)
{
	DBL_ASSERT_HELD(&d->locks->mutex);
	dbl_cond_wake(&d->changed);
}
