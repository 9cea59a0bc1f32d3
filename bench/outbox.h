/* SPDX-License-Identifier: MIT */
/* What the files of the program `outbox` share: outbox.c puts, outbox_deliver.c delivers, outbox_crowd.c is threads, and outbox_jobs.c the
 * table of jobs that both are measured beside. A failure ends the program. */
#ifndef BENCH_OUTBOX_H
#define BENCH_OUTBOX_H

#include <dblock/dblock.h>

#include "bench.h"

enum { ROUNDS = 5, THREADS_MAX = 8, BATCH = 100 };

#define TOPIC "orders"
#define BODY  "{\"order\": 17, \"customer\": 4711, \"total\": \"12.30\"}"

bool is_on(const struct bench_place *, const char *scheme);
double median(double *of, int n); /* sorts them */
double load_now(void);
struct dblock_client *open_client(const struct bench_place *);
/* Prints the median of the rounds, the least and the most; and the median CPU time of the server, for each. */
void tell(const char *name, double *rates, double *cpu_us);
void raw(const struct bench_place *, const char *sql);

/* Runs the body in n threads, each with its index, and counts what they say by count(), from when all are ready, for so
 * many seconds or until there are so many. Returns how many a second. */
struct crowd {
	const struct bench_place *place;
	void (*body)(struct crowd *, int index);
	int n, way;
	bool one_key;
	double seconds; /* 0: until there are */
	double cpu_us;  /* out: the server's, for each */
	atomic_long wanted;
	atomic_long count;
	atomic_int ready;
	atomic_bool begun, over;
};

double crowd_run(struct crowd *);
void crowd_ready(struct crowd *); /* the body has opened what it needs: waits for the others */
void crowd_count(struct crowd *, long n);

/* ---- outbox_jobs.c --------------------------------------------------------------------------- */

/* The caller's own connection, by the database's client library. */
struct caller;

struct caller *caller_open(const struct bench_place *, bool jobs);
void caller_close(struct caller *);
void caller_begin(struct caller *);
void caller_commit(struct caller *);
void caller_rollback(struct caller *);
struct dblock_tx *caller_tx(struct caller *);
void caller_insert(struct caller *, const char *key, const char *body);

/* PostgreSQL: has up to BATCH jobs, and marks them done. Returns how many. */
enum shape { RIVER, PG_BOSS, SHAPES };
int caller_work(struct caller *, enum shape);

void jobs_make(const struct bench_place *);
void jobs_fill(const struct bench_place *, int n);

/* ---- outbox_deliver.c ------------------------------------------------------------------------ */

void measure_delivering(const struct bench_place *);
void measure_latency(const struct bench_place *);

#endif
