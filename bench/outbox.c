/* SPDX-License-Identifier: MIT */
/*
 * Measures messages of the outbox beside a table of jobs, in one run, by turns:
 *   outbox SERVER_STATE_DIR [SECONDS [ROWS [put|deliver|latency|full...]]]
 * Putting: a transaction that puts a message beside one that inserts a job, by the caller's own connection and by one of
 * a client's, whose commit wakes relays as well. Delivering: relays beside River's and pg-boss' statements (on PostgreSQL).
 * How long from the commit to the delivery by a relay of another process that is asleep. And putting into an outbox that
 * has ROWS messages (a million) already. Figures are medians of rounds of SECONDS (1) each.
 */
#include "outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- putting --------------------------------------------------------------------------------- */

enum { INSERT, PUT, PUT_AND_RING, WAYS };

static const char *const way_names[WAYS] = {"INSERT", "put", "put, client's"};

struct putter {
	struct caller *caller;
	struct dblock_client *client;
	struct dblock_tx *tx;
	char key[64];
};

static int put(struct putter *p)
{
	struct dblock_error err = {0};
	int rc = dblock_outbox_put(p->tx, TOPIC, p->key, BODY, NULL, NULL, &err);

	if (rc && rc != DBLOCK_E_CONFLICT && rc != DBLOCK_DEADLOCK)
		bench_fail("put: %s", err.message);
	return rc;
}

/* Whether it is committed. */
static bool put_and_ring(struct putter *p)
{
	struct dblock_error err;

	if (dblock_tx_begin(p->tx, NULL, &err))
		bench_fail("begin: %s", err.message);
	if (put(p)) {
		(void)dblock_tx_rollback(p->tx, NULL);
		return false;
	}
	if (dblock_tx_commit(p->tx, &err))
		bench_fail("commit: %s", err.message);
	return true;
}

static bool put_by_caller(struct putter *p, int way)
{
	int rc = 0;

	caller_begin(p->caller);
	if (way == INSERT)
		caller_insert(p->caller, p->key, BODY);
	else
		rc = put(p);
	if (rc)
		caller_rollback(p->caller);
	else
		caller_commit(p->caller);
	return rc == 0;
}

static void putter_open(struct putter *p, const struct crowd *c)
{
	struct dblock_error err;

	if (c->way != PUT_AND_RING) {
		p->caller = caller_open(c->place, c->way == INSERT);
		p->tx = caller_tx(p->caller);
		return;
	}
	p->client = open_client(c->place);
	if (dblock_tx_open(p->client, &p->tx, &err))
		bench_fail("%s", err.message);
}

static void putter_close(struct putter *p)
{
	if (p->caller) {
		caller_close(p->caller);
		return;
	}
	dblock_tx_close(p->tx);
	dblock_close(p->client, NULL);
}

/* Keys of its own: a thousand, by turns; or one, which is everybody's. */
static void put_for_a_while(struct crowd *c, int index)
{
	struct putter p = {0};

	putter_open(&p, c);
	crowd_ready(c);
	for (int i = 0; !c->over; i = (i + 1) % 1000) {
		if (c->one_key)
			snprintf(p.key, sizeof(p.key), "customer");
		else
			snprintf(p.key, sizeof(p.key), "customer/%d/%d", index, i);
		if (c->way == PUT_AND_RING ? put_and_ring(&p) : put_by_caller(&p, c->way))
			crowd_count(c, 1);
	}
	putter_close(&p);
}

static void empty(const struct bench_place *place)
{
	raw(place,
	    is_on(place, "sqlite") ? "DELETE FROM dblock_outbox" : "TRUNCATE TABLE dblock_outbox");
	if (!is_on(place, "sqlite"))
		raw(place, "TRUNCATE TABLE job");
}

static void measure_load(const struct bench_place *place, int n, bool one_key, double seconds)
{
	double rates[WAYS][ROUNDS], cpu[WAYS][ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		for (int way = 0; way < WAYS; way++) {
			struct crowd c = {.place = place,
					  .body = put_for_a_while,
					  .n = n,
					  .way = way,
					  .one_key = one_key,
					  .seconds = seconds};

			rates[way][round] = crowd_run(&c);
			cpu[way][round] = c.cpu_us;
			empty(place);
		}
	}
	printf("%d connection%s, %s:", n, n > 1 ? "s" : "", one_key ? "one key" : "distinct keys");
	for (int way = 0; way < WAYS; way++)
		tell(way_names[way], rates[way], cpu[way]);
	printf("  put / INSERT %.2f, client's %.2f; of CPU %.1f, %.1f\n",
	       median(rates[PUT], ROUNDS) / median(rates[INSERT], ROUNDS),
	       median(rates[PUT_AND_RING], ROUNDS) / median(rates[INSERT], ROUNDS),
	       median(cpu[PUT], ROUNDS) / median(cpu[INSERT], ROUNDS),
	       median(cpu[PUT_AND_RING], ROUNDS) / median(cpu[INSERT], ROUNDS));
	fflush(stdout);
}

static void measure_putting(const struct bench_place *place, double seconds)
{
	printf("putting: transactions a second, medians (least to most), and CPU time of the "
	       "server for each:\n");
	for (int i = 0; i < 4; i++)
		measure_load(place, i < 2 ? 1 : 8, i % 2, seconds);
}

/* ---- into an outbox that is full ------------------------------------------------------------- */

static double put_rate(const struct bench_place *place, double seconds, double *cpu_us)
{
	double rates[ROUNDS], cpu[ROUNDS];
	struct crowd c = {.place = place,
			  .body = put_for_a_while,
			  .n = 1,
			  .way = PUT_AND_RING,
			  .seconds = seconds};

	for (int i = 0; i < ROUNDS; i++) {
		rates[i] = crowd_run(&c);
		cpu[i] = c.cpu_us;
	}
	*cpu_us = median(cpu, ROUNDS);
	return median(rates, ROUNDS);
}

#define TEN                                                                                        \
	"(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL "       \
	"SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 "    \
	"UNION ALL SELECT 9)"

/* Messages 1 to `rows`, put so many seconds ago: of a key for each shard, or all of one. */
static void fill(const struct bench_place *place, int64_t rows, int64_t seconds_ago, bool one_key)
{
	char sql[2048];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO dblock_outbox (topic, msg_key, number, shard, id, put_at, headers, "
		 "body)"
		 " SELECT '%s', %s, n.i + 1, %s, 1, %lld, '', '%s' FROM (SELECT a.d + 10 * b.d +"
		 " 100 * c.d + 1000 * e.d + 10000 * f.d + 100000 * g.d AS i FROM " TEN " a, " TEN
		 " b, " TEN " c, " TEN " e, " TEN " f, " TEN " g) n WHERE n.i < %lld",
		 TOPIC, one_key ? "'parked'" : "'k'", one_key ? "0" : "n.i % 8",
		 ((long long)time(NULL) - (long long)seconds_ago) * 1000000, BODY, (long long)rows);
	raw(place, sql);
	if (is_on(place, "postgresql"))
		raw(place, "ANALYZE dblock_outbox");
}

static void park(const struct bench_place *place)
{
	raw(place,
	    "INSERT INTO dblock_outbox_failure (topic, msg_key, shard, number, tries, since, due,"
	    " error) VALUES ('" TOPIC "', 'parked', 0, 1, 10, 0, NULL, 'no such customer')");
}

static void tell_full(const struct bench_place *place, const char *what, double seconds)
{
	double cpu_us, rate = put_rate(place, seconds, &cpu_us);

	printf("  %s %.0f, %.0f us;", what, rate, cpu_us);
	fflush(stdout);
}

static void measure_full(const struct bench_place *place, int64_t rows, double seconds)
{
	printf("putting by 1 connection, a client's: transactions a second, and CPU time of the "
	       "server for each:\n ");
	tell_full(place, "empty", seconds);
	fill(place, rows, 60, false);
	printf("  with %lld messages", (long long)rows);
	tell_full(place, "", seconds);
	empty(place);
	fill(place, rows, 2LL * 7 * 24 * 3600, true);
	park(place);
	tell_full(place, "as many of a key that is parked, two weeks old", seconds);
	raw(place, "DELETE FROM dblock_outbox_failure");
	empty(place);
	tell_full(place, "empty again", seconds);
	printf("\n");
}

static bool is_wanted(char **parts, const char *part)
{
	char **p = parts;

	while (*p && strcmp(*p, part) != 0)
		p++;
	return *p || !*parts;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	int64_t rows = argc > 3 ? atoll(argv[3]) : 1000000;
	char **parts = argv + (argc > 4 ? 4 : argc);
	struct bench_place place = {.server = argc > 1 ? argv[1] : ""};

	place.url = bench_read_state(place.server, "url");
	if (!place.url || seconds <= 0 || rows < 1 || rows > 1000000) {
		fprintf(stderr,
			"outbox SERVER_STATE_DIR [SECONDS [ROWS [put|deliver|latency|full...]]]\n");
		return 2;
	}
	printf("%s: %s; load %.1f\n", bench_read_state(place.server, "version"),
	       bench_read_state(place.server, "settings"), load_now());
	if (!is_on(&place, "sqlite"))
		jobs_make(&place);
	empty(&place);
	if (!is_on(&place, "sqlite") && is_wanted(parts, "put"))
		measure_putting(&place, seconds);
	if (is_wanted(parts, "deliver"))
		measure_delivering(&place);
	if (is_wanted(parts, "latency"))
		measure_latency(&place);
	if (is_wanted(parts, "full"))
		measure_full(&place, rows, seconds);
	printf("load at the end %.1f\n", load_now());
	return 0;
}
