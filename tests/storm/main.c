/* SPDX-License-Identifier: MIT */
/* The supervisor starts the processes, does to them what the schedule says, waits until they have
 * ended, and asks the checker. As `storm worker ...` it is one of them; `storm judge FOLDER` asks
 * the checker once more about a history that was kept. */
#include "storm/crowd.h"
#include "storm/hand.h"
#include "storm/judge.h"
#include "storm/tally.h"
#include "storm/witness.h"
#include "support/server.h"

/* If chance has left something out, further gusts follow, up to so many. */
enum { GUSTS_MAX = 6 };

/* So many grants must have shown everything that is left to chance. */
enum { GRANTS_ENOUGH = 1000 };

static const struct law every_rule = {.patience = 1};

struct storm {
	bool remote;
	struct crowd crowd;
	pid_t witness;
	int64_t length_ms; /* this gust's */
	int gusts;         /* so far */
};

static void restart_server(struct storm *s)
{
	crowd_tell(&s->crowd, 0, EVENT_DOWN);
	server_signal(SIGKILL);
	server_restart();
	crowd_tell(&s->crowd, 0, EVENT_UP);
	s->crowd.faults[FAULT_RESTART]++;
}

static void blow(struct storm *s)
{
	static struct fault faults[FAULTS_MAX];
	int n = schedule_make(faults, s->crowd.seed + (uint64_t)s->gusts++, s->length_ms,
			      s->remote);
	int64_t begun_ms = clock_ms();

	s->crowd.until = (begun_ms + s->length_ms) * 1000;
	crowd_start(&s->crowd);
	for (int i = 0; i < n; i++) {
		int64_t wait_ms = begun_ms + faults[i].at_ms - clock_ms();

		if (wait_ms > 0)
			sleep_ms(wait_ms);
		if (faults[i].kind == FAULT_RESTART)
			restart_server(s);
		else
			crowd_strike(&s->crowd, &faults[i]);
	}
	crowd_relieve(&s->crowd);
}

/* Returns how many processes do not end. */
static int calm_down(struct storm *s)
{
	int n = crowd_end(&s->crowd);

	crowd_tell(&s->crowd, 0, EVENT_OVER);
	return n;
}

/* ---- what came of it ------------------------------------------------------------------------- */

static void print_faults(const struct storm *s, const struct history *h)
{
	printf("storm: %zu events, %d grants, %d timeouts, %d cancels, %d refused, %d lost\n", h->n,
	       tally_count(h, EVENT_GRANTED, DBLOCK_OK),
	       tally_count(h, EVENT_DECLINED, DBLOCK_TIMEOUT),
	       tally_count(h, EVENT_DECLINED, DBLOCK_CANCELED),
	       tally_count(h, EVENT_PRESENTED, DBLOCK_STALE),
	       tally_count(h, EVENT_RELEASED, DBLOCK_LOST));
	for (int i = 0; i < FAULT_KINDS; i++) {
		printf("storm: %s: %d\n", fault_name((enum fault_kind)i), s->crowd.faults[i]);
		/* The schedule has each of these kinds. */
		if (s->remote || i <= FAULT_CONT)
			assert_true(s->crowd.faults[i] > 0);
	}
}

/* Excuses a machine that makes a tenth of the usual grants in a minute. */
static bool is_excused(const struct storm *s, const struct history *h)
{
	bool few = tally_count(h, EVENT_GRANTED, DBLOCK_OK) < GRANTS_ENOUGH;

	if (few && s->gusts == GUSTS_MAX)
		printf("storm: fewer than %d grants: that it lacks something says nothing\n",
		       GRANTS_ENOUGH);
	return few && s->gusts == GUSTS_MAX;
}

/* Returns how many kinds of events are missing. */
static int expect_promises(const struct storm *s)
{
	struct history h = {.n = 0};
	char problem[1200];
	size_t n;
	int lacking;

	if (!history_load(&h, storm_folder(), problem))
		fail_msg("%s", problem);
	print_faults(s, &h);
	lacking = tally(&h);
	if (lacking && is_excused(s, &h))
		lacking = 0;
	n = judge(&every_rule, &h);
	if (n)
		fail_msg("%zu findings, seed %llu", n, (unsigned long long)s->crowd.seed);
	/* No hand asks for something that does not exist. */
	assert_int_equal(tally_count(&h, EVENT_DECLINED, DBLOCK_E_INVALID), 0);
	history_free(&h);
	return lacking;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* On SQLite this makes dblock's tables, too. */
static void make_guard(bool remote)
{
	struct dblock_client *client = remote ? server_client(0) : client_new(0);

	hand_make_guard(client);
	hand_make_stored(client);
	dblock_close(client, NULL);
}

static int set_up(void **state)
{
	static struct storm s;
	const char *url;

	s.remote = !on_backend("sqlite");
	if (s.remote)
		server_start();
	make_guard(s.remote);
	url = s.remote ? server_url() : NULL;
	crowd_open(&s.crowd, &url, s.remote);
	s.witness = witness_start(url);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct storm *s = *state;

	kill(s->witness, SIGKILL);
	waitpid(s->witness, NULL, 0);
	crowd_close(&s->crowd);
	if (s->remote)
		server_stop();
	return 0;
}

static void every_promise_is_kept(void **state)
{
	struct storm *s = *state;
	int lacking, hanging = 0;

	s->crowd.seed = number_of("DBLOCK_STORM_SEED", (uint64_t)event_now() % 1000000);
	s->length_ms = (int64_t)number_of("DBLOCK_STORM_SECONDS", 10) * 1000;
	printf("storm: DBLOCK_STORM_SEED=%llu, %lld s\n", (unsigned long long)s->crowd.seed,
	       (long long)s->length_ms / 1000);
	do {
		blow(s);
		hanging += calm_down(s);
		lacking = expect_promises(s);
	} while (lacking && !hanging && s->gusts < GUSTS_MAX);
	assert_int_equal(hanging, 0);
	assert_int_equal(lacking, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_promise_is_kept)};

	if (argc == 5 && strcmp(argv[1], "worker") == 0)
		return worker_run(atoi(argv[2]), strtoull(argv[3], NULL, 10),
				  strtoll(argv[4], NULL, 10));
	if (argc == 2 && strcmp(argv[1], "witness") == 0)
		return witness_run();
	if (argc == 3 && strcmp(argv[1], "judge") == 0)
		return judge_again(&every_rule, argv[2]);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
