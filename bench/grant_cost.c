/* SPDX-License-Identifier: MIT */
/*
 * Measures what one hand-over among waiting processes costs, statement by statement, so that the
 * parts add up:
 *   grant_cost URL SERVER_STATE_DIR [GRANTS [SWEEP]]
 * It plays what a grant sends to the database, without any contention: of WAITS waits one has the
 * lock, hands it over to the first of the others, and joins anew behind them. Every SWEEP (default
 * 20) grants of a client, the rows of its waits that are over are deleted.
 *
 * CPU time is the server's, all of its threads or processes, read after each statement; on SQLite
 * this process's. Three cases by turns, medians of ROUNDS: all waits on one connection, and not
 * synced: what the statements cost by themselves; each on a client of its own, by turns: with cold
 * caches; and that with commits that are synced. (On SQLite the first two are the default.) The
 * server's setting is changed for that, and is as it ships afterwards: never use a server that is
 * not the bench's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/client.h"
#include "bare.h"
#include "lock/queue/queue.h"
#include "meter.h"

enum { WAITS = 8, ROUNDS = 5, WARM_UP = 200 };

/* ---- the parts of a grant -------------------------------------------------------------------- */

enum part { TRIP, JOIN, ENQUEUE, ANNOUNCE, LOOK, HAND_OVER, SWEEP, PARTS };

static const char *const part_names[PARTS] = {
	"round trip", "join", "enqueue", "announce", "look", "hand_over", "dequeue_served"};

struct cost {
	double cpu, wall;
};

struct member {
	struct dblock_client *client;
	struct dbl_epoch *epoch;
	struct bare *bare;
	int sweep_in;
};

static struct scene {
	const char *url, *server;
	struct dbl_acquire_spec spec;
	struct member member[WAITS];
	int n; /* members */
	int64_t nonce[WAITS], ticket[WAITS], token;
	int holder, sweep;
	bool joins, two; /* join is one statement; hand_over is two */
	bool usual;      /* the usual case of both, which costs less */
	struct cost sum[PARTS];
	double cpu, wall; /* where the part began that runs now */
} scene;

static void begin(void)
{
	scene.cpu = meter_us();
	scene.wall = meter_clock_us(CLOCK_MONOTONIC);
}

static void end(enum part part)
{
	scene.sum[part].wall += meter_clock_us(CLOCK_MONOTONIC) - scene.wall;
	scene.sum[part].cpu += meter_us() - scene.cpu;
}

#define RUN(part, call)                                                                            \
	do {                                                                                       \
		begin();                                                                           \
		if (call)                                                                          \
			bare_die(#call, err.message);                                              \
		end(part);                                                                         \
	} while (0)

static struct member *member_of(int wait)
{
	return &scene.member[wait % scene.n];
}

/* As a wait does: see lock/wait/wait_join.c. */
static void join_queue(int wait)
{
	struct member *m = member_of(wait);
	struct dbl_locks *locks = m->client->locks;
	int64_t until = dbl_locks_deadline(locks), nonce = dbl_random_id(locks->env);
	const struct dbl_acquire_spec *spec = &scene.spec;
	struct dbl_snapshot seen = {.ticket = 0};
	struct dblock_error err;

	scene.nonce[wait] = nonce;
	if (scene.usual) {
		RUN(JOIN,
		    dbl_join_behind(locks, spec, m->epoch, nonce, "", until, &seen.ticket, &err));
	} else if (scene.joins) {
		RUN(JOIN, dbl_join(locks, spec, m->epoch, nonce, "", until, &seen, &err));
	} else {
		RUN(ENQUEUE,
		    dbl_enqueue(locks, spec, m->epoch, nonce, "", until, &seen.ticket, &err));
		RUN(ANNOUNCE, dbl_announce(locks, spec->name, DBL_HAS_JOINED, until, &err));
		RUN(LOOK, dbl_look(locks->link, spec->name, m->epoch, nonce, until, &seen, &err));
	}
	if (seen.ticket == 0)
		bare_die("join", "no row");
	scene.ticket[wait] = seen.ticket;
}

/* `nonce`: the holder's, or 0 where the lock is free, with a queue. */
static void hand_over(int64_t nonce)
{
	struct dbl_locks *locks = member_of(scene.holder)->client->locks;
	int64_t until = dbl_locks_deadline(locks), ticket = scene.ticket[scene.holder];
	const char *name = scene.spec.name;
	struct dbl_winner winner;
	struct dblock_error err;

	if (scene.usual)
		RUN(HAND_OVER,
		    dbl_pass_on(locks, name, scene.token, nonce, ticket, until, &winner, &err));
	else
		RUN(HAND_OVER,
		    dbl_hand_over(locks, name, scene.token, dbl_int(nonce), until, &winner, &err));
	if (!winner.done)
		bare_die("hand_over", "the queue had changed");
	scene.token = winner.token;
	for (int i = 0; i < WAITS; i++)
		if (scene.nonce[i] == winner.nonce)
			scene.holder = i;
}

static void sweep(struct member *m)
{
	struct dbl_locks *locks = m->client->locks;

	m->sweep_in = scene.sweep;
	begin();
	atomic_store(&locks->dequeue_due, true);
	dbl_dequeue_served(locks, locks->link, dbl_locks_deadline(locks));
	end(SWEEP);
}

static void grant(void)
{
	int before = scene.holder;
	struct member *m = member_of(before);

	begin();
	bare_nothing(m->bare);
	end(TRIP);
	hand_over(scene.nonce[before]);
	join_queue(before);
	if (--m->sweep_in <= 0)
		sweep(m);
}

static void grants(int n)
{
	for (int i = 0; i < n; i++)
		grant();
}

/* ---- the cases ------------------------------------------------------------------------------- */

static void member_open(struct member *m, bool synced)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err;

	options.auto_migrate = 1;
	options.ttl_ms = 3600000; /* no heartbeat meanwhile */
	options.durability = synced ? DBLOCK_DURABLE : DBLOCK_DURABILITY_DEFAULT;
	if (dblock_open(scene.url, &options, &m->client, &err) ||
	    dbl_session_epoch(m->client->locks->session, INT64_MAX, &m->epoch, &err))
		bare_die(scene.url, err.message);
	m->bare = bare_open(&m->client->target);
	m->sweep_in = scene.sweep;
}

static void make_queue(void)
{
	static int serial;
	static char name[64];
	struct dblock_error err;
	struct dblock_lock *lock;

	snprintf(name, sizeof(name), "grant_cost %d-%d", (int)getpid(), serial++);
	scene.spec = (struct dbl_acquire_spec){.name = name, .blocks = true};
	if (dblock_acquire(scene.member[0].client, name, NULL, &lock, &err))
		bare_die("acquire", err.message);
	scene.token = dbl_row_token(lock);
	if (dblock_release(lock, &err))
		bare_die("release", err.message);
	for (int i = 0; i < WAITS; i++)
		join_queue(i);
	hand_over(0);
	scene.usual = scene.member[0].client->target.dialect->passes_on;
}

static void open_all(int members, bool synced)
{
	const struct dbl_dialect *dialect;

	scene.n = members;
	for (int i = 0; i < members; i++)
		member_open(&scene.member[i], synced);
	dialect = scene.member[0].client->target.dialect;
	scene.joins = dialect->joins;
	scene.two = strstr(dialect->sql[DBL_OP_hand_over], "\n-- then\n");
	meter_sync(&scene.member[0].client->target, synced);
	usleep(300000);
	meter_open(scene.server);
	make_queue();
}

/* Leaves no row of a wait behind. */
static void drain(void)
{
	scene.usual = false;
	for (int i = 0; i < WAITS; i++)
		hand_over(scene.nonce[scene.holder]);
	for (int i = 0; i < scene.n; i++)
		sweep(&scene.member[i]);
}

static void close_all(void)
{
	drain();
	meter_sync(&scene.member[0].client->target, true);
	for (int i = 0; i < scene.n; i++) {
		bare_close(scene.member[i].bare);
		dbl_epoch_drop(scene.member[i].epoch);
		dblock_close(scene.member[i].client, NULL);
	}
}

static void measure(int members, bool synced, int n, struct cost costs[PARTS])
{
	open_all(members, synced);
	grants(WARM_UP);
	memset(scene.sum, 0, sizeof(scene.sum));
	grants(n);
	for (int p = 0; p < PARTS; p++)
		costs[p] = (struct cost){scene.sum[p].cpu / n, scene.sum[p].wall / n};
	close_all();
}

/* ---- what is counted ------------------------------------------------------------------------- */

static void count(int n)
{
	struct counters *counters;

	open_all(WAITS, strncmp(scene.url, "sqlite", 6) != 0);
	grants(WARM_UP);
	counters = counters_begin(&scene.member[0].client->target);
	grants(n);
	counters_end(counters, n);
	close_all();
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { CASES = 3 };

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(struct cost costs[ROUNDS][CASES][PARTS], int c, int p, bool wall)
{
	double all[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		all[r] = wall ? costs[r][c][p].wall : costs[r][c][p].cpu;
	qsort(all, ROUNDS, sizeof(*all), by_size);
	return all[ROUNDS / 2];
}

/* Round trips of a part, which are told apart from what it costs beyond them. */
static int trips(enum part part, bool is_file)
{
	return is_file || part == SWEEP ? 0 : part == HAND_OVER && scene.two ? 2 : part != TRIP;
}

static void print(struct cost costs[ROUNDS][CASES][PARTS], bool is_file)
{
	static const char row[] = "%-16s %9.1f %9.1f %9.1f   %9.1f %9.1f %9.1f\n";
	double value[PARTS][2 * CASES], sum[2 * CASES] = {0};
	int all = 0;

	for (int p = 0; p < PARTS; p++)
		all += costs[0][0][p].wall > 0 ? trips(p, is_file) : 0;
	for (int k = 0; k < 2 * CASES; k++) {
		double trip = median(costs, k % CASES, TRIP, k >= CASES);

		for (int p = 0; p < PARTS; p++)
			value[p][k] =
				median(costs, k % CASES, p, k >= CASES) - trips(p, is_file) * trip;
		value[TRIP][k] = all * trip;
		for (int p = 0; p < PARTS; p++)
			sum[k] += costs[0][0][p].wall > 0 ? value[p][k] : 0;
	}
	printf("us per grant     CPU: hot   by turns    synced   time: hot  by turns    synced\n");
	for (int p = 0; p < PARTS; p++) {
		const double *v = value[p];

		if (costs[0][0][p].wall > 0)
			printf(row, part_names[p], v[0], v[1], v[2], v[3], v[4], v[5]);
	}
	printf(row, "sum", sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]);
	printf("(%d round trips; the statements are shown without theirs)\n", all);
}

int main(int argc, char **argv)
{
	static struct cost costs[ROUNDS][CASES][PARTS];
	int n = argc > 3 ? atoi(argv[3]) : 2000;
	double load = 0;

	if (argc < 3 || n < 1) {
		fprintf(stderr, "grant_cost URL SERVER_STATE_DIR [GRANTS [SWEEP]]\n");
		return 2;
	}
	scene.url = argv[1];
	scene.server = argv[2];
	scene.sweep = argc > 4 ? atoi(argv[4]) : 20;
	getloadavg(&load, 1);
	for (int r = 0; r < ROUNDS; r++) {
		measure(1, false, n, costs[r][0]);
		measure(WAITS, false, n, costs[r][1]);
		measure(WAITS, true, n, costs[r][2]);
	}
	printf("%s, %d x %d grants, swept every %d, load %.1f before\n", argv[1], ROUNDS, n,
	       scene.sweep, load);
	print(costs, strncmp(argv[1], "sqlite", 6) == 0);
	count(n);
	return 0;
}
