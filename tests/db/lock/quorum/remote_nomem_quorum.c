/* SPDX-License-Identifier: MIT */
/*
 * Memory runs out in a client of a cluster: each call is made again and again, with its first request refused, with
 * its second, ... until it makes no further one; likewise with all refused from then on, and with threads, mutexes
 * and conditions. (Its members' threads ask for some, too, so it is not the same one each time.) What the call
 * returns is true; it works once there is memory again; and nothing is left behind, at any member.
 */
#include "db/faults/shortage.h"
#include "db/lock/quorum/cluster.h"
#include "support/thin.h"

enum { TTL_MS = 1500 };

/* Less than the members' max_ttl, on whatever machine. */
enum { LEASE_MS = 290000 };

struct stage {
	struct dblock_client *helper, *client;
	struct dblock_lock *lock;
	int64_t newest; /* token */
};

struct scene {
	const char *name;
	void (*prepare)(struct stage *);
	int (*call)(struct stage *, struct dblock_error *);
	int expected; /* the outcome if nothing is refused */
	bool once;    /* it cannot be made again */
};

/* ---- scenes ---------------------------------------------------------------------------------- */

static int call_open(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = cluster_options(SLOWLY_MS(TTL_MS));
	const char *urls[MEMBERS] = {cluster.direct[0], cluster.direct[1], cluster.direct[2]};

	options.auto_migrate = false;
	return dblock_quorum_open(urls, MEMBERS, &options, &s->client, err);
}

static void with_client(struct stage *s)
{
	struct dblock_error err = {0};

	EXPECT_OPEN(call_open(s, &err));
}

static int call_try(struct stage *s, struct dblock_error *err)
{
	return dblock_try(s->client, "x", NULL, &s->lock, err);
}

static int call_lease(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.lease_ms = LEASE_MS;
	how.wait_ms = PLENTY_MS;
	how.value = "a value";
	return dblock_acquire(s->client, "x", &how, &s->lock, err);
}

static void with_lock(struct stage *s)
{
	struct dblock_error err = {0};

	with_client(s);
	expect(OK, call_try(s, &err));
}

static void with_lease(struct stage *s)
{
	struct dblock_error err = {0};

	with_client(s);
	expect(OK, call_lease(s, &err));
}

static void with_busy(struct stage *s)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	with_client(s);
	how.wait_ms = PLENTY_MS;
	how.lease_ms = LEASE_MS;
	expect(OK, dblock_acquire(s->helper, "x", &how, &lock, &err));
	s->newest = dblock_token(lock);
	(void)lock; /* it is released by its token */
}

static int call_wait(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.wait_ms = 20;
	return dblock_acquire(s->client, "x", &how, &s->lock, err);
}

static int call_extend(struct stage *s, struct dblock_error *err)
{
	return dblock_extend(s->lock, PLENTY_MS, err);
}

static int call_extend_token(struct stage *s, struct dblock_error *err)
{
	return dblock_extend_token(s->client, "x", dblock_token(s->lock), PLENTY_MS, err);
}

static int call_release_token(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_release_token(s->client, "x", dblock_token(s->lock), err);

	return rc == DBLOCK_STALE ? DBLOCK_OK : rc; /* the call before has freed it */
}

static int call_release(struct stage *s, struct dblock_error *err)
{
	struct dblock_lock *lock = s->lock;

	s->lock = NULL;
	return dblock_release(lock, err);
}

static int call_close(struct stage *s, struct dblock_error *err)
{
	struct dblock_client *client = s->client;

	s->client = NULL;
	s->lock = NULL;
	return (dblock_close)(client, err);
}

static const struct scene scenes[] = {
	{"open", NULL, call_open, DBLOCK_OK, false},
	{"try", with_client, call_try, DBLOCK_OK, false},
	{"acquire a lease", with_client, call_lease, DBLOCK_OK, false},
	{"wait for what is busy", with_busy, call_wait, DBLOCK_TIMEOUT, false},
	{"extend", with_lease, call_extend, DBLOCK_OK, false},
	{"extend by token", with_lease, call_extend_token, DBLOCK_OK, false},
	{"release by token", with_lease, call_release_token, DBLOCK_OK, false},
	{"release", with_lock, call_release, DBLOCK_OK, true},
	{"close", with_lock, call_close, DBLOCK_OK, true},
};

/* ---- the loop -------------------------------------------------------------------------------- */

static void check_outcome(const struct scene *scene, int rc, int refused,
			  const struct dblock_error *err)
{
	/* A release is over with any outcome, and this one says what is not. */
	bool unsure = rc == DBLOCK_E_UNSURE && scene->call == call_release;
	/* On a machine with other work a second member may have been slow. */
	bool slow = rc == DBLOCK_E_NO_ANSWER && strstr(err->message, "not answered for a while");

	if (rc == scene->expected ||
	    (refused && (rc == DBLOCK_E_NOMEM || unsure || slow) && err->message[0]))
		return;
	fail_msg("%s, %d refused: %s: %s", scene->name, refused, dblock_outcome_name(rc),
		 err->message);
}

/* So many members vote for somebody; a lease's vote has no session. */
static int taken(void)
{
	int n = 0;

	for (int i = 0; i < MEMBERS; i++)
		n += member_int(i, "count(*)", "x' AND nonce <> '0") == 1;
	return n;
}

static void clean_up(struct stage *s)
{
	struct dblock_error err = {0};

	if (s->newest)
		expect(OK, dblock_release_token(s->helper, "x", s->newest, &err));
	if (s->lock)
		(void)dblock_release(s->lock, NULL);
	if (s->client)
		dblock_close(s->client, NULL);
	*s = (struct stage){.helper = s->helper};
}

/* The next one gets it, and by and by from all. */
static void nothing_is_left(struct stage *s, const struct scene *scene)
{
	struct dblock_acquire_options patient = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	patient.wait_ms = PLENTY_MS;
	if (dblock_acquire(s->helper, "x", &patient, &lock, &err))
		fail_msg("%s: nobody has it: %s", scene->name, err.message);
	wait_until(taken() == MEMBERS);
	give_in_time_or_not(lock);
	wait_until(taken() == 0);
}

/* What could not be given back for want of memory is, with the next heartbeats. */
static void works_again(struct stage *s, const struct scene *scene)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	int rc;

	do
		rc = scene->call(s, &err);
	while (rc == DBLOCK_BUSY && clock_ms() < until);
	check_outcome(scene, rc, 0, &err);
}

/* Plays the scene once, and returns how many requests were refused. */
static int play(struct stage *s, const struct scene *scene, enum shortage_of of, int n, bool lasts)
{
	struct dblock_error err = {0};
	int refused, rc;

	if (scene->prepare)
		scene->prepare(s);
	shortage_begin(of, n, lasts);
	rc = scene->call(s, &err);
	refused = shortage_end();
	check_outcome(scene, rc, refused, &err);
	if (s->lock && scene->call == call_try && dblock_valid(s->lock, 0))
		busy(s->helper, "x");
	if (rc == DBLOCK_E_NOMEM && !scene->once)
		works_again(s, scene);
	clean_up(s);
	nothing_is_left(s, scene);
	return refused;
}

/* The normal run tries some of the places; and where all is refused from then on, some of these. */
static int play_all(struct stage *s, const struct scene *scene, enum shortage_of of)
{
	int n = 1;

	while (!tries_here((unsigned)n, 3) || play(s, scene, of, n, false) > 0)
		n++;
	for (int m = 1; m < n; m++) {
		if (tries_here((unsigned)m, 9))
			play(s, scene, of, m, true);
	}
	print_message("%s: %d requests\n", scene->name, n - 1);
	return n - 1;
}

static void any_allocation_may_fail(void **state)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		assert_true(play_all(*state, &scenes[i], SHORT_OF_MEMORY) > 0);
}

/* A client has one of its own, one for each member, and what each member's has. */
static void any_thread_may_fail_to_start(void **state)
{
	assert_true(play_all(*state, &scenes[0], SHORT_OF_THREADS) > 2 * MEMBERS);
	play_all(*state, &scenes[1], SHORT_OF_THREADS);
}

static void any_mutex_or_condition_may_fail(void **state)
{
	assert_true(play_all(*state, &scenes[0], SHORT_OF_SYNC) > 2 * MEMBERS);
	play_all(*state, &scenes[1], SHORT_OF_SYNC);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int set_up(void **state)
{
	static struct stage s;

	cluster_set_up(NULL);
	s = (struct stage){.helper = cluster_client(SLOWLY_MS(TTL_MS))};
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *s = *state;

	(void)shortage_end();
	if (s->client)
		dblock_close(s->client, NULL);
	dblock_close(s->helper, NULL);
	return cluster_tear_down(NULL);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(any_allocation_may_fail),
		CASE(any_thread_may_fail_to_start),
		CASE(any_mutex_or_condition_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
