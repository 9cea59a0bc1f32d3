/* SPDX-License-Identifier: MIT */
#include "sim/process.h"

#include <dblock/client.h>
#include <string.h>

#include "sim/memory.h"
#include "sim/schedule.h"

/* Clocks differ in their rates by less than this: the library's margin of a tenth allows for it. */
enum { PPM_MAX = 40000 };

int64_t process_clock(const struct process *p)
{
	int64_t t = p->world->now;

	return p->origin + t + t * p->ppm / 1000000;
}

int64_t process_when(const struct process *p, int64_t local)
{
	int64_t elapsed = local - p->origin, t;

	if (local == DBL_NEVER)
		return SCHEDULE_NEVER;
	t = elapsed * 1000000 / (1000000 + p->ppm);
	while (t + t * p->ppm / 1000000 < elapsed)
		t++;
	return t;
}

/* A thread is preempted at the worst moment: right after it has read the clock. */
static void preempt(struct process *p)
{
	struct world *w = p->world;
	int64_t away;

	if (!rng_chance(&w->rng, w->faults.preempt))
		return;
	away = rng_one_in(&w->rng, 20) ? rng_between(&w->rng, 1000, p->ttl_ms * 1500)
				       : rng_between(&w->rng, 1, 3000);
	if (away > 100000)
		COUNT(w, starved);
	schedule_wait(NULL, w->now + away);
}

static int64_t env_now(void *ctx)
{
	int64_t now = process_clock(ctx);

	if (coroutine_self())
		preempt(ctx);
	return now;
}

static int64_t env_wall(void *ctx)
{
	const struct process *p = ctx;

	return EPOCH_US + process_clock(p) + p->wall_set;
}

static int env_random(void *ctx, void *bytes, size_t len)
{
	struct process *p = ctx;
	char *to = bytes;

	for (size_t i = 0; i < len; i++)
		to[i] = (char)rng_next(&p->world->rng);
	return 0;
}

static void env_sleep_until(void *ctx, int64_t until)
{
	const struct process *p = ctx;

	while (process_clock(p) < until)
		schedule_wait(NULL, process_when(p, until));
}

static const struct dbl_driver *env_intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	(void)real;
	return &network_driver;
}

void process_start(struct world *w, int number, void *(*body)(void *))
{
	struct process *p = &w->processes[number];

	*p = (struct process){
		.world = w,
		.number = number,
		.alive = true,
		.origin = rng_between(&w->rng, 1000000, INT64_C(1000000000000)),
		.ppm = rng_between(&w->rng, -PPM_MAX, PPM_MAX),
		.ttl_ms = rng_one_in(&w->rng, 2) ? rng_between(&w->rng, DBLOCK_TTL_MIN_MS, 600)
						 : rng_between(&w->rng, 600, PROCESS_TTL_MAX_MS),
		.timeout_ms = rng_between(&w->rng, 100, 2000),
		.threads_asked = (int)rng_between(&w->rng, 0, 2),
	};
	/* A number that is drawn anyway chooses these, so that old seeds stay what they were. */
	p->posts = p->origin % 3 == 0;
	if (p->origin / 3 % 3 == 0)
		p->idle_ms = 1 + p->origin / 9 % 2000;
	p->env = (struct dbl_env){
		.ctx = p,
		.now = env_now,
		.wall = env_wall,
		.random = env_random,
		.sleep_until = env_sleep_until,
		.intercept = env_intercept,
	};
	schedule_thread(w, p, body, p);
}

void process_kill(struct process *p)
{
	struct coroutine *co, *next;

	p->world->kind->forget(p);
	for (co = p->threads; co; co = next) {
		next = co->next;
		if (co->breaking && !co->forced)
			COUNT(p->world, breakers_killed);
		co->ticket = 0;
		co->channel = NULL;
		coroutine_free(co);
	}
	p->threads = NULL;
	memory_drop(&p->memory);
	memset(p->socks, 0, sizeof(p->socks));
	mark_kill(p);
	p->alive = false;
}
