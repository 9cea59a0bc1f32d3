/* SPDX-License-Identifier: MIT */
#include "sim/schedule.h"

/* A world needs fewer events than this, or it runs in circles. */
#define EVENTS_MAX 3000000u

void schedule_event(struct world *w, int64_t at, void (*happen)(struct world *, void *, uint64_t),
		    void *what, uint64_t number)
{
	struct event event = {
		.at = at > w->now ? at : w->now, .happen = happen, .what = what, .number = number};

	queue_put(&w->queue, &event);
}

static void go_on(struct world *w, void *what, uint64_t ticket)
{
	struct coroutine *co = what;
	const struct process *p = co->process;

	if (co->ticket != ticket)
		return;
	if (p && p->stopped_until > w->now) {
		schedule_event(w, p->stopped_until, go_on, co, ticket);
		return;
	}
	co->ticket = 0;
	coroutine_resume(co);
	if (co->done && co->process)
		schedule_wake(co->process, co);
}

struct coroutine *schedule_thread(struct world *w, struct process *p, void *(*body)(void *),
				  void *arg)
{
	struct coroutine *co = coroutine_new();

	co->world = w;
	co->process = p;
	co->id = ++w->ids;
	co->body = body;
	co->arg = arg;
	co->ticket = ++w->tickets;
	if (p) {
		co->next = p->threads;
		p->threads = co;
	}
	schedule_event(w, w->now, go_on, co, co->ticket);
	return co;
}

bool schedule_wait(const void *channel, int64_t until)
{
	struct coroutine *co = coroutine_self();
	struct world *w = co->world;

	co->ticket = ++w->tickets;
	co->channel = channel;
	co->woken = false;
	if (until != SCHEDULE_NEVER)
		schedule_event(w, until, go_on, co, co->ticket);
	coroutine_suspend();
	co->channel = NULL;
	return co->woken;
}

void schedule_wake_one(struct world *w, struct coroutine *co, uint64_t ticket)
{
	if (co->ticket != ticket)
		return;
	co->woken = true;
	schedule_event(w, w->now, go_on, co, ticket);
}

void schedule_wake(struct process *p, const void *channel)
{
	for (struct coroutine *co = p->threads; co; co = co->next) {
		if (co->ticket && co->channel == channel)
			schedule_wake_one(co->world, co, co->ticket);
	}
}

void schedule_run(struct world *w)
{
	struct event event;

	while (!w->broken && queue_take(&w->queue, &event)) {
		w->now = event.at;
		event.happen(w, event.what, event.number);
		w->kind->check(w);
		if (++w->events > EVENTS_MAX)
			world_break(w, "C10", "the world does not come to rest");
	}
}
