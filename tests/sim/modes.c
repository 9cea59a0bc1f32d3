/* SPDX-License-Identifier: MIT */
#include "sim/modes.h"

#include <dblock/pool.h>
#include <string.h>

#include "lock/handle/lock.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/schedule.h"

/* The rush of readers comes after this. */
static int is_ending(void *world)
{
	const struct world *w = world;

	return w->ending && !w->closing;
}

/* ---- asking --------------------------------------------------------------------------------- */

/* Most go by what is stored, and some want to know which permits they have. */
static void follow(struct world *w, struct dblock_acquire_options *o)
{
	if (!rng_one_in(&w->rng, 4))
		o->capacity = DBLOCK_CAPACITY_STORED;
	o->numbered = rng_one_in(&w->rng, 3);
}

void modes_spec(struct process *p, int name, struct dblock_acquire_options *o)
{
	static const enum dblock_mode modes[] = {DBLOCK_EXCLUSIVE, DBLOCK_EXCLUSIVE, DBLOCK_SHARED,
						 DBLOCK_SHARED,    DBLOCK_SHARED,    DBLOCK_UPDATE};
	struct world *w = p->world;
	int64_t capacity = w->capacity[name];

	if (w->misuses && rng_one_in(&w->rng, 20))
		capacity = rng_between(&w->rng, 0, 4);
	if (capacity == 0) {
		o->mode = modes[rng_between(&w->rng, 0, sizeof(modes) / sizeof(modes[0]) - 1)];
	} else {
		o->mode = DBLOCK_PERMITS;
		o->capacity = capacity;
		o->permits = rng_one_in(&w->rng, 2) ? 1 : rng_between(&w->rng, 1, capacity);
		if (w->resizes)
			follow(w, o);
	}
	o->unfair = o->unfair && o->mode == DBLOCK_EXCLUSIVE;
}

/* A thread's own handles stay as they are while it asks; those of an owner may change. */
static bool holds_weaker(struct process *p, int name, const struct dblock_acquire_options *o)
{
	const struct history *h = &p->world->history;

	if (o->mode != DBLOCK_EXCLUSIVE && o->mode != DBLOCK_UPDATE)
		return false;
	for (int i = 0; i < h->n_held; i++) {
		const struct belief *b = &h->held[i];

		if (b->process == p && b->name == name && b->mode != DBLOCK_EXCLUSIVE &&
		    b->thread == coroutine_self()->id)
			return true;
	}
	return o->owner != 0;
}

bool modes_may_be_invalid(struct process *p, int name, const struct dblock_acquire_options *o)
{
	return p->world->modes && (p->world->misuses || holds_weaker(p, name, o) ||
				   (p->world->resizes && o->mode == DBLOCK_PERMITS));
}

/* As a statement has left it: none that grants permits changes it. */
int64_t modes_stored(struct world *w, const struct dbl_value *name)
{
	return w->resizes ? database_ask_about(w->servers,
					       "SELECT coalesce(max(coalesce(capacity, -1)), -1) "
					       "FROM dblock_lock WHERE name = $1",
					       name, 1)
			  : -1;
}

void modes_resize(struct process *p)
{
	struct world *w = p->world;
	int name = (int)rng_between(&w->rng, 0, w->n_names - 1);
	int64_t capacity = rng_between(&w->rng, 0, 6);
	struct dblock_error err = {0};
	int rc;

	if (!w->capacity[name])
		return;
	rc = dblock_pool_resize(p->client, client_name(name), capacity, &err);
	COUNT(w, resizes);
	if (rc != DBLOCK_E_CONFLICT && (rc != DBLOCK_E_INVALID || !w->misuses))
		client_expect(p, "resize", rc, &err);
	if (rc == 0 && capacity)
		w->capacity[name] = capacity; /* what others name */
	world_tell(w, p, "resize %s to %lld: %s", client_name(name), (long long)capacity,
		   dblock_outcome_name(rc));
}

int modes_any(struct process *p, int *name, int64_t *before, bool waits,
	      const struct dblock_acquire_options *given, struct dblock_lock **lock,
	      struct dblock_error *err)
{
	struct world *w = p->world;
	struct dblock_acquire_options o = *given;
	int names[2] = {*name, (*name + 1) % w->n_names};
	struct dblock_lock_spec wants[2];
	int64_t returned[2];
	int rc;

	for (int i = 0; i < 2; i++) {
		struct dblock_acquire_options one = {.unfair = false};

		modes_spec(p, names[i], &one);
		wants[i] = (struct dblock_lock_spec){.name = client_name(names[i]),
						     .mode = one.mode,
						     .permits = one.permits,
						     .capacity = one.capacity};
		returned[i] = w->history.names[names[i]].returned;
	}
	o.mode = DBLOCK_EXCLUSIVE;
	o.permits = o.capacity = 0;
	o.numbered =
		w->resizes && wants[0].mode == DBLOCK_PERMITS && wants[1].mode == DBLOCK_PERMITS;
	o.unfair = false;
	o.idle_ms = 0;
	COUNT(w, any);
	rc = (waits ? dblock_acquire_any : dblock_try_any)(p->client, wants, 2, &o, lock, err);
	if (rc == DBLOCK_E_INVALID &&
	    (w->misuses || w->resizes || strstr(err->message, "holds it already") != NULL))
		return DBLOCK_BUSY;
	if (rc)
		return rc;
	COUNT(w, any_granted);
	*before = returned[strcmp(dblock_name(*lock), wants[0].name) != 0];
	*name = client_name_index(dblock_name(*lock), 1);
	return 0;
}

/* ---- changing ------------------------------------------------------------------------------- */

/* Nobody else may release it meanwhile. */
static bool is_mine(const struct belief *b)
{
	return b->thread && b->thread == coroutine_self()->id;
}

static int upgrade(struct process *p, struct dblock_lock *lock, int64_t wait_ms)
{
	struct dblock_upgrade_options o = DBLOCK_UPGRADE_OPTIONS_INIT;
	struct world *w = p->world;
	struct belief *b = history_changing(w, lock), was;
	int64_t before = w->history.names[b->name].returned;
	struct dblock_error err = {0};
	int rc;

	o.wait_ms = wait_ms;
	o.canceled = is_ending;
	o.canceled_arg = w;
	coroutine_self()->upgrading = lock->grant.nonce;
	coroutine_self()->saw_upgrade = false;
	rc = dblock_upgrade(lock, &o, &err);
	coroutine_self()->upgrading = 0;
	b = history_changed(w, lock, &was);
	COUNT(w, upgrades);
	world_tell(w, p, "upgrade %s (token %lld): %s, token %lld", client_name(b->name),
		   (long long)was.token, dblock_outcome_name(rc), (long long)b->token);
	/* The call may be the last to come of a cycle of waiting threads: then its message says so.
	 */
	if (rc == DBLOCK_DEADLOCK && strstr(err.message, "deadlock; "))
		coroutine_self()->saw_upgrade = true;
	check_upgraded(w, &was, b, rc, before);
	if (rc == DBLOCK_DEADLOCK)
		COUNT(w, deadlocks);
	else
		client_expect(p, "upgrade", rc, &err);
	return rc;
}

void modes_upgrade(struct process *p, struct dblock_lock *lock, int64_t wait_ms)
{
	const struct belief *b = history_belief_in(p->world, lock);

	if (is_mine(b) && b->session[0] && (b->mode == DBLOCK_SHARED || b->mode == DBLOCK_UPDATE))
		(void)upgrade(p, lock, wait_ms);
}

static void downgrade(struct process *p, struct dblock_lock *lock, enum dblock_mode mode)
{
	struct world *w = p->world;
	struct belief *b = history_changing(w, lock), was;
	int64_t before = b->mode;
	struct dblock_error err = {0};
	int rc;

	/* From now on the holder relies on no more than that. */
	b->mode = mode;
	rc = dblock_downgrade(lock, mode, &err);
	b = history_changed(w, lock, &was);
	was.mode = before;
	COUNT(w, downgrades);
	world_tell(w, p, "downgrade %s (token %lld) to %d: %s", client_name(b->name),
		   (long long)was.token, (int)mode, dblock_outcome_name(rc));
	check_downgraded(w, &was, b, rc, mode);
	client_expect(p, "downgrade", rc, &err);
}

void modes_downgrade(struct process *p, struct dblock_lock *lock)
{
	const struct belief *b = history_belief_in(p->world, lock);

	if (!is_mine(b) || (b->mode != DBLOCK_EXCLUSIVE && b->mode != DBLOCK_UPDATE))
		return;
	downgrade(p, lock,
		  b->mode == DBLOCK_UPDATE || rng_one_in(&p->world->rng, 2) ? DBLOCK_SHARED
									    : DBLOCK_UPDATE);
}

/* ---- the rush ------------------------------------------------------------------------------- */

enum { RUNNERS = 4, ROUNDS = 4 };

/* Each of the others holds the lock for at most this long, and so often at most; and a lost wake-up
 * costs a second. */
#define RUSH_HOLD_US 20000
#define RUSH_WAIT_MS 2000

static void round_of(struct process *p, int name)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct world *w = p->world;
	int64_t before = w->history.names[name].returned;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct belief was;
	uint64_t id;
	int rc;

	modes_spec(p, name, &o);
	o.wait_ms = RUSH_WAIT_MS;
	rc = dblock_acquire(p->client, client_name(name), &o, &lock, &err);
	if (rc == DBLOCK_E_INVALID && modes_may_be_invalid(p, name, &o))
		return;
	if (rc) {
		world_break(w, "C10", "%s cannot be had in mode %d among others: %s: %s",
			    client_name(name), (int)o.mode, dblock_outcome_name(rc), err.message);
		return;
	}
	history_acquired(w, p, name, lock, before);
	client_sleep(p, rng_between(&w->rng, 0, RUSH_HOLD_US));
	if (rng_one_in(&w->rng, 3))
		modes_downgrade(p, lock);
	else if (rng_one_in(&w->rng, 3) && history_belief_in(w, lock)->mode != DBLOCK_EXCLUSIVE &&
		 o.mode != DBLOCK_PERMITS)
		rc = upgrade(p, lock, RUSH_WAIT_MS);
	if (rc && rc != DBLOCK_DEADLOCK)
		world_break(w, "C10", "%s cannot be upgraded: %s", client_name(name),
			    dblock_outcome_name(rc));
	id = history_releasing(history_belief_in(w, lock));
	rc = dblock_release(lock, &err);
	history_released(w, id, &was);
	if (rc)
		world_break(w, "C10", "%s cannot be released: %s", client_name(name), err.message);
}

static void *runner(void *arg)
{
	struct process *p = arg;

	for (int i = 0; i < ROUNDS; i++)
		round_of(p, (int)rng_between(&p->world->rng, 0, p->world->n_names - 1));
	p->helpers--;
	schedule_wake(p, &p->helpers);
	return NULL;
}

void modes_rush(struct process *p)
{
	p->helpers = RUNNERS;
	for (int i = 0; i < RUNNERS; i++)
		schedule_thread(p->world, p, runner, p);
	while (p->helpers > 0)
		schedule_wait(&p->helpers, SCHEDULE_NEVER);
}
