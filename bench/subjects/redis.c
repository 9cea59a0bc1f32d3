/* SPDX-License-Identifier: MIT */
/* bench needs: hiredis */
/*
 * Redis as its clients use it, with one connection a thread: SET NX PX and a release in Lua. A
 * client that finds the lock taken polls, or subscribes to a channel that a release writes to, or
 * waits for a token in a list.
 */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "redis.h"

struct thread {
	redisContext *c;
	redisContext *listening; /* opened by the first wait: a connection that subscribes */
	const struct bench_place *place;
	char release[41], publish[41], start[41];
};

#define PUBLISH                                                                                    \
	"if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1])"                 \
	" redis.call('publish', KEYS[1], '1') return 1 else return 0 end"

/* The list of a name gets its one token when the name is first used. */
#define START                                                                                      \
	"if redis.call('setnx', KEYS[1] .. ':made', '1') == 1 then"                                \
	" redis.call('rpush', KEYS[1] .. ':free', '1') end return 1"

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void *enter(void *place)
{
	struct thread *t = bench_alloc(sizeof(*t));

	t->place = place;
	t->c = bench_redis_open(place);
	bench_redis_load(t->c, BENCH_REDIS_RELEASE, t->release);
	bench_redis_load(t->c, PUBLISH, t->publish);
	bench_redis_load(t->c, START, t->start);
	return t;
}

static void leave(void *thread)
{
	struct thread *t = thread;

	redisFree(t->c);
	if (t->listening)
		redisFree(t->listening);
}

static void prepare(const struct bench_place *place)
{
	redisContext *c = bench_redis_open(place);

	freeReplyObject(bench_redis(c, 1, (const char *[]){"FLUSHALL"}));
	redisFree(c);
}

static void give_back(struct thread *t, const char *sha, const char *name, uint64_t nonce)
{
	char text[17];

	bench_redis_hex(text, nonce);
	if (bench_redis_number(t->c, 5, (const char *[]){"EVALSHA", sha, "1", name, text}) != 1)
		bench_fail("redis: the lock was not held");
}

/* --- PING, twice --- */

static void ping(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	(void)name;
	(void)g;
	freeReplyObject(bench_redis(t->c, 1, (const char *[]){"PING"}));
}

/* --- polling --- */

static void poll_for(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	g->nonce = bench_nonce();
	while (!bench_redis_try(t->c, name, g->nonce))
		bench_sleep_us(1000);
}

static void release(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	give_back(t, t->release, name, g->nonce);
}

/* --- pub/sub --- */

/* Listens until a message comes, or 100 ms are over. */
static void listen_once(redisContext *c)
{
	void *reply = NULL;

	if (redisGetReply(c, &reply) == REDIS_OK) {
		freeReplyObject(reply);
		return;
	}
	/* Nothing came in time: hiredis calls that an error, but can go on. */
	if (c->err != REDIS_ERR_IO)
		bench_fail("redis: %s", c->errstr);
	c->err = 0;
	c->errstr[0] = 0;
}

static void subscribe(struct thread *t, const char *name)
{
	struct timeval patience = {.tv_usec = 100000};

	t->listening = bench_redis_open(t->place);
	freeReplyObject(bench_redis(t->listening, 2, (const char *[]){"SUBSCRIBE", name}));
	redisSetTimeout(t->listening, patience);
}

/* A client waits for one name here, so the subscription stays. */
static void wait_for_message(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	g->nonce = bench_nonce();
	if (bench_redis_try(t->c, name, g->nonce))
		return;
	if (!t->listening)
		subscribe(t, name);
	while (!bench_redis_try(t->c, name, g->nonce))
		listen_once(t->listening);
}

static void publish(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	give_back(t, t->publish, name, g->nonce);
}

/* --- a token in a list --- */

static void pop(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char list[80];
	redisReply *r;

	(void)g;
	snprintf(list, sizeof(list), "%s:free", name);
	r = bench_redis(t->c, 3, (const char *[]){"BLPOP", list, "5"});
	while (r->type == REDIS_REPLY_NIL) {
		freeReplyObject(r);
		bench_redis_number(t->c, 4, (const char *[]){"EVALSHA", t->start, "1", name});
		r = bench_redis(t->c, 3, (const char *[]){"BLPOP", list, "5"});
	}
	freeReplyObject(r);
}

static void push(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char list[80];

	(void)g;
	snprintf(list, sizeof(list), "%s:free", name);
	bench_redis_number(t->c, 3, (const char *[]){"RPUSH", list, "1"});
}

static void *enter_list(void *place)
{
	struct thread *t = enter(place);

	bench_redis_number(t->c, 4, (const char *[]){"EVALSHA", t->start, "1", "one"});
	return t;
}

/* Each message wakes all subscribers: with more than so many they do nothing else. */
#define PUB_SUB_MOST 500

#define PEER(label, on, how, take, give, experiments)                                              \
	.name = label, .server = on, .in = experiments, .quick = true, .prepare = prepare,         \
	.open = open_place, .enter = how, .acquire = take, .release = give, .leave = leave
#define POLL "uncontended hand-over takeover threads held rows sticky"
#define LINE "hand-over threads"

static const struct bench_subject subjects[] = {
	{PEER("redis-round-trip", "redis", enter, ping, ping, "uncontended"), .brief = true},
	{PEER("redis", "redis", enter, poll_for, release, POLL)},
	{PEER("redis-pub-sub", "redis", enter, wait_for_message, publish, LINE " waiters"),
	 .most = PUB_SUB_MOST},
	{PEER("redis-blpop", "redis", enter_list, pop, push, LINE " waiters")},
	{PEER("redis-always", "redis-always", enter, poll_for, release,
	      "uncontended held quorum quorum-hand-over")},
	{PEER("redis-always-pub-sub", "redis-always", enter, wait_for_message, publish, LINE)},
	{PEER("redis-always-blpop", "redis-always", enter_list, pop, push, LINE " waiters")},
};

BENCH_SUBJECTS(subjects)
