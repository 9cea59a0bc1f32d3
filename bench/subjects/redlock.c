/* SPDX-License-Identifier: MIT */
/* bench needs: hiredis */
/*
 * Redlock, as its specification has it: SET NX PX on all servers at once, each with a short time-out; held if a
 * majority has granted it and there is time left, less an allowance for drift; else what was granted is deleted, and it is
 * tried again after a random pause. A client goes on with the majority's answers, and reads the others'
 * later: so it does not wait for a silent server.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "redis.h"
#include "several.h"

#define TTL_MS       30000
#define DRIFT_MS     (TTL_MS / 100 + 2)
#define ANSWER_NS    50000000 /* the specification's time-out for one server is 5 to 50 ms */
#define PAUSE_LEAST  1000     /* us, */
#define PAUSE_SPREAD 2000
#define UNREAD_MOST  64 /* a server that has left so many unanswered is passed over */

struct one {
	redisContext *c;
	unsigned unread; /* answers to what was sent before, which nobody waits for */
	bool asked;      /* it has yet to answer what is sent now */
};

struct thread {
	const struct bench_place *place;
	unsigned n, majority;
	char release[41];
	uint64_t random;
	struct one ones[BENCH_SEVERAL_MAX];
};

/* ---- asking all of them ---------------------------------------------------------------------- */

static void send_one(struct one *o, int n, const char *const *words)
{
	int sent = 0;

	o->asked = o->unread < UNREAD_MOST;
	if (!o->asked)
		return;
	redisAppendCommandArgv(o->c, n, (const char **)(uintptr_t)words, NULL);
	while (!sent)
		if (redisBufferWrite(o->c, &sent) != REDIS_OK)
			bench_fail("redlock: %s", o->c->errstr);
}

/* Whether it says yes. */
static bool is_yes(const redisReply *r)
{
	if (r->type == REDIS_REPLY_ERROR)
		bench_fail("redlock: %s", r->str);
	return r->type == REDIS_REPLY_STATUS || (r->type == REDIS_REPLY_INTEGER && r->integer == 1);
}

/* Reads what has come: earlier answers are thrown away. Returns whether ours is there, and *yes. */
static bool read_one(struct one *o, bool *yes)
{
	void *reply = NULL;

	if (redisBufferRead(o->c) != REDIS_OK)
		bench_fail("redlock: %s", o->c->errstr);
	while (redisGetReplyFromReader(o->c, &reply) == REDIS_OK && reply) {
		bool ours = o->unread == 0;

		*yes = is_yes(reply);
		freeReplyObject(reply);
		if (ours)
			return true;
		o->unread--;
	}
	return false;
}

/* Waits until some have answered, or time is up. */
static bool wait_for_some(struct thread *t, struct pollfd *fds, int64_t until)
{
	int64_t left = until - bench_now_ns();
	struct timespec ts = {.tv_nsec = left};

	if (left <= 0)
		return false;
	for (unsigned i = 0; i < t->n; i++)
		fds[i] = (struct pollfd){.fd = t->ones[i].asked ? t->ones[i].c->fd : -1,
					 .events = POLLIN};
	return ppoll(fds, t->n, &ts, NULL) > 0;
}

struct answers {
	unsigned yes, no, pending;
};

static void take(struct thread *t, const struct pollfd *fds, struct answers *a)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct one *o = &t->ones[i];
		bool yes = false;

		if (!o->asked || !fds[i].revents || !read_one(o, &yes))
			continue;
		o->asked = false;
		a->pending--;
		a->yes += yes;
		a->no += !yes;
	}
}

/* Sends to all, and waits until so many have said yes, or answered, or cannot do so any more. */
static struct answers ask_all(struct thread *t, int n, const char *const *words, bool for_yes)
{
	int64_t until = bench_now_ns() + ANSWER_NS;
	struct pollfd fds[BENCH_SEVERAL_MAX];
	struct answers a = {0};

	for (unsigned i = 0; i < t->n; i++) {
		send_one(&t->ones[i], n, words);
		a.pending += t->ones[i].asked;
	}
	while (a.yes + (for_yes ? 0 : a.no) < t->majority &&
	       a.yes + a.no + a.pending >= t->majority &&
	       (!for_yes || a.yes + a.pending >= t->majority) && wait_for_some(t, fds, until))
		take(t, fds, &a);
	for (unsigned i = 0; i < t->n; i++)
		t->ones[i].unread += t->ones[i].asked;
	return a;
}

/* ---- the lock -------------------------------------------------------------------------------- */

static bool try_once(struct thread *t, const char *name, const char *nonce)
{
	int64_t begun = bench_now_ns(), took_ms;
	struct answers a =
		ask_all(t, 6, (const char *[]){"SET", name, nonce, "NX", "PX", "30000"}, true);

	took_ms = (bench_now_ns() - begun) / 1000000;
	return a.yes >= t->majority && TTL_MS - took_ms - DRIFT_MS > 0;
}

static void give_back(struct thread *t, const char *name, const char *nonce)
{
	(void)ask_all(t, 5, (const char *[]){"EVALSHA", t->release, "1", name, nonce}, false);
}

static void acquire(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char nonce[17];

	for (;;) {
		g->nonce = bench_nonce();
		bench_redis_hex(nonce, g->nonce);
		if (try_once(t, name, nonce))
			return;
		give_back(t, name, nonce);
		bench_sleep_us(PAUSE_LEAST + (int64_t)(bench_random(&t->random) % PAUSE_SPREAD));
	}
}

static void release(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char nonce[17];

	/* Where that is not answered in time, it is free at the end of its ttl. */
	bench_redis_hex(nonce, g->nonce);
	give_back(t, name, nonce);
}

/* ---- connections ----------------------------------------------------------------------------- */

static void connect_all(struct thread *t)
{
	char *urls[BENCH_SEVERAL_MAX];

	bench_several_urls(t->place, urls);
	for (unsigned i = 0; i < t->n; i++) {
		struct bench_place place = *t->place;

		place.url = urls[i];
		t->ones[i].c = bench_redis_open(&place);
		bench_redis_load(t->ones[i].c, BENCH_REDIS_RELEASE, t->release);
	}
}

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void *enter(void *place)
{
	struct thread *t = bench_alloc(sizeof(*t));

	t->place = place;
	t->n = bench_several_of(place)->n;
	t->majority = t->n / 2 + 1;
	t->random = bench_nonce() | 1;
	bench_several_wake(place);
	connect_all(t);
	bench_several_silence(place);
	return t;
}

/* Reads what is unread first: a server throws away what it has yet to read, such as a release, where a
 * connection is closed with its answers in it. */
static void leave(void *thread)
{
	struct thread *t = thread;

	bench_several_wake(t->place);
	for (unsigned i = 0; i < t->n; i++) {
		void *reply;

		for (; t->ones[i].unread > 0; t->ones[i].unread--) {
			if (redisGetReply(t->ones[i].c, &reply) != REDIS_OK)
				bench_fail("redlock: %s", t->ones[i].c->errstr);
			freeReplyObject(reply);
		}
		redisFree(t->ones[i].c);
	}
}

static void prepare(const struct bench_place *place)
{
	struct thread t = {.place = place, .n = bench_several_of(place)->n};

	bench_several_wake(place);
	connect_all(&t);
	for (unsigned i = 0; i < t.n; i++) {
		freeReplyObject(bench_redis(t.ones[i].c, 1, (const char *[]){"FLUSHALL"}));
		redisFree(t.ones[i].c);
	}
}

#define PEER(label, experiments, ...)                                                              \
	.name = label, .server = "redlock", .in = experiments, .quick = true,                      \
	.settings = &(const struct bench_several){__VA_ARGS__}, .prepare = prepare,                \
	.open = open_place, .enter = enter, .acquire = acquire, .release = release, .leave = leave

static const struct bench_subject subjects[] = {
	{PEER("redlock", "quorum quorum-hand-over", .n = 3)},
	{PEER("redlock-of-5", "quorum quorum-hand-over", .n = 5)},
	{PEER("redlock-of-5-silent", "quorum", .n = 5, .silent = true), .lone = true},
};

BENCH_SUBJECTS(subjects)
