/* SPDX-License-Identifier: MIT */
/*
 * The storm over a cluster: processes that lock by the public API only, over three servers of three kinds, while
 * they are killed, stopped and cut off; members are killed, silent, and one is restored from a copy; the clock of
 * another one is a day ahead. Everybody writes down what he sees, and at the end the checker of tests/history says
 * whether a promise was broken. The variables of ../storm.h go for it, too; so do its `worker`, `witness` and
 * `judge`.
 */
#include <dblock/quorum.h>

#include "storm/crowd.h"
#include "storm/judge.h"
#include "storm/quorum/faults.h"
#include "storm/quorum/members.h"
#include "storm/quorum/worker.h"
#include "storm/tally.h"
#include "storm/witness.h"
#include "support/several.h"

/* A majority is gone for so long at a time; but longer where a member that was killed takes longer to come back. */
enum { NOBODY_MS = 700 };

/* Who waits may wait four times as long as for one database: members that do not answer are found out, votes
 * split, and the left ones of others run out, one after the other. Not promised on a cluster: order, as who waits
 * stands in the line of whichever member answers first. */
static const struct law law = {
	.rules = " guard overlap mode token forgotten release kept majority outcome end ",
	.patience = 4,
};

struct storm {
	struct crowd crowd;
	pid_t witness;
	int64_t length_ms;
	bool killed[MEMBERS], stopped[MEMBERS];
	bool restored; /* RESTORED has forgotten votes, and must not vote */
	int faults[MEMBER_FAULTS];
};

/* ---- members --------------------------------------------------------------------------------- */

static bool is_silent(const struct storm *s, int m)
{
	return s->killed[m] || s->stopped[m] || (m == RESTORED && s->restored);
}

static int count_silent(const struct storm *s)
{
	int n = 0;

	for (int m = 0; m < MEMBERS; m++)
		n += is_silent(s, m);
	return n;
}

static void tell_silent(struct storm *s)
{
	record(&s->crowd.recorder, (struct event){.kind = EVENT_SILENT,
						  .weight = count_silent(s),
						  .capacity = MEMBERS});
}

/* Of three one may be away; beyond that nobody can do what he should. */
static void about_to_silence(struct storm *s, int m)
{
	if (!is_silent(s, m) && count_silent(s) == 1)
		crowd_tell(&s->crowd, 0, EVENT_DOWN);
}

static void has_come_back(struct storm *s, int before)
{
	if (before > 1 && count_silent(s) <= 1)
		crowd_tell(&s->crowd, 0, EVENT_UP);
}

static void stop_member(struct storm *s, int m)
{
	about_to_silence(s, m);
	several_signal(m, SIGSTOP);
	s->stopped[m] = true;
	tell_silent(s);
}

static void continue_member(struct storm *s, int m)
{
	int before = count_silent(s);

	s->stopped[m] = false;
	tell_silent(s);
	several_signal(m, SIGCONT);
	has_come_back(s, before);
}

static void kill_member(struct storm *s, int m)
{
	about_to_silence(s, m);
	several_signal(m, SIGKILL);
	s->killed[m] = true;
	tell_silent(s);
}

static void start_member(struct storm *s, int m)
{
	int before = count_silent(s);

	s->killed[m] = false;
	tell_silent(s);
	several_restart(m);
	has_come_back(s, before);
}

static void copy_member(struct storm *s, int m)
{
	kill_member(s, m);
	member_copy();
	start_member(s, m);
}

/* It may answer, but it must not vote: for the checker it is silent. */
static void restore_member(struct storm *s, int m)
{
	kill_member(s, m);
	member_restore();
	s->restored = true;
	start_member(s, m);
}

/* While that lasts nothing new is granted. Then it votes again. */
static void replace_member(struct storm *s, int m)
{
	(void)m;
	crowd_tell(&s->crowd, 0, EVENT_DOWN);
	member_replace();
	s->restored = false;
	tell_silent(s);
	crowd_tell(&s->crowd, 0, EVENT_UP);
}

static void (*const member_acts[MEMBER_FAULTS])(struct storm *, int) = {
	[MEMBER_KILL] = kill_member,       [MEMBER_START] = start_member,
	[MEMBER_STOP] = stop_member,       [MEMBER_CONT] = continue_member,
	[MEMBER_COPY] = copy_member,       [MEMBER_RESTORE] = restore_member,
	[MEMBER_REPLACE] = replace_member,
};

/* For a moment there is no majority. */
static void silence_most(struct storm *s)
{
	bool mine[MEMBERS] = {false};

	for (int m = 0; m < MEMBERS; m++) {
		mine[m] = !is_silent(s, m) && count_silent(s) < MEMBERS - 1;
		if (mine[m])
			stop_member(s, m);
	}
	sleep_ms(NOBODY_MS);
	for (int m = 0; m < MEMBERS; m++) {
		if (mine[m])
			continue_member(s, m);
	}
	s->crowd.faults[FAULT_RESTART]++;
}

/* ---- the storm ------------------------------------------------------------------------------- */

static void wait_for_time(int64_t at_ms)
{
	int64_t wait_ms = at_ms - clock_ms();

	if (wait_ms > 0)
		sleep_ms(wait_ms);
}

static void strike_crowd(struct storm *s, const struct fault *f)
{
	if (f->kind == FAULT_RESTART)
		silence_most(s);
	else
		crowd_strike(&s->crowd, f);
}

static void strike_member(struct storm *s, const struct blow *b)
{
	member_acts[b->kind](s, b->member);
	s->faults[b->kind]++;
}

/* Faults of both kinds, in the order of their times. */
static void blow(struct storm *s)
{
	static struct fault faults[FAULTS_MAX];
	static struct blow blows[BLOWS_MAX];
	int n = schedule_make(faults, s->crowd.seed, s->length_ms, true), i = 0;
	int n_blows = faults_make(blows, s->crowd.seed, s->length_ms), j = 0;
	int64_t begun_ms = clock_ms();

	s->crowd.until = (begun_ms + s->length_ms) * 1000;
	crowd_start(&s->crowd);
	while (i < n || j < n_blows) {
		if (j == n_blows || (i < n && faults[i].at_ms < blows[j].at_ms)) {
			wait_for_time(begun_ms + faults[i].at_ms);
			strike_crowd(s, &faults[i++]);
		} else {
			wait_for_time(begun_ms + blows[j].at_ms);
			strike_member(s, &blows[j++]);
		}
	}
	crowd_relieve(&s->crowd);
}

/* ---- afterwards ------------------------------------------------------------------------------ */

static void all_urls(const char *urls[])
{
	for (int m = 0; m < MEMBERS; m++)
		urls[m] = several_url(m);
}

/* It is restored once more, and who needs it is told why it does not vote. */
static void expect_told(struct storm *s)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	const char *urls[MEMBERS];
	struct dblock_client *client;
	struct dblock_error err = {0};

	all_urls(urls);
	restore_member(s, RESTORED);
	options.timeout_ms = SLOWLY_MS(2000);
	stop_member(s, MEMBERS - 1);
	assert_int_not_equal(dblock_quorum_open(urls, MEMBERS, &options, &client, &err), DBLOCK_OK);
	continue_member(s, MEMBERS - 1);
	printf("storm: %s\n", err.message);
	assert_non_null(strstr(err.message, "dblock quorum replace"));
}

/* They have gone on, and nobody has anything any more. Returns how many locks cannot be had. */
static int take_all(struct storm *s)
{
	const char *urls[MEMBERS];

	all_urls(urls);
	return worker_take_all(++s->crowd.clients, urls);
}

static void print_what_was(const struct storm *s, const struct history *h)
{
	printf("storm: %zu events, %d grants, %d timeouts, %d cancels, %d busy, %d lost, %d "
	       "refused\n",
	       h->n, tally_count(h, EVENT_GRANTED, DBLOCK_OK),
	       tally_count(h, EVENT_DECLINED, DBLOCK_TIMEOUT),
	       tally_count(h, EVENT_DECLINED, DBLOCK_CANCELED),
	       tally_count(h, EVENT_DECLINED, DBLOCK_BUSY),
	       tally_count(h, EVENT_RELEASED, DBLOCK_LOST),
	       tally_count(h, EVENT_PRESENTED, DBLOCK_STALE));
	for (int i = 0; i < FAULT_KINDS; i++)
		printf("storm: %s: %d\n",
		       i == FAULT_RESTART ? "no majority" : fault_name((enum fault_kind)i),
		       s->crowd.faults[i]);
	for (int i = 0; i < MEMBER_FAULTS; i++)
		printf("storm: %s: %d\n", fault_of_member((enum member_fault)i), s->faults[i]);
	fflush(stdout);
}

static void expect_promises(const struct storm *s)
{
	struct history h = {.n = 0};
	char problem[1200];
	size_t n;

	if (!history_load(&h, storm_folder(), problem))
		fail_msg("%s", problem);
	print_what_was(s, &h);
	n = judge(&law, &h);
	if (n)
		fail_msg("%zu findings, seed %llu", n, (unsigned long long)s->crowd.seed);
	assert_int_equal(tally_count(&h, EVENT_DECLINED, DBLOCK_E_INVALID), 0);
	history_free(&h);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int set_up(void **state)
{
	static struct storm s;
	const char *urls[MEMBERS];

	members_start();
	all_urls(urls);
	crowd_open(&s.crowd, urls, MEMBERS);
	s.witness = witness_start(NULL);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct storm *s = *state;

	kill(s->witness, SIGKILL);
	waitpid(s->witness, NULL, 0);
	crowd_close(&s->crowd);
	several_stop();
	return 0;
}

static void every_promise_is_kept(void **state)
{
	struct storm *s = *state;
	int hanging, missed;

	s->crowd.seed = number_of("DBLOCK_STORM_SEED", (uint64_t)event_now() % 1000000);
	s->length_ms = (int64_t)number_of("DBLOCK_STORM_SECONDS", 10) * 1000;
	printf("storm: DBLOCK_STORM_SEED=%llu, %lld s\n", (unsigned long long)s->crowd.seed,
	       (long long)s->length_ms / 1000);
	fflush(stdout);
	blow(s);
	hanging = crowd_end(&s->crowd);
	missed = take_all(s);
	crowd_tell(&s->crowd, 0, EVENT_OVER);
	expect_promises(s);
	assert_int_equal(hanging, 0);
	assert_int_equal(missed, 0);
	expect_told(s);
}

static int become_worker(char **argv)
{
	const char *urls[MEMBERS] = {0};
	char *text = strdup(test_url());

	for (int i = 0; i < MEMBERS; i++)
		urls[i] = strtok(i ? NULL : text, " ");
	return worker_run(atoi(argv[2]), strtoull(argv[3], NULL, 10), strtoll(argv[4], NULL, 10),
			  urls);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_promise_is_kept)};

	if (argc == 5 && strcmp(argv[1], "worker") == 0)
		return become_worker(argv);
	if (argc == 2 && strcmp(argv[1], "witness") == 0)
		return witness_run();
	if (argc == 3 && strcmp(argv[1], "judge") == 0)
		return judge_again(&law, argv[2]);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
