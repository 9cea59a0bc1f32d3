/* SPDX-License-Identifier: MIT */
/* bench needs: hiredis */
/* Redis with the generic cell rate algorithm in a script, as it is used where the module redis-cell is not to be had. */
#include <stdio.h>

#include "redis.h"

/* A key has the theoretical arrival time, in us: interval, and how far it may be ahead. */
#define GCRA                                                                                       \
	"local t = redis.call('time') local now = t[1] * 1000000 + t[2]"                           \
	" local tat = tonumber(redis.call('get', KEYS[1]) or now)"                                 \
	" if tat < now then tat = now end tat = tat + tonumber(ARGV[1])"                           \
	" if tat - now > tonumber(ARGV[2]) then return tat - now - ARGV[2] end"                    \
	" redis.call('set', KEYS[1], string.format('%.6f', tat), 'PX',"                            \
	" math.ceil((tat - now) / 1000) + 1) return 0"

struct thread {
	redisContext *c;
	char gcra[41];
	const char *interval, *ahead; /* us */
};

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void *enter(void *process)
{
	const struct bench_place *place = process;
	struct thread *t = bench_alloc(sizeof(*t));
	bool refused = place->subject->settings != NULL;

	t->c = bench_redis_open(place);
	t->interval = refused ? "31622400000000" : "0.001";
	t->ahead = refused ? "31622400000000" : "1000000";
	bench_redis_load(t->c, GCRA, t->gcra);
	return t;
}

static void leave(void *thread)
{
	redisFree(((struct thread *)thread)->c);
}

static void prepare(const struct bench_place *place)
{
	redisContext *c = bench_redis_open(place);

	freeReplyObject(bench_redis(c, 1, (const char *[]){"FLUSHALL"}));
	redisFree(c);
}

static void take(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	g->token = 0;
	(void)bench_redis_number(
		t->c, 6, (const char *[]){"EVALSHA", t->gcra, "1", name, t->interval, t->ahead});
}

static void release(void *thread, const char *name, struct bench_grant *g)
{
	(void)thread;
	(void)name;
	(void)g;
}

#define PEER(label, on, experiment, how)                                                           \
	.name = label, .server = on, .in = experiment, .quick = true, .settings = how,             \
	.prepare = prepare, .open = open_place, .enter = enter, .acquire = take,                   \
	.release = release, .leave = leave

static const struct bench_subject subjects[] = {
	{PEER("redis-gcra", "redis", "rate", NULL)},
	{PEER("redis-gcra", "redis", "rate-refused", "")},
	{PEER("redis-always-gcra", "redis-always", "rate", NULL)},
};

BENCH_SUBJECTS(subjects)
