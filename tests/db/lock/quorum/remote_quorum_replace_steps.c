/* SPDX-License-Identifier: MIT */
/*
 * A member is replaced while two contend for a lock: one who knows the member that goes, and one who knows the one that
 * comes. Whoever replaces it is killed before each of his statements on each database; the statement is lost, or
 * comes late, when the next one who goes on is waiting. Never two holders, tokens grow, and in the end the newcomer
 * votes.
 */
#include "db/lock/quorum/cluster.h"
#include "db/lock/quorum/ledger.h"

enum { MAX_TTL_MS = 700, GOES = 2, COMES = 3, OTHER = 4, GRANTS = 3 };

struct step {
	int at; /* the database */
	const char *statement;
	bool late;
};

static int going, coming; /* databases, as they take turns */
static int go[2];
static _Atomic bool stop;

static int replace(void (*waits)(void *, int64_t), void *arg, struct dblock_error *err)
{
	const char *urls[] = {cluster.urls[0], cluster.urls[1], cluster.urls[coming]};
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_replace_options options = DBLOCK_REPLACE_OPTIONS_INIT;

	options.waits = waits;
	options.waits_arg = arg;
	options.allow_forgetful = true;
	return dblock_quorum_replace(urls, MEMBERS, 3, &options, &clients, err);
}

/* ---- who is killed --------------------------------------------------------------------------- */

static void *replaces(void *arg)
{
	struct dblock_error err = {0};
	char word;

	/* It is killed before this returns. */
	if (read(go[0], &word, 1) == 1 && replace(NULL, NULL, &err))
		fprintf(stderr, "child: %s\n", err.message);
	return arg;
}

static int64_t is_to_be_killed(void *arg)
{
	pthread_t thread;

	(void)arg;
	child_has_threads();
	return pthread_create(&thread, NULL, replaces, NULL) ? -1 : 1;
}

/* ---- who contends ---------------------------------------------------------------------------- */

static void *contend(void *arg)
{
	struct contender *c = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	while (!stop) {
		if (dblock_try(c->client, "x", NULL, &lock, &err)) {
			sleep_ms(5);
			continue;
		}
		ledger_enter(c, lock);
		sleep_ms(3);
		ledger_leave(c);
		c->losses += dblock_release(lock, NULL) == DBLOCK_LOST;
		sleep_ms(10);
	}
	return NULL;
}

static void contend_with(struct contender *c, int third)
{
	const char *urls[] = {cluster.urls[0], cluster.urls[1], cluster.urls[third]};
	struct dblock_client_options options = cluster_options(MAX_TTL_MS);
	struct dblock_error err = {0};

	c->grants = 0;
	EXPECT_OPEN(dblock_quorum_open(urls, MEMBERS, &options, &c->client, &err));
	assert_int_equal(pthread_create(&c->thread, NULL, contend, c), 0);
}

static void end(struct contender *c)
{
	pthread_join(c->thread, NULL);
	dblock_close(c->client, NULL);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void comes_late(void *arg, int64_t ms)
{
	(void)ms;
	proxy_deliver(cluster.proxy[((const struct step *)arg)->at]);
}

/* What comes late may be in the way of who goes on; then he has to begin once more. */
static void go_on(struct step *step)
{
	struct dblock_error err = {0};
	int rc = DBLOCK_E_CONFLICT;

	for (int i = 0; i < 3 && rc == DBLOCK_E_CONFLICT; i++)
		rc = replace(step->late ? comes_late : NULL, step, &err);
	if (rc)
		fail_msg("%s on %d: %s", step->statement, step->at, err.message);
}

static void break_off(struct step *step, struct child *child)
{
	struct proxy *proxy = cluster.proxy[step->at];

	proxy_set_at(proxy, step->statement, PROXY_HOLD);
	assert_int_equal(write(go[1], "g", 1), 1);
	proxy_wait_hit(proxy);
	child_kill(child);
	if (!step->late)
		proxy_cut_held(proxy);
}

static void expect_all_vote(const struct step *step)
{
	int64_t epoch = raw_int(cluster.raw[0], "SELECT epoch FROM dblock_quorum");

	for (int i = 0; i < MEMBERS; i++) {
		struct raw *raw = cluster.raw[i == 2 ? coming : i];

		if (raw_int(raw,
			    "SELECT count(*) FROM dblock_quorum WHERE state = 1 AND epoch = "
			    "%lld AND number = %d",
			    (long long)epoch, i + 1) != 1)
			fail_msg("%s on %d: member %d does not vote", step->statement, step->at,
				 i + 1);
	}
}

static void one_step(struct step *step)
{
	struct contender *knows_old = &ledger.contenders[0], *knows_new = &ledger.contenders[1];
	struct child child;

	assert_int_equal(pipe(go), 0);
	child = child_start(is_to_be_killed, NULL);
	stop = false;
	contend_with(knows_old, going);
	contend_with(knows_new, coming);
	break_off(step, &child);
	go_on(step);
	expect_all_vote(step);
	ledger_count_anew(2);
	wait_until(ledger_has(2, GRANTS));
	stop = true;
	end(knows_old);
	end(knows_new);
	if (ledger.finding[0])
		fail_msg("%s on %d: %s", step->statement, step->at, ledger.finding);
	proxy_set(cluster.proxy[step->at], PROXY_PASS);
	close(go[0]);
	close(go[1]);
}

static void steps(bool late)
{
	static const struct {
		int at;
		const char *statement;
	} all[] = {{COMES, "quorum_forget"}, {COMES, "quorum_join"}, {0, "quorum_close"},
		   {1, "quorum_close"},      {0, "quorum_tokens"},   {1, "quorum_tokens"},
		   {COMES, "purge_floor"},   {0, "quorum_reopen"},   {1, "quorum_reopen"},
		   {COMES, "quorum_reopen"}};

	going = GOES;
	coming = COMES;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct step step = {.at = all[i].at == COMES ? coming : all[i].at,
				    .statement = all[i].statement,
				    .late = late};
		int other = going;

		one_step(&step);
		going = coming;
		coming = other;
	}
}

static void killed_at_each_statement(void **state)
{
	(void)state;
	steps(false);
}

static void its_last_statement_comes_late(void **state)
{
	(void)state;
	steps(true);
}

/* The newcomer is lost while it comes, before any was opened for it, or after: another one takes the place. Another
 * member is not replaced before that is done. */
static void its_newcomer_is_lost(void **state)
{
	struct step all[] = {{COMES, "purge_floor", false}, {1, "quorum_reopen", false}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *urls[] = {cluster.urls[0], cluster.urls[OTHER], cluster.urls[GOES]};
		struct dblock_client_options clients = cluster_options(0);
		int64_t epoch = raw_int(cluster.raw[0], "SELECT epoch FROM dblock_quorum");
		struct dblock_error err = {0};
		struct child child;

		assert_int_equal(pipe(go), 0);
		coming = COMES;
		child = child_start(is_to_be_killed, NULL);
		break_off(&all[i], &child);
		if (i == 0)
			expect(E_INVALID, cluster_replace(urls, MEMBERS, 2, &clients, &err));
		coming = i == 0 ? OTHER : GOES;
		go_on(&all[i]);
		expect_all_vote(&all[i]);
		assert_int_equal(raw_int(cluster.raw[0], "SELECT epoch FROM dblock_quorum"),
				 epoch + 1 + i);
		close(go[0]);
		close(go[1]);
	}
}

static int set_up(void **state)
{
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_quorum_options options = cluster_of(MAX_TTL_MS);
	struct dblock_error err = {0};

	(void)state;
	memset(&ledger.contenders, 0, sizeof(ledger.contenders));
	ledger.token = 0;
	cluster_make(MEMBERS + 2);
	expect(OK, dblock_quorum_init(cluster.urls, MEMBERS, "three", &options, &clients, &err));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(killed_at_each_statement, set_up,
						cluster_tear_down),
		cmocka_unit_test_setup_teardown(its_last_statement_comes_late, set_up,
						cluster_tear_down),
		cmocka_unit_test_setup_teardown(its_newcomer_is_lost, set_up, cluster_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
