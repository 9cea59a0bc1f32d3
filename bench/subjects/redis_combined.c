/* SPDX-License-Identifier: MIT */
/* bench needs: hiredis */
/*
 * Redis with dblock's combiner and its posted release: threads share one connection; the one that
 * finds it idle sends for all that wait, pipelined, one batch at a time, while the next batch
 * gathers. A posted release goes with the next batch, at the latest within a millisecond.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "redis.h"

struct request {
	struct request *next;
	bool release; /* false: a try */
	bool posted;  /* nobody waits for it; the sender frees it */
	bool done, granted;
	bool lead; /* the thread is woken to send */
	char name[64];
	uint64_t nonce;
	sem_t woken;
};

struct combiner {
	redisContext *c;
	char release[41];
	bool post;
	pthread_mutex_t mutex;
	pthread_cond_t posted;
	struct request *first, **last; /* the batch that gathers */
	bool sending;                  /* a thread has the connection */
	bool flusher_sleeps, closing;
	pthread_t flusher;
};

static void send_all(struct combiner *k, struct request *batch)
{
	for (struct request *q = batch; q; q = q->next) {
		char nonce[17];

		bench_redis_hex(nonce, q->nonce);
		if (q->release)
			redisAppendCommandArgv(
				k->c, 5,
				(const char *[]){"EVALSHA", k->release, "1", q->name, nonce}, NULL);
		else
			redisAppendCommandArgv(
				k->c, 6,
				(const char *[]){"SET", q->name, nonce, "NX", "PX", "30000"}, NULL);
	}
}

/* Returns whether the reply says that it was granted, or that it was held. */
static bool receive(struct combiner *k, const struct request *q)
{
	void *reply = NULL;
	redisReply *r;
	bool well;

	if (redisGetReply(k->c, &reply) != REDIS_OK)
		bench_fail("redis: %s", k->c->errstr);
	r = reply;
	if (r->type == REDIS_REPLY_ERROR)
		bench_fail("redis: %s", r->str);
	well = q->release ? r->type == REDIS_REPLY_INTEGER && r->integer == 1
			  : r->type == REDIS_REPLY_STATUS;
	freeReplyObject(r);
	return well;
}

/* Sends a batch, receives the replies, and wakes those who wait, except for `mine`. */
static void run_batch(struct combiner *k, struct request *batch, const struct request *mine)
{
	struct request *next;

	send_all(k, batch);
	for (struct request *q = batch; q; q = next) {
		bool well = receive(k, q), posted = q->posted;

		next = q->next; /* a request that is done belongs to its owner */
		if (q->release && !well)
			bench_fail("redis: the lock was not held");
		q->granted = well;
		q->done = true;
		if (posted)
			free(q);
		else if (q != mine)
			sem_post(&q->woken);
	}
}

static struct request *take_batch(struct combiner *k)
{
	struct request *batch = k->first;

	k->first = NULL;
	k->last = &k->first;
	return batch;
}

/* The connection is idle again: the first who waits for it sends next. Call it with the mutex. */
static void pass_on(struct combiner *k)
{
	struct request *q = k->first;

	while (q && q->posted)
		q = q->next;
	if (q) {
		q->lead = true; /* the connection is kept for it */
		sem_post(&q->woken);
		return;
	}
	k->sending = false;
	if (k->first && k->flusher_sleeps)
		pthread_cond_signal(&k->posted);
}

static void lead(struct combiner *k, const struct request *mine)
{
	struct request *batch;

	pthread_mutex_lock(&k->mutex);
	batch = take_batch(k);
	pthread_mutex_unlock(&k->mutex);
	run_batch(k, batch, mine);
	pthread_mutex_lock(&k->mutex);
	pass_on(k);
	pthread_mutex_unlock(&k->mutex);
}

static void enqueue(struct combiner *k, struct request *q)
{
	q->next = NULL;
	*k->last = q;
	k->last = &q->next;
}

static bool ask(struct combiner *k, struct request *q)
{
	bool first;

	sem_init(&q->woken, 0, 0);
	pthread_mutex_lock(&k->mutex);
	enqueue(k, q);
	first = !k->sending;
	k->sending = true;
	pthread_mutex_unlock(&k->mutex);
	while (!first && sem_wait(&q->woken) != 0)
		;
	if (first || q->lead)
		lead(k, q);
	sem_destroy(&q->woken);
	return q->granted;
}

static void post(struct combiner *k, const struct request *what)
{
	struct request *q = bench_alloc(sizeof(*q));

	*q = *what;
	q->posted = true;
	pthread_mutex_lock(&k->mutex);
	enqueue(k, q);
	if (!k->sending && k->flusher_sleeps)
		pthread_cond_signal(&k->posted);
	pthread_mutex_unlock(&k->mutex);
}

/* A posted release that goes with nobody is sent after a while. Call it with the mutex. */
static void linger(struct combiner *k)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 800000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!k->closing && pthread_cond_timedwait(&k->posted, &k->mutex, &until) != ETIMEDOUT)
		;
}

static void *flush(void *arg)
{
	struct combiner *k = arg;

	pthread_mutex_lock(&k->mutex);
	while (!k->closing || k->first) {
		if (!k->first) {
			k->flusher_sleeps = true;
			pthread_cond_wait(&k->posted, &k->mutex);
			k->flusher_sleeps = false;
			continue;
		}
		linger(k);
		if (!k->sending && k->first) {
			k->sending = true;
			pthread_mutex_unlock(&k->mutex);
			lead(k, NULL);
			pthread_mutex_lock(&k->mutex);
		}
	}
	pthread_mutex_unlock(&k->mutex);
	return NULL;
}

static void *open_combiner(const struct bench_place *place)
{
	struct combiner *k = bench_alloc(sizeof(*k));

	k->c = bench_redis_open(place);
	k->post = place->subject->settings != NULL;
	bench_redis_load(k->c, BENCH_REDIS_RELEASE, k->release);
	pthread_mutex_init(&k->mutex, NULL);
	pthread_cond_init(&k->posted, NULL);
	k->last = &k->first;
	if (k->post && pthread_create(&k->flusher, NULL, flush, k))
		bench_fail("no thread");
	return k;
}

static void close_combiner(void *process)
{
	struct combiner *k = process;

	if (k->post) {
		pthread_mutex_lock(&k->mutex);
		k->closing = true;
		pthread_cond_signal(&k->posted);
		pthread_mutex_unlock(&k->mutex);
		pthread_join(k->flusher, NULL);
	}
	redisFree(k->c);
}

static void prepare(const struct bench_place *place)
{
	redisContext *c = bench_redis_open(place);

	freeReplyObject(bench_redis(c, 1, (const char *[]){"FLUSHALL"}));
	redisFree(c);
}

static void acquire(void *process, const char *name, struct bench_grant *g)
{
	struct combiner *k = process;
	struct request q = {.nonce = bench_nonce()};

	g->nonce = q.nonce;
	snprintf(q.name, sizeof(q.name), "%s", name);
	while (!ask(k, &q)) {
		q.lead = q.done = false;
		bench_sleep_us(1000);
	}
}

static void release(void *process, const char *name, struct bench_grant *g)
{
	struct combiner *k = process;
	struct request q = {.nonce = g->nonce, .release = true};

	snprintf(q.name, sizeof(q.name), "%s", name);
	if (k->post)
		post(k, &q);
	else
		ask(k, &q);
}

#define PEER(on)                                                                                   \
	.server = on, .in = "uncontended", .prepare = prepare, .open = open_combiner,              \
	.acquire = acquire, .release = release, .close = close_combiner

static const struct bench_subject subjects[] = {
	{PEER("redis"), .name = "redis-combined"},
	{PEER("redis"), .name = "redis-combined-posted", .settings = "posted", .quick = true},
	{PEER("redis-always"), .name = "redis-always-combined"},
	{PEER("redis-always"), .name = "redis-always-combined-posted", .settings = "posted"},
};

BENCH_SUBJECTS(subjects)
