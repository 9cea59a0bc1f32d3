/* SPDX-License-Identifier: MIT */
#include "lock/wait/deadlock.h"

#include <string.h>

#include "base/mem.h"
#include "lock/cache/local.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/wait/cycle.h"

/* The pause between the two looks that have to find the same cycle. It is longer than a thread
 * needs to accept a grant, or to leave the queue. */
#define AGAIN_US 150000 /* with its jitter 190 ms */

/* The pause between looks doubles until it has reached this. */
#define PAUSE_LAST_US 10000000

/* The graph has more edges than a look reads. */
#define TOO_MANY DBLOCK_E_FULL

/* The columns of cycle, in order. */
enum {
	NAME,
	NONCE,
	MODE,
	WEIGHT,
	CAPACITY,
	UPGRADES,
	SINCE,
	THREAD,
	HOST,
	PID,
	APP,
	KIND,
	TOKEN,
	HELD_MODE,
	HELD_WEIGHT,
	TO,
	NAMES
};

void dbl_suspicion_begin(struct dbl_suspicion *s, const struct dbl_locks *locks,
			 const struct dbl_acquire_spec *spec)
{
	*s = (struct dbl_suspicion){.next = DBL_NEVER, .pause = spec->deadlock_after};
	if (spec->blocks && spec->deadlock_after > 0)
		s->next = dbl_add(spec->since ? spec->since : dbl_now(locks->env),
				  spec->deadlock_after);
}

/* ---- the graph ------------------------------------------------------------------------------- */

static int make_room(struct dbl_edges *edges)
{
	unsigned room = edges->room ? edges->room * 2 : 8;
	struct dbl_edge *more;

	if (edges->n < edges->room)
		return 0;
	if (room > DBL_EDGES_MAX)
		return TOO_MANY;
	more = dbl_realloc(edges->edge, room * sizeof(*more));
	if (!more)
		return DBLOCK_E_NOMEM;
	edges->edge = more;
	edges->room = room;
	return 0;
}

static int take_edge(void *ctx, const struct dbl_value *row)
{
	struct dbl_edges *edges = ctx;
	struct dbl_edge *e;
	int rc = make_room(edges);

	if (rc)
		return rc;
	e = &edges->edge[edges->n++];
	*e = (struct dbl_edge){
		.nonce = row[NONCE].i,
		.mode = row[MODE].i,
		.weight = row[WEIGHT].i,
		.capacity = dbl_int_or(&row[CAPACITY], 0),
		.upgrades = row[UPGRADES].type != DBL_NULL,
		.since = row[SINCE].i,
		.thread = row[THREAD].i,
		.pid = row[PID].i,
		.kind = row[KIND].i,
		.token = row[TOKEN].i,
		.held_mode = row[HELD_MODE].i,
		.held_weight = row[HELD_WEIGHT].i,
		.to = row[TO].i,
		.names = row[NAMES].i,
	};
	dbl_copy_text(e->name, sizeof(e->name), &row[NAME]);
	dbl_copy_text(e->host, sizeof(e->host), &row[HOST]);
	dbl_copy_text(e->app, sizeof(e->app), &row[APP]);
	return 0;
}

static int read_edges(struct dbl_locks *locks, const char *name, int64_t nonce, int64_t deadline,
		      struct dbl_edges *edges)
{
	const struct dbl_value args[] = {dbl_text(name), dbl_int(nonce)};
	struct dbl_request request = {.op = DBL_OP_cycle,
				      .args = DBL_ARGS(args),
				      .row = take_edge,
				      .ctx = edges,
				      .deadline = deadline};

	return dbl_link_run(locks->link, &request, NULL);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Whether this thread really holds what the edge says. The database knows threads by the kernel's
 * numbers, which come again, and takes a lock as held until its release has arrived. */
static bool is_held_by_us(struct dbl_locks *locks, const struct dbl_edge *e)
{
	struct dbl_owner me = dbl_owner_me();
	const struct dblock_lock *lock;

	dbl_lock(&locks->mutex);
	lock = dbl_handle_out(locks);
	while (lock && !dbl_handle_has_grant(lock, e->name, e->token))
		lock = lock->next;
	if (lock && !dbl_is_same_owner(lock->owner, me))
		lock = NULL;
	dbl_unlock(&locks->mutex);
	return lock != NULL;
}

/* Whether the last edge, which leads to our own wait, is true. */
static bool is_sound(struct dbl_locks *locks, const struct dbl_cycle *cycle)
{
	const struct dbl_edge *last = cycle->n ? cycle->edge[cycle->n - 1] : NULL;

	return last && (last->kind == DBL_EDGE_IN_QUEUE || is_held_by_us(locks, last));
}

/* DBLOCK_DEADLOCK: the look before has found the same cycle. */
static int judge(struct dbl_suspicion *s, const struct dbl_cycle *cycle, struct dblock_error *err)
{
	uint64_t key = dbl_cycle_key(cycle);

	if (key == s->seen)
		return dbl_cycle_tell(cycle, err);
	s->seen = key;
	return 0;
}

static void schedule_next(struct dbl_suspicion *s, const struct dbl_locks *locks)
{
	const struct dbl_env *env = locks->env;

	if (s->seen) {
		s->next = dbl_now(env) + dbl_jitter(env, AGAIN_US);
		return;
	}
	s->next = dbl_add(dbl_now(env), dbl_jitter(env, s->pause));
	DBL_ASSERT(s->pause > 0, "%lld", (long long)s->pause);
	if (s->pause < PAUSE_LAST_US)
		s->pause = s->pause < PAUSE_LAST_US / 2 ? s->pause * 2 : PAUSE_LAST_US;
}

int dbl_suspicion_look(struct dbl_suspicion *s, struct dbl_locks *locks,
		       const struct dbl_acquire_spec *spec, int64_t nonce, int64_t deadline,
		       struct dblock_error *err)
{
	struct dbl_edges edges = {.n = 0};
	struct dbl_cycle cycle = {.n = 0};
	int64_t now = dbl_now(locks->env), by = now + (deadline - now) / 2;
	/* What this thread holds has to bear its name; that may have failed when it joined. */
	int rc = dbl_local_name(locks, by, NULL);

	if (rc == 0)
		rc = read_edges(locks, spec->name, nonce, by, &edges);
	if (rc == 0) {
		dbl_cycle_find(&edges, nonce, &cycle);
		if (is_sound(locks, &cycle))
			rc = judge(s, &cycle, err);
		else
			s->seen = 0;
	}
	dbl_free(edges.edge);
	schedule_next(s, locks);
	return rc;
}
