/* SPDX-License-Identifier: MIT */
/* The supervisor starts the processes, does to them what the schedule says, waits until they have
 * ended, and asks the checker. As `storm worker ...` it is one of them; `storm judge FOLDER` asks
 * the checker once more about a history that was kept. */
#include <errno.h>
#include <sys/stat.h>

#include "history/recorder.h"
#include "storm/hand.h"
#include "storm/judge.h"
#include "storm/schedule.h"
#include "storm/standstill.h"
#include "storm/storm.h"
#include "storm/tally.h"
#include "storm/witness.h"
#include "support/proxy.h"
#include "support/server.h"

struct slot {
	pid_t pid;
	int client; /* the number of its present process */
	bool stopped, parted;
	struct proxy *proxy; /* NULL on SQLite */
};

/* If chance has left something out, further gusts follow, up to so many. */
enum { GUSTS_MAX = 6 };

/* So many grants must have shown everything that is left to chance. */
enum { GRANTS_ENOUGH = 1000 };

struct storm {
	uint64_t seed;
	int64_t begun, length_ms; /* this gust's */
	bool remote;
	struct recorder recorder;
	struct slot slots[SLOTS];
	pid_t witness;
	int clients, gusts; /* numbers so far */
	int faults[FAULT_KINDS];
};

const char *storm_folder(void)
{
	static char path[1024];
	const char *keep = getenv("DBLOCK_STORM_KEEP");

	snprintf(path, sizeof(path), "%s/history", test_env("DBLOCK_TEST_TMP"));
	return keep ? keep : path;
}

const char *storm_resource(void)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/resource", test_env("DBLOCK_TEST_TMP"));
	return path;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void tell(struct storm *s, int client, enum event_kind kind)
{
	record(&s->recorder, (struct event){.kind = kind, .client = client});
}

/* ---- processes ------------------------------------------------------------------------------- */

static void become_worker(const struct storm *s, const struct slot *slot)
{
	char client[20], seed[40], until[40];
	int64_t end = s->begun + s->length_ms * 1000;

	if (slot->proxy)
		setenv("DBLOCK_TEST_URL", proxy_url(slot->proxy), 1);
	snprintf(client, sizeof(client), "%d", slot->client);
	snprintf(seed, sizeof(seed), "%llu",
		 (unsigned long long)s->seed + (uint64_t)slot->client * 7919);
	snprintf(until, sizeof(until), "%lld", (long long)end);
	execl("/proc/self/exe", "storm", "worker", client, seed, until, (char *)NULL);
	_exit(127);
}

static void start(struct storm *s, struct slot *slot)
{
	slot->client = ++s->clients;
	slot->stopped = false;
	fflush(NULL);
	slot->pid = fork();
	assert_true(slot->pid >= 0);
	if (slot->pid == 0)
		become_worker(s, slot);
}

/* Tells whether the process has ended by itself, and well. If it has not, the checker will say what
 * was left open. */
static bool comes_to_its_end(struct slot *slot, int64_t until_ms)
{
	int status;

	while (waitpid(slot->pid, &status, WNOHANG) == 0) {
		if (clock_ms() > until_ms)
			kill(slot->pid, SIGKILL);
		sleep_ms(10);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "storm: client %d ended with status %x\n", slot->client, (unsigned)status);
	return false;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void do_join(struct storm *s, struct slot *slot)
{
	if (!slot->parted)
		return;
	proxy_set(slot->proxy, PROXY_PASS);
	tell(s, slot->client, EVENT_JOINED);
	slot->parted = false;
}

static void do_part(struct storm *s, struct slot *slot)
{
	if (slot->parted)
		return;
	tell(s, slot->client, EVENT_PARTED);
	proxy_set(slot->proxy, PROXY_SILENT);
	slot->parted = true;
}

static void do_kill(struct storm *s, struct slot *slot)
{
	int64_t before = event_now();

	do_join(s, slot);
	kill(slot->pid, SIGKILL);
	waitpid(slot->pid, NULL, 0);
	record(&s->recorder,
	       (struct event){.kind = EVENT_KILLED, .client = slot->client, .before = before});
	start(s, slot);
}

static void do_stop(struct storm *s, struct slot *slot)
{
	if (slot->stopped)
		return;
	tell(s, slot->client, EVENT_STOPPED);
	stand_still(slot->pid);
	slot->stopped = true;
}

/* If the process was killed meanwhile, the next one in its slot was never stopped. */
static void do_cont(struct storm *s, struct slot *slot)
{
	if (!slot->stopped)
		return;
	kill(slot->pid, SIGCONT);
	tell(s, slot->client, EVENT_CONTINUED);
	slot->stopped = false;
}

static void do_cut(struct storm *s, struct slot *slot)
{
	tell(s, slot->client, EVENT_CUT);
	proxy_cut(slot->proxy);
}

static void do_restart(struct storm *s, struct slot *slot)
{
	(void)slot;
	tell(s, 0, EVENT_DOWN);
	server_signal(SIGKILL);
	server_restart();
	tell(s, 0, EVENT_UP);
}

static void (*const acts[])(struct storm *, struct slot *) = {
	[FAULT_KILL] = do_kill,       [FAULT_STOP] = do_stop, [FAULT_CONT] = do_cont,
	[FAULT_CUT] = do_cut,         [FAULT_PART] = do_part, [FAULT_JOIN] = do_join,
	[FAULT_RESTART] = do_restart,
};

static void blow(struct storm *s)
{
	static struct fault faults[FAULTS_MAX];
	int n = schedule_make(faults, s->seed + (uint64_t)s->gusts++, s->length_ms, s->remote);

	s->begun = event_now();
	for (int i = 0; i < SLOTS; i++)
		start(s, &s->slots[i]);
	for (int i = 0; i < n; i++) {
		int64_t wait_ms = s->begun / 1000 + faults[i].at_ms - clock_ms();

		if (wait_ms > 0)
			sleep_ms(wait_ms);
		acts[faults[i].kind](s, &s->slots[faults[i].slot]);
		s->faults[faults[i].kind]++;
	}
	for (int i = 0; i < SLOTS; i++) {
		do_cont(s, &s->slots[i]);
		do_join(s, &s->slots[i]);
	}
}

/* Returns how many processes do not end. */
static int calm_down(struct storm *s)
{
	int64_t until_ms = clock_ms() + PLENTY_MS;
	int n = 0;

	for (int i = 0; i < SLOTS; i++)
		n += !comes_to_its_end(&s->slots[i], until_ms);
	tell(s, 0, EVENT_OVER);
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
		printf("storm: %s: %d\n", fault_name((enum fault_kind)i), s->faults[i]);
		/* The schedule has each of these kinds. */
		if (s->remote || i <= FAULT_CONT)
			assert_true(s->faults[i] > 0);
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
	n = judge(&h);
	if (n)
		fail_msg("%zu findings, seed %llu", n, (unsigned long long)s->seed);
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
	dblock_close(client, NULL);
}

static int set_up(void **state)
{
	static struct storm s;

	s.remote = !on_backend("sqlite");
	if (s.remote)
		server_start();
	make_guard(s.remote);
	for (int i = 0; s.remote && i < SLOTS; i++)
		s.slots[i].proxy = proxy_new_to(server_url());
	if (mkdir(storm_folder(), 0777) && errno != EEXIST)
		fail_msg("%s cannot be made", storm_folder());
	assert_true(recorder_open(&s.recorder, storm_folder(), 0));
	s.witness = witness_start(s.remote ? server_url() : NULL);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct storm *s = *state;

	kill(s->witness, SIGKILL);
	waitpid(s->witness, NULL, 0);
	for (int i = 0; s->remote && i < SLOTS; i++)
		proxy_free(s->slots[i].proxy);
	if (s->remote)
		server_stop();
	recorder_close(&s->recorder);
	return 0;
}

static void every_promise_is_kept(void **state)
{
	struct storm *s = *state;
	int lacking, hanging = 0;

	s->seed = number_of("DBLOCK_STORM_SEED", (uint64_t)event_now() % 1000000);
	s->length_ms = (int64_t)number_of("DBLOCK_STORM_SECONDS", 10) * 1000;
	printf("storm: DBLOCK_STORM_SEED=%llu, %lld s\n", (unsigned long long)s->seed,
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
		return judge_again(argv[2]);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
