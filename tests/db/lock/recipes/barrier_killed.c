/* SPDX-License-Identifier: MIT */
/* Parties of a barrier are killed and stopped, again and again, in all rounds: nobody is in before all have come, nobody
 * is out before all wanted out, and whoever lives is in, or told. */
#include <sys/mman.h>

#include "db/lock/recipes/latch.h"
#include "db/lock/recipes/meeting.h"
#include "lock/recipes/barrier.h"

enum { PARTIES = 3, CHILDREN = 5, BLOWS = 40, TTL_MS = 1000, STOPS = 2 };

static struct meeting *meeting; /* all processes' */

/* ---- what a process does ------------------------------------------------------------------------ */

static struct dblock_client *client_of_party(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = TTL_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = true;
	return client_with(&options);
}

static enum what outcome(int rc, enum what good, const struct dblock_error *err)
{
	if (rc < 0)
		fprintf(stderr, "party: %s\n", err->message);
	return rc == DBLOCK_OK                               ? good
	       : rc == DBLOCK_BROKEN || rc == DBLOCK_TIMEOUT ? WAS_TOLD
							     : WAS_LOST;
}

static void meet(struct dblock_client *client, unsigned *seed)
{
	struct dblock_barrier_options options = DBLOCK_BARRIER_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_barrier *barrier;
	int call = atomic_fetch_add(&meeting->calls, 1);
	int64_t generation = 0;
	int rc;

	options.wait_ms = 100 + rand_r(seed) % 3000;
	note(meeting, COMES, call, 0);
	rc = dblock_barrier_enter(client, "x", PARTIES, &options, &barrier, &err);
	if (rc == 0)
		generation = barrier->generation;
	note(meeting, outcome(rc, IS_IN, &err), call, generation);
	if (rc)
		return;
	sleep_ms(rand_r(seed) % 20);
	note(meeting, WANTS_OUT, call, generation);
	rc = dblock_barrier_leave(barrier, &options, &err);
	note(meeting, outcome(rc, IS_OUT, &err), call, generation);
}

static void *meet_for_ever(void *client)
{
	unsigned seed = (unsigned)getpid();

	for (;;)
		meet(client, &seed);
	return NULL;
}

static int64_t lives(void *arg)
{
	pthread_t thread;

	(void)arg;
	child_has_threads();
	return pthread_create(&thread, NULL, meet_for_ever, client_of_party());
}

/* ---- and what happens to it --------------------------------------------------------------------- */

/* Longer than its ttl: the others have watched it for that. */
static void stop_for_long(const struct child *child)
{
	kill(child->pid, SIGSTOP);
	sleep_ms(TTL_MS * 2);
	kill(child->pid, SIGCONT);
}

static void blow(struct child *children, unsigned *seed, int blow_no)
{
	struct child *child = &children[rand_r(seed) % CHILDREN];

	sleep_ms(rand_r(seed) % 100);
	if (blow_no % (BLOWS / STOPS) == 1) {
		stop_for_long(child);
	} else if (rand_r(seed) % 2) {
		kill(child->pid, SIGSTOP);
		sleep_ms(rand_r(seed) % 100);
		kill(child->pid, SIGCONT);
	} else {
		child_kill(child);
		*child = child_start(lives, NULL);
		assert_int_equal(child->said, 0);
	}
}

static void it_has_rounds(void)
{
	int n = meeting->n < EVENTS_MAX ? meeting->n : EVENTS_MAX, in = 0, out = 0, told = 0;

	for (int i = 0; i < n; i++) {
		in += meeting->event[i].what == IS_IN;
		out += meeting->event[i].what == IS_OUT;
		told += meeting->event[i].what == WAS_TOLD;
	}
	print_message("%d calls: %d in, %d out, %d told that it is broken\n", meeting->calls, in,
		      out, told);
	assert_true(in >= PARTIES && out >= PARTIES && told > 0);
}

static int enters_at_last(void *arg, struct dblock_error *err)
{
	int rc;

	do
		rc = party_enters(arg, err);
	while (rc == DBLOCK_BROKEN);
	return rc;
}

/* At once, or when those who died are known to have. */
static void those_who_come_afterwards_meet(void **state)
{
	struct dblock_client *client = client_of_party();
	struct party p[PARTIES];

	(void)state;
	for (int i = 0; i < PARTIES; i++) {
		p[i] = (struct party)PARTY(client, PARTIES);
		party_start(&p[i], enters_at_last);
	}
	for (int i = 0; i < PARTIES; i++)
		party_ends(&p[i], DBLOCK_OK);
	for (int i = 0; i < PARTIES; i++)
		party_start(&p[i], party_leaves);
	for (int i = 0; i < PARTIES; i++)
		party_ends(&p[i], DBLOCK_OK);
	dblock_close(client, NULL);
}

static void whoever_dies_nobody_is_in_alone(void **state)
{
	struct child children[CHILDREN];
	unsigned seed = (unsigned)time(NULL);
	const char *rule;
	int at;

	(void)state;
	print_message("seed %u\n", seed);
	dblock_close(client_of_party(), NULL);
	for (int i = 0; i < CHILDREN; i++)
		children[i] = child_start(lives, NULL);
	for (int i = 0; i < BLOWS; i++)
		blow(children, &seed, i);
	for (int i = 0; i < CHILDREN; i++)
		child_kill(&children[i]);
	rule = judge_meeting(meeting, PARTIES, &at);
	if (rule)
		fail_msg("event %d: %s", at, rule);
	it_has_rounds();
}

/* ---- at once ------------------------------------------------------------------------------------ */

static void *enter_for_ever(void *client)
{
	struct party p = PARTY(client, PARTIES);
	struct dblock_error err = {0};

	(void)party_enters(&p, &err);
	return NULL;
}

/* Its ttl is a day: nobody waits for that. */
static int64_t enters(void *arg)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	pthread_t thread;

	(void)arg;
	child_has_threads();
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = true;
	return pthread_create(&thread, NULL, enter_for_ever, client_with(&options));
}

/* Naive: after its ttl; or never, as the first one, who would look, is the one that has died. */
static void who_is_killed_is_seen_at_once(void **state)
{
	struct child first = child_start(enters, NULL);
	struct raw *raw = raw_open(NULL);
	struct party p = PARTY(client_of_party(), PARTIES);

	(void)state;
	until_arrived(raw, 1);
	party_start(&p, party_enters);
	until_arrived(raw, 2);
	child_kill(&first);
	party_ends(&p, DBLOCK_BROKEN);
	dblock_close(p.client, NULL);
	raw_close(raw);
}

static struct {
	struct child first;
	struct raw *raw;
} doomed;

/* Somebody else has found its process dead. */
static enum spy_fate kills_the_first(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_barrier_look) {
		spy->fate = NULL;
		raw_exec(doomed.raw, "UPDATE dblock_session SET dead = true WHERE pid = %lld",
			 (long long)doomed.first.pid);
		child_kill(&doomed.first);
	}
	return SPY_PASS;
}

/* Naive: it has never been counted as one that is there, so nobody finds it missing. */
static void who_is_killed_before_the_first_look_is_seen(void **state)
{
	struct spy *spy = spy_new();
	struct party p = PARTY(NULL, PARTIES);

	(void)state;
	doomed.first = child_start(enters, NULL);
	doomed.raw = raw_open(NULL);
	p.client = spy_client(spy, 0);
	until_arrived(doomed.raw, 1);
	spy->fate = kills_the_first;
	party_start(&p, party_enters);
	party_ends(&p, DBLOCK_BROKEN);
	dblock_close(p.client, NULL);
	raw_close(doomed.raw);
	spy_free(spy);
}

/* ---- the checker ---------------------------------------------------------------------------------- */

static void add(enum what what, int call, int64_t generation)
{
	note(meeting, what, call, generation);
}

/* A round of three, as it is to be. */
static void add_round(int first, int64_t generation)
{
	for (enum what what = COMES; what <= IS_OUT; what++)
		for (int i = 0; i < PARTIES; i++)
			add(what, first + i, what == COMES ? 0 : generation);
}

static void is_refused(const char *why)
{
	int at;
	const char *rule = judge_meeting(meeting, PARTIES, &at);

	assert_non_null(rule);
	assert_string_equal(rule, why);
	meeting->n = 0;
}

static void is_accepted(void)
{
	int at;

	assert_null(judge_meeting(meeting, PARTIES, &at));
	meeting->n = 0;
}

static void the_checker_finds_what_is_planted(void **state)
{
	(void)state;
	meeting->n = 0;
	add_round(0, 2);
	add_round(3, 4);
	is_accepted();

	add_round(0, 2); /* the third of the second round comes late */
	add(COMES, 3, 0), add(COMES, 4, 0), add(IS_IN, 3, 4), add(COMES, 5, 0), add(IS_IN, 5, 4);
	is_refused("one is in before all have come");

	add(COMES, 0, 0), add(COMES, 1, 0), add(COMES, 2, 0); /* it had given up, and was told */
	add(WAS_TOLD, 2, 0), add(IS_IN, 0, 2), add(IS_IN, 1, 2);
	is_refused("one is in before all have come");

	add(COMES, 0, 0), add(COMES, 1, 0), add(COMES, 2, 0); /* it has died */
	add(IS_IN, 0, 2), add(IS_IN, 1, 2);
	is_accepted();

	for (int i = 0; i < 4; i++)
		add(COMES, i, 0);
	for (int i = 0; i < 4; i++)
		add(IS_IN, i, 2);
	is_refused("more parties are in than there are");

	for (int i = 0; i < 3; i++)
		add(COMES, i, 0);
	for (int i = 0; i < 3; i++)
		add(IS_IN, i, 2);
	add(WANTS_OUT, 0, 2), add(WANTS_OUT, 1, 2), add(IS_OUT, 1, 2), add(WANTS_OUT, 2, 2);
	is_refused("one is out before all wanted out");

	add_round(0, 2);
	meeting->event[meeting->n - 1].what = WAS_TOLD;
	is_refused("one is out before all wanted out");

	add_round(0, 2);
	add(COMES, 3, 0), add(WANTS_OUT, 3, 2), add(WAS_TOLD, 3, 2);
	is_refused("some are out, and others were told that it is broken");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_checker_finds_what_is_planted),
		cmocka_unit_test(who_is_killed_is_seen_at_once),
		cmocka_unit_test(who_is_killed_before_the_first_look_is_seen),
		cmocka_unit_test(whoever_dies_nobody_is_in_alone),
		cmocka_unit_test(those_who_come_afterwards_meet),
	};

	meeting = mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	return meeting == MAP_FAILED || cmocka_run_group_tests(tests, NULL, NULL);
}
