/* SPDX-License-Identifier: MIT */
/* Threads that do one thing at once, and what the parts of the program `outbox` share else. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outbox.h"
#include "server_cpu.h"

/* ---- tools ----------------------------------------------------------------------------------- */

void bench_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "outbox: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(1);
}

bool is_on(const struct bench_place *place, const char *scheme)
{
	return strncmp(place->url, scheme, strlen(scheme)) == 0;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *of, int n)
{
	qsort(of, (size_t)n, sizeof(*of), by_size);
	return of[n / 2];
}

double load_now(void)
{
	double load = 0;

	(void)getloadavg(&load, 1);
	return load;
}

struct dblock_client *open_client(const struct bench_place *place)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.auto_migrate = 1;
	options.timeout_ms = 600000; /* a million rows are filled in by one statement */
	if (dblock_open(place->url, &options, &client, &err))
		bench_fail("%s", err.message);
	return client;
}

void raw(const struct bench_place *place, const char *sql)
{
	struct dblock_client *client = open_client(place);
	struct dblock_error err;
	struct dblock_tx *tx;

	if (dblock_tx_open(client, &tx, &err) ||
	    dblock_tx_query(tx, sql, NULL, 0, NULL, NULL, NULL, &err))
		bench_fail("%s: %s", sql, err.message);
	dblock_tx_close(tx);
	dblock_close(client, NULL);
}

/* ---- many at once ---------------------------------------------------------------------------- */

struct member {
	struct crowd *crowd;
	int index;
	pthread_t thread;
};

static void *member_main(void *arg)
{
	struct member *m = arg;

	m->crowd->body(m->crowd, m->index);
	return NULL;
}

void crowd_ready(struct crowd *c)
{
	c->ready++;
	while (!c->begun)
		bench_sleep_us(200);
}

void crowd_count(struct crowd *c, long n)
{
	c->count += n;
	if (c->wanted && c->count >= c->wanted)
		c->over = true;
}

static double measure(struct crowd *c)
{
	int64_t began, end, cpu;

	while (c->ready < c->n)
		bench_sleep_us(200);
	cpu = bench_server_cpu_us(c->place->server);
	began = bench_now_ns();
	end = began + (int64_t)(c->seconds * 1e9);
	c->begun = true;
	while (!c->over && (c->wanted || bench_now_ns() < end))
		bench_sleep_us(200);
	end = bench_now_ns();
	c->over = true;
	cpu = bench_server_cpu_us(c->place->server) - cpu;
	c->cpu_us = c->count ? (double)cpu / (double)c->count : 0;
	return (double)c->count * 1e9 / (double)(end - began);
}

double crowd_run(struct crowd *c)
{
	struct member members[THREADS_MAX];
	double rate;

	c->ready = 0;
	c->count = 0;
	c->begun = c->over = false;
	for (int i = 0; i < c->n; i++) {
		members[i] = (struct member){c, i, 0};
		if (pthread_create(&members[i].thread, NULL, member_main, &members[i]))
			bench_fail("no thread");
	}
	rate = measure(c);
	for (int i = 0; i < c->n; i++)
		pthread_join(members[i].thread, NULL);
	return rate;
}

void tell(const char *name, double *rates, double *cpu_us)
{
	printf("  %s %.0f", name, median(rates, ROUNDS));
	printf(" (%.0f to %.0f)", rates[0], rates[ROUNDS - 1]);
	if (cpu_us)
		printf(", %.0f us", median(cpu_us, ROUNDS));
	printf(";");
}
