/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outbox.h"

enum { MESSAGES = 20000, KEYS = 1000, PUTS = 200, PAUSE_US = 30000 };

/* ---- many messages --------------------------------------------------------------------------- */

static int deliver(void *arg, const struct dblock_message *m, struct dblock_error *err)
{
	(void)m;
	(void)err;
	crowd_count(arg, 1);
	return DBLOCK_OK;
}

static int is_over(void *arg)
{
	return ((struct crowd *)arg)->over;
}

static void relay(struct crowd *c, int index)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	struct dblock_client *client = open_client(c->place);
	struct dblock_error err;

	(void)index;
	options.canceled = is_over;
	options.canceled_arg = c;
	crowd_ready(c);
	if (dblock_outbox_relay(client, TOPIC, deliver, c, &options, &err) != DBLOCK_CANCELED)
		bench_fail("relay: %s", err.message);
	dblock_close(client, NULL);
}

static void work(struct crowd *c, int index)
{
	struct caller *caller = caller_open(c->place, true);

	(void)index;
	crowd_ready(c);
	while (!c->over) /* the way is a shape, one less */
		crowd_count(c, caller_work(caller, (enum shape)(c->way - 1)));
	caller_close(caller);
}

static void put_all(const struct bench_place *place)
{
	struct dblock_client *client = open_client(place);
	struct dblock_error err;
	struct dblock_tx *tx;
	char key[32];

	if (dblock_tx_open(client, &tx, &err) || dblock_tx_begin(tx, NULL, &err))
		bench_fail("%s", err.message);
	for (int i = 0; i < MESSAGES; i++) {
		snprintf(key, sizeof(key), "key %d", i % KEYS);
		if (dblock_outbox_put(tx, TOPIC, key, BODY, NULL, NULL, &err))
			bench_fail("put: %s", err.message);
	}
	if (dblock_tx_commit(tx, &err))
		bench_fail("%s", err.message);
	dblock_tx_close(tx);
	dblock_close(client, NULL);
	raw(place, "DROP TABLE IF EXISTS saved");
	raw(place, "CREATE TABLE saved AS SELECT * FROM dblock_outbox");
}

static double deliver_all(const struct bench_place *place, int n, int way, double *cpu_us)
{
	struct crowd c = {
		.place = place, .n = n, .way = way, .body = way ? work : relay, .wanted = MESSAGES};
	double rate;

	if (way) {
		jobs_fill(place, MESSAGES);
	} else {
		raw(place, "DELETE FROM dblock_outbox");
		raw(place, "INSERT INTO dblock_outbox SELECT * FROM saved");
		if (is_on(place, "postgresql"))
			raw(place, "ANALYZE dblock_outbox");
	}
	rate = crowd_run(&c);
	*cpu_us = c.cpu_us;
	return rate;
}

static void measure_relays(const struct bench_place *place, int n)
{
	int ways = is_on(place, "postgresql") ? 1 + SHAPES : 1;
	static const char *const names[] = {"dblock", "River", "pg-boss"};
	double rates[1 + SHAPES][ROUNDS], cpu[1 + SHAPES][ROUNDS];

	for (int round = 0; round < ROUNDS; round++)
		for (int way = 0; way < ways; way++)
			rates[way][round] = deliver_all(place, n, way, &cpu[way][round]);
	printf("%d at it:", n);
	for (int way = 0; way < ways; way++)
		tell(names[way], rates[way], cpu[way]);
	for (int way = 1; way < ways; way++)
		printf("  dblock / %s %.2f, of CPU %.2f;", names[way],
		       median(rates[0], ROUNDS) / median(rates[way], ROUNDS),
		       median(cpu[0], ROUNDS) / median(cpu[way], ROUNDS));
	printf("\n");
	fflush(stdout);
}

void measure_delivering(const struct bench_place *place)
{
	printf("delivering: messages a second, medians (least to most), and CPU time of the server "
	       "for each:\n");
	put_all(place);
	measure_relays(place, 1);
	measure_relays(place, 4);
	raw(place, "DELETE FROM dblock_outbox");
	raw(place, "DROP TABLE saved");
}

/* ---- one, to a relay that sleeps ------------------------------------------------------------- */

/* Memory that the processes share. */
struct times {
	atomic_int n;             /* that many were delivered, */
	_Atomic int64_t at[PUTS]; /* the last one then */
	atomic_bool over;
};

static int note(void *arg, const struct dblock_message *m, struct dblock_error *err)
{
	struct times *times = arg;

	(void)m;
	(void)err;
	times->at[times->n] = bench_now_ns();
	times->n++;
	return DBLOCK_OK;
}

static int is_enough(void *arg)
{
	return ((struct times *)arg)->over;
}

static pid_t begin_relay(const struct bench_place *place, struct times *times)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	pid_t child = fork();
	struct dblock_error err;

	if (child != 0)
		return child;
	options.canceled = is_enough;
	options.canceled_arg = times;
	if (dblock_outbox_relay(open_client(place), TOPIC, note, times, &options, &err) !=
	    DBLOCK_CANCELED)
		bench_fail("relay: %s", err.message);
	_exit(0);
}

/* Returns how long it took from the call of the commit to the delivery, ms. */
static double put_one(struct dblock_tx *tx, struct times *times, int i)
{
	struct dblock_error err;
	int64_t began;

	if (dblock_tx_begin(tx, NULL, &err) ||
	    dblock_outbox_put(tx, TOPIC, "customer", BODY, NULL, NULL, &err))
		bench_fail("put: %s", err.message);
	began = bench_now_ns();
	if (dblock_tx_commit(tx, &err))
		bench_fail("commit: %s", err.message);
	while (times->n <= i)
		bench_sleep_us(200);
	return (double)(times->at[i] - began) / 1e6;
}

void measure_latency(const struct bench_place *place)
{
	struct times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = begin_relay(place, times);
	struct dblock_client *client = open_client(place);
	struct dblock_error err;
	struct dblock_tx *tx;
	double ms[PUTS];

	if (dblock_tx_open(client, &tx, &err))
		bench_fail("%s", err.message);
	for (int i = 0; i < PUTS; i++) {
		ms[i] = put_one(tx, times, i);
		bench_sleep_us(PAUSE_US);
	}
	times->over = true;
	waitpid(child, NULL, 0);
	dblock_tx_close(tx);
	dblock_close(client, NULL);
	(void)median(ms, PUTS);
	printf("from the commit to a relay that slept, ms: p50 %.2f, p90 %.2f, p99 %.2f, most "
	       "%.2f\n",
	       ms[PUTS / 2], ms[PUTS * 9 / 10], ms[PUTS * 99 / 100], ms[PUTS - 1]);
	fflush(stdout);
}
