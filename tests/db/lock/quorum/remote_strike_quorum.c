/* SPDX-License-Identifier: MIT */
/* The calls of a client of a cluster, with each driver call to each member in turn going wrong in each way. */
#include "db/lock/quorum/strike_cluster.h"
#include "lock/quorum/own.h"

/* ---- scenes ---------------------------------------------------------------------------------- */

static int call_open(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = cluster_options(SLOWLY_MS(TTL_MS));
	const char *urls[MEMBERS] = {cluster.direct[0], cluster.direct[1], cluster.direct[2]};

	options.timeout_ms = SLOWLY_MS(TIMEOUT_MS);
	options.auto_migrate = false;
	return dbl_client_quorum_open(urls, MEMBERS, &options, strike_env(s->strike), &s->client,
				      err);
}

static void with_client(struct stage *s)
{
	struct dblock_error err = {0};

	EXPECT_OPEN(call_open(s, &err));
}

/* As all members vote for it, each is asked for what follows. */
static void has_all_votes(struct stage *s)
{
	wait_until(taken() == MEMBERS);
	s->newest = dblock_token(s->lock);
}

static void with_lock(struct stage *s)
{
	with_client(s);
	s->lock = take(s->client, "x");
	has_all_votes(s);
}

static int call_lease(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.lease_ms = SLOWLY_MS(TTL_MS);
	return dblock_try(s->client, "x", &how, &s->lock, err);
}

static bool all_vote_soon(void)
{
	for (int i = 0; i < 100 && taken() < MEMBERS; i++)
		sleep_ms(2);
	return taken() == MEMBERS;
}

/* The client knows of each vote: what it has not heard of yet it does not extend. */
static bool has_heard_of_all(struct stage *s)
{
	struct dbl_quorum_lock *l = dbl_quorum_lock_of(s->lock);
	unsigned n = 0;

	dbl_lock(&l->quorum->home.mutex);
	for (unsigned i = 0; i < l->quorum->n; i++)
		n += l->voters[i].part != NULL;
	dbl_unlock(&l->quorum->home.mutex);
	return n == MEMBERS;
}

/* A member that was too slow for a lease does not vote for it later: then it is taken anew. */
static bool is_leased_by_all(struct stage *s)
{
	struct dblock_error err = {0};

	if (call_lease(s, &err))
		return false;
	for (int i = 0; all_vote_soon() && i < 100; i++) {
		if (has_heard_of_all(s))
			return true;
		sleep_ms(2);
	}
	give_in_time_or_not(s->lock);
	s->lock = NULL;
	return false;
}

static void with_lease(struct stage *s)
{
	with_client(s);
	wait_until(is_leased_by_all(s));
	s->newest = dblock_token(s->lock);
}

static void with_busy(struct stage *s)
{
	struct dblock_error err = {0};
	struct dblock_acquire_options patient = DBLOCK_ACQUIRE_OPTIONS_INIT;

	with_client(s);
	patient.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(s->calm, "x", &patient, &s->theirs, &err));
	s->newest = dblock_token(s->theirs);
	s->asked = 0;
}

static int call_try(struct stage *s, struct dblock_error *err)
{
	return dblock_try(s->client, "x", NULL, &s->lock, err);
}

/* The holder's callback is asked while the call waits, and gives the lock back. */
static int give_theirs(void *arg)
{
	struct stage *s = arg;

	if (++s->asked == 2) {
		give(s->theirs);
		s->theirs = NULL;
	}
	return 0;
}

static int call_wait(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.wait_ms = PLENTY_MS;
	how.canceled = give_theirs;
	how.canceled_arg = s;
	return dblock_acquire(s->client, "x", &how, &s->lock, err);
}

static int call_release(struct stage *s, struct dblock_error *err)
{
	struct dblock_lock *lock = s->lock;

	s->lock = NULL;
	return dblock_release(lock, err);
}

static int call_extend(struct stage *s, struct dblock_error *err)
{
	return dblock_extend(s->lock, SLOWLY_MS(2 * TTL_MS), err);
}

static int call_extend_token(struct stage *s, struct dblock_error *err)
{
	return dblock_extend_token(s->client, "x", s->newest, SLOWLY_MS(2 * TTL_MS), err);
}

static int call_release_token(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_release_token(s->client, "x", s->newest, err);

	(void)call_release(s, NULL); /* the handle, of what it does not have any more */
	return rc;
}

static int call_close(struct stage *s, struct dblock_error *err)
{
	struct dblock_client *client = s->client;

	s->client = NULL;
	s->lock = NULL;
	return (dblock_close)(client, err);
}

PLAY(open, .call = call_open, .least = 4, .large = true)
PLAY(try, .prepare = with_client, .call = call_try, .least = 2)
PLAY(lease, .prepare = with_client, .call = call_lease, .least = 2)
PLAY(wait, .prepare = with_busy, .call = call_wait, .least = 3, .large = true)
PLAY(release, .prepare = with_lock, .call = call_release, .least = 1)
PLAY(extend, .prepare = with_lease, .call = call_extend, .least = 1, .same = true)
PLAY(extend_by_token, .prepare = with_lease, .call = call_extend_token, .least = 1, .same = true)
PLAY(release_by_token, .prepare = with_lease, .call = call_release_token, .least = 1)
PLAY(close, .prepare = with_lock, .call = call_close, .least = 1)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(open),    SCENE(try),    SCENE(lease),           SCENE(wait),
		SCENE(release), SCENE(extend), SCENE(extend_by_token), SCENE(release_by_token),
		SCENE(close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
