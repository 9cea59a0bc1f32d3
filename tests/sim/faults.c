/* SPDX-License-Identifier: MIT */
#include "sim/faults.h"

#include <stdio.h>

#include "sim/client.h"
#include "sim/schedule.h"

static struct process *any(struct world *w)
{
	struct process *p = &w->processes[rng_between(&w->rng, 0, w->n_processes - 1)];

	return p->alive ? p : NULL;
}

/* Draws a time: a short one, or one longer than most sessions live. */
static int64_t while_(struct world *w)
{
	return rng_one_in(&w->rng, 3) ? rng_between(&w->rng, 1000, 200000)
				      : rng_between(&w->rng, 200000, 2500000);
}

static void stop_process(struct world *w)
{
	struct process *p = any(w);
	int64_t until;

	if (!p)
		return;
	until = w->now + while_(w);
	/* Not sooner: threads of its that are stopped already go on at that time. */
	p->stopped_until = until > p->stopped_until ? until : p->stopped_until;
	COUNT(w, stops);
	world_tell(w, p, "is stopped for %lld us", (long long)(p->stopped_until - w->now));
}

static void kill_process(struct world *w)
{
	struct process *p = any(w);

	if (!p)
		return;
	COUNT(w, kills);
	world_tell(w, p, "is killed");
	process_kill(p);
	if (rng_one_in(&w->rng, 4))
		return;
	process_start(w, p->number, w->kind->process);
	world_tell(w, p, "starts anew");
}

/* To which servers? If there is but one it is not drawn. */
static unsigned any_ways(struct world *w)
{
	unsigned all = (1u << w->n_servers) - 1;
	unsigned some = w->n_servers > 1 ? (unsigned)rng_next(&w->rng) & all : all;

	return some ? some : all;
}

static void cut(struct world *w, struct process *p, unsigned ways)
{
	int64_t until = w->now + while_(w);

	for (int i = 0; i < w->n_servers; i++) {
		if (ways & 1u << i)
			p->ways[i].cut_until = until;
	}
	world_tell(w, p, "has no network (%x) for %lld us", ways, (long long)(until - w->now));
}

static void lose_connections(struct world *w, struct process *p, unsigned ways)
{
	for (int i = 0; i < w->n_servers; i++)
		p->ways[i].cuts += ways >> i & 1;
	world_tell(w, p, "loses its connections (%x)", ways);
}

static void cut_process(struct world *w)
{
	struct process *p = any(w);
	unsigned ways;

	if (!p)
		return;
	COUNT(w, cuts);
	ways = any_ways(w);
	if (rng_one_in(&w->rng, 3))
		lose_connections(w, p, ways);
	else
		cut(w, p, ways);
}

static void cut_degraded(struct world *w, void *what, uint64_t number)
{
	struct process *p = what;

	if (p->alive && !w->ending)
		cut(w, p, (unsigned)number);
}

/* Answers get slower; and then, perhaps, there is no network at all. */
static void degrade(struct world *w)
{
	struct process *p = any(w);
	int64_t by, until;
	unsigned ways;

	if (!p)
		return;
	COUNT(w, degraded);
	ways = any_ways(w);
	by = rng_between(&w->rng, 50000, 700000);
	until = w->now + rng_between(&w->rng, by, 2000000);
	for (int i = 0; i < w->n_servers; i++) {
		if (ways & 1u << i)
			p->ways[i].slow_by = by, p->ways[i].slow_until = until;
	}
	world_tell(w, p, "receives late (%x), by %lld us, for %lld us", ways, (long long)by,
		   (long long)(until - w->now));
	if (rng_one_in(&w->rng, 2))
		schedule_event(w, until, cut_degraded, p, ways);
}

/* Where there is one, it is not drawn. */
static struct server *any_server(struct world *w)
{
	return &w->servers[w->n_servers > 1 ? rng_between(&w->rng, 0, w->n_servers - 1) : 0];
}

static int number_of(const struct server *s)
{
	return (int)(s - s->world->servers) + 1;
}

static void stall_server(struct world *w)
{
	struct server *s = any_server(w);

	s->network.stalled_until = w->now + while_(w);
	COUNT(w, stalls);
	world_tell(w, NULL, "server %d hangs for %lld us", number_of(s),
		   (long long)(s->network.stalled_until - w->now));
}

static void restart_server(struct world *w)
{
	struct server *s = any_server(w);

	COUNT(w, restarts);
	network_restart(w, s, w->now + while_(w) / 4, false);
	world_tell(w, NULL, "server %d restarts", number_of(s));
}

static void lock_rows(struct world *w)
{
	struct server *s = any_server(w);

	s->network.locked_until = w->now + while_(w) / 2;
	snprintf(s->network.locked_name, sizeof(s->network.locked_name), "%s%s", w->kind->prefix,
		 client_name((int)rng_between(&w->rng, 0, w->n_names - 1)));
	COUNT(w, rows_locked);
	world_tell(w, NULL, "the row of %s is locked by somebody", s->network.locked_name);
}

static void set_wall(struct world *w)
{
	struct process *p = any(w);

	if (!p)
		return;
	p->wall_set += rng_between(&w->rng, -3600 * INT64_C(1000000), 3600 * INT64_C(1000000));
	COUNT(w, walls_set);
	world_tell(w, p, "its wall clock is set");
}

static void set_clock(struct world *w)
{
	struct server *s = any_server(w);
	int64_t by = rng_between(&w->rng, -2000000, 2000000);

	s->clock.set += by;
	s->clock.forward += by > 0 ? by : 0;
	if (s->clock.set > s->clock.latest)
		s->clock.latest = s->clock.set;
	COUNT(w, clocks_set);
	world_tell(w, NULL, "the clock of server %d is set by %lld us", number_of(s),
		   (long long)by);
}

static void lose_commits(struct world *w, void *what, uint64_t number)
{
	struct server *s = what;

	(void)number;
	if (w->ending)
		return;
	COUNT(w, restarts_lossy);
	network_restart(w, s, w->now + while_(w) / 4, true);
	w->kind->lost_commits(w, s);
	world_tell(w, NULL, "server %d restarts without its last commits", number_of(s));
}

static void begin_to_lose(struct world *w)
{
	struct server *s = any_server(w);

	if (s->network.owner || s->keeps)
		return;
	database_sync(s);
	schedule_event(w, w->now + while_(w) / 4, lose_commits, s, 0);
	world_tell(w, NULL, "from now on server %d does not sync", number_of(s));
}

typedef void event_fn(struct world *);

static event_fn *const kinds[] = {stop_process,   kill_process, cut_process, stall_server,
				  restart_server, lock_rows,    set_wall,    degrade};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void strike(struct world *w, void *what, uint64_t number)
{
	int kind = (int)rng_between(&w->rng, 0, KINDS - 1);

	(void)what;
	(void)number;
	if (w->ending)
		return;
	if (w->regime == CLOCKS && rng_one_in(&w->rng, 3))
		set_clock(w);
	else if (w->regime == LOSSY && rng_one_in(&w->rng, 4))
		begin_to_lose(w);
	else if (w->faults.kinds & 1u << kind)
		kinds[kind](w);
	schedule_event(w, w->now + rng_between(&w->rng, 0, 2 * w->faults.interval), strike, NULL,
		       0);
}

/* Returns a statement whose late copy could do harm, if the library did not reckon with it. */
int faults_any_op(struct world *w)
{
	static const int ops[] = {DBL_OP_acquire,   DBL_OP_release,      DBL_OP_extend,
				  DBL_OP_heartbeat, DBL_OP_session_open, DBL_OP_give_back,
				  DBL_OP_bury,      DBL_OP_break,        DBL_OP_lease_end,
				  DBL_OP_enqueue,   DBL_OP_announce,     DBL_OP_dequeue,
				  DBL_OP_hand_over, DBL_OP_pass_on,      DBL_OP_join_behind};

	return ops[rng_between(&w->rng, 0, sizeof(ops) / sizeof(ops[0]) - 1)];
}

/* Returns such a statement about rows of the queue. Statements inside a transaction are not held
 * back. */
static int any_row_op(struct world *w)
{
	static const int ops[] = {DBL_OP_enqueue,        DBL_OP_announce,    DBL_OP_dequeue,
				  DBL_OP_expel,          DBL_OP_row_release, DBL_OP_row_rest,
				  DBL_OP_row_mode,       DBL_OP_row_extend,  DBL_OP_row_end,
				  DBL_OP_name_new,       DBL_OP_reap_rows,   DBL_OP_reap_waiters,
				  DBL_OP_dequeue_served, DBL_OP_enter};

	return ops[rng_between(&w->rng, 0, sizeof(ops) / sizeof(ops[0]) - 1)];
}

/* Half of the worlds have none of a kind of fault. */
static int some(struct world *w, int most)
{
	return rng_one_in(&w->rng, 2) ? 0 : (int)rng_between(&w->rng, 1, most);
}

void faults_begin(struct world *w)
{
	w->faults = (struct faults){
		.refuse = some(w, 30),
		.drop = some(w, 30),
		.hold = some(w, 30),
		.hold_op = w->kind->any_op(w),
		.lose_reply = some(w, 50),
		.slow = some(w, 100),
		.preempt = some(w, 15),
		.yield = some(w, 200),
		.kinds = (unsigned)rng_next(&w->rng),
		.interval = rng_between(&w->rng, 100000, 1000000),
	};
	if (w->modes && rng_one_in(&w->rng, 2))
		w->faults.hold_op = any_row_op(w);
	w->faults.interval /= w->n_servers > 1 ? 3 : 1;
	schedule_event(w, w->faults.interval, strike, NULL, 0);
}

void faults_end(struct world *w)
{
	w->faults = (struct faults){.yield = w->faults.yield};
	for (int i = 0; i < w->n_servers; i++) {
		struct server *s = &w->servers[i];

		/* Somebody sets the clock right: no session seems to live for long. */
		s->clock.forward += s->clock.latest - s->clock.set;
		s->clock.set = s->clock.latest;
		s->network.down_until = s->network.stalled_until = s->network.locked_until = w->now;
	}
	for (int i = 0; i < w->n_processes; i++) {
		w->processes[i].stopped_until = w->now;
		w->processes[i].deaf = false;
		for (int m = 0; m < w->n_servers; m++)
			w->processes[i].ways[m].cut_until = w->processes[i].ways[m].slow_until =
				w->now;
	}
}
