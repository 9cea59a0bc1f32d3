/* SPDX-License-Identifier: MIT */
/* One thread works with locks of a cluster: one step at a time, by chance. */
#include <dblock/dblock.h>

#include "sim/client.h"
#include "sim/quorum/cluster.h"
#include "sim/schedule.h"

enum { HANDS = 2, STEPS_MAX = 20, RUSH_WAIT_MS = 20000 };

struct worker {
	struct process *process;
	struct world *world;
	struct dblock_lock *held[HANDS];
	int n_held;
};

static int64_t chance(struct worker *k, int64_t lo, int64_t hi)
{
	return rng_between(&k->world->rng, lo, hi);
}

static bool one_in(struct worker *k, unsigned n)
{
	return rng_one_in(&k->world->rng, n);
}

static int is_ending(void *world)
{
	return ((struct world *)world)->ending;
}

static int64_t any_lease(struct worker *k)
{
	return one_in(k, 2) ? chance(k, DBLOCK_LEASE_MIN_MS, 400)
			    : chance(k, 400, k->world->cluster.max_ttl_ms);
}

/* A member that has forgotten votes, or was replaced, is refused by name. */
static void expect(struct process *p, const char *call, int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_E_INVALID && cluster_may_refuse(p))
		COUNT(p->world, invalid);
	else
		client_expect(p, call, rc, err);
}

/* ---- acquire and release -------------------------------------------------------------------- */

static struct dblock_acquire_options spec(struct worker *k)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;

	o.wait_ms = one_in(k, 3) ? chance(k, 1, 100) : chance(k, 100, 4000);
	o.canceled = is_ending;
	o.canceled_arg = k->world;
	o.lost = hold_told;
	o.lost_arg = k->world;
	if (one_in(k, 3))
		o.lease_ms = any_lease(k);
	if (one_in(k, 5))
		o.value = "what I do";
	if (one_in(k, 5))
		o.owner = 7;
	o.unfair = one_in(k, 10);
	return o;
}

static void count_outcome(struct world *w, int rc)
{
	if (rc == DBLOCK_BUSY)
		COUNT(w, busy);
	else if (rc == DBLOCK_TIMEOUT)
		COUNT(w, timeouts);
	else if (rc == DBLOCK_LOST)
		COUNT(w, lost);
}

static int acquire(struct worker *k, int name, bool waits, const struct dblock_acquire_options *o)
{
	struct world *w = k->world;
	struct dblock_error err = {0};
	int64_t before = w->cluster.names[name].returned;
	struct dblock_lock *lock;
	int rc = (waits ? dblock_acquire : dblock_try)(k->process->client, client_name(name), o,
						       &lock, &err);

	expect(k->process, "acquire", rc, &err);
	count_outcome(w, rc);
	world_tell(w, k->process, "%s %s%s: %s, token %lld %s", waits ? "acquire" : "try",
		   client_name(name), o->lease_ms ? " (lease)" : "", dblock_outcome_name(rc),
		   (long long)dblock_token(lock), rc ? err.message : "");
	if (rc == 0) {
		hold_acquired(k->process, name, lock, before);
		k->held[k->n_held++] = lock;
	}
	return rc;
}

static void acquire_any(struct worker *k, bool waits)
{
	struct dblock_acquire_options o = spec(k);

	if (k->n_held == HANDS)
		return;
	if (waits)
		COUNT(k->world, waits);
	else
		COUNT(k->world, tries);
	acquire(k, (int)chance(k, 0, k->world->n_names - 1), waits, &o);
}

static void forget(struct worker *k, const struct dblock_lock *lock)
{
	int at = 0;

	while (k->held[at] != lock)
		at++;
	k->held[at] = k->held[--k->n_held];
}

static int release(struct worker *k, struct dblock_lock *lock)
{
	struct world *w = k->world;
	struct dblock_error err = {0};
	int64_t token = dblock_token(lock);
	uint64_t id;
	int rc;

	forget(k, lock);
	id = hold_releasing(k->process, lock);
	rc = dblock_release(lock, &err);
	COUNT(w, releases);
	count_outcome(w, rc);
	expect(k->process, "release", rc, &err);
	world_tell(w, k->process, "release token %lld: %s %s", (long long)token,
		   dblock_outcome_name(rc), rc ? err.message : "");
	hold_released(k->process, id, rc);
	return rc;
}

/* ---- with what is held ---------------------------------------------------------------------- */

static void extend(struct worker *k, struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	int64_t lease = any_lease(k);
	struct hold *h = hold_of(k->world, lock);
	int rc;

	if (h)
		h->promised = 0; /* it may be made shorter */
	rc = dblock_extend(lock, lease, &err);
	COUNT(k->world, extends);
	expect(k->process, "extend", rc, &err);
	world_tell(k->world, k->process, "extend to %lld ms: %s %s", (long long)lease,
		   dblock_outcome_name(rc), rc ? err.message : "");
}

/* Somebody knows the token of a lease. */
static void by_token(struct worker *k)
{
	struct world *w = k->world;
	int name = (int)chance(k, 0, w->n_names - 1);
	int64_t token = w->cluster.names[name].lease;
	struct hold *h = hold_by_token(w, name, token);
	bool releases = one_in(k, 2), was_valid = h && !h->moved && hold_is_valid(h);
	uint64_t id = h ? h->id : 0;
	struct dblock_error err = {0};
	int rc;

	if (token == 0)
		return;
	if (h)
		h->moved = true;
	if (releases)
		COUNT(w, token_releases);
	else
		COUNT(w, token_extends);
	rc = releases ? dblock_release_token(k->process->client, client_name(name), token, &err)
		      : dblock_extend_token(k->process->client, client_name(name), token,
					    any_lease(k), &err);
	expect(k->process, "by token", rc, &err);
	world_tell(w, k->process, "%s by token %lld: %s %s", releases ? "release" : "extend",
		   (long long)token, dblock_outcome_name(rc), rc ? err.message : "");
	h = was_valid ? hold_by_id(w, id) : NULL;
	if (rc == DBLOCK_STALE && h && h->depth > 0 && w->regime == STEADY &&
	    w->cluster.replacing.n_processes == 0 && hold_is_valid(h))
		world_break(w, "Q4", "%s (token %lld) is held, and that is said to be no token",
			    client_name(name), (long long)token);
}

/* ---- a day's work --------------------------------------------------------------------------- */

static void step_with(struct worker *k, struct dblock_lock *lock)
{
	struct hold *h = hold_of(k->world, lock);

	if (one_in(k, 3))
		release(k, lock);
	else if (h->lease && one_in(k, 2))
		extend(k, lock);
	else
		hold_look(h);
}

static void step(struct worker *k)
{
	int64_t dice = chance(k, 0, 99);

	if (dice < 40 && k->n_held)
		step_with(k, k->held[chance(k, 0, k->n_held - 1)]);
	else if (dice < 60)
		acquire_any(k, true);
	else if (dice < 75)
		acquire_any(k, false);
	else if (dice < 80)
		by_token(k);
	else
		client_sleep(k->process,
			     one_in(k, 8) ? chance(k, 1000, 1000000) : chance(k, 100, 50000));
}

void cluster_work(struct process *p)
{
	struct worker k = {.process = p, .world = p->world};

	for (int steps = (int)chance(&k, 3, STEPS_MAX); steps > 0 && !p->world->ending; steps--)
		step(&k);
	while (k.n_held > 0)
		release(&k, k.held[0]);
}

static int take_each(struct process *p, const struct dblock_acquire_options *o)
{
	struct worker k = {.process = p, .world = p->world};
	int failed = 0;

	for (int i = 0; i < p->world->n_names && !failed; i++) {
		failed = acquire(&k, i, true, o);
		if (failed)
			break;
		client_sleep(p, chance(&k, 0, 20000));
		release(&k, k.held[0]);
	}
	return failed;
}

void cluster_try_out(struct process *p)
{
	struct worker k = {.process = p, .world = p->world};
	struct dblock_acquire_options o = spec(&k);

	take_each(p, &o);
}

void cluster_rush(struct process *p)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	int rc;

	o.wait_ms = RUSH_WAIT_MS;
	rc = take_each(p, &o);
	COUNT(p->world, rushes);
	if (rc)
		world_break(p->world, "Q5", "a lock cannot be had: %s", dblock_outcome_name(rc));
}
