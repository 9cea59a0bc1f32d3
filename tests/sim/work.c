/* SPDX-License-Identifier: MIT */
/* One thread works: one step at a time, by chance. */
#include <dblock/dblock.h>
#include <string.h>

#include "sim/check.h"
#include "sim/client.h"
#include "sim/modes.h"
#include "sim/rate.h"
#include "sim/schedule.h"
#include "sim/take.h"

enum { HANDS = 3, STEPS_MAX = 40 };

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

/* A lease ends soon or late, so that a late copy of its extension matters to the next one. */
static int64_t any_lease(struct worker *k)
{
	return one_in(k, 2) ? chance(k, DBLOCK_LEASE_MIN_MS, 400) : chance(k, 400, 2000);
}

/* ---- acquire -------------------------------------------------------------------------------- */

static struct dblock_acquire_options spec(struct worker *k)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;

	o.wait_ms = one_in(k, 3) ? chance(k, 1, 100) : chance(k, 100, 6000);
	o.canceled = is_ending;
	o.canceled_arg = k->world;
	o.lost = history_told;
	o.lost_arg = k->world;
	/* Most acquires keep the lock idle if they can; only then it goes from thread to thread. */
	o.idle_ms = k->process->idle_ms;
	if (one_in(k, 2))
		return o;
	o.idle_ms = 0;
	if (one_in(k, 3))
		o.lease_ms = any_lease(k);
	if (one_in(k, 5))
		o.at_least_ms = chance(k, 10, 400);
	if (one_in(k, 3))
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

static void acquire(struct worker *k, bool waits)
{
	struct dblock_acquire_options o = spec(k);
	struct drive drive = {.process = k->process};
	struct world *w = k->world;
	struct dblock_error err = {0};
	int name = (int)chance(k, 0, w->n_names - 1);
	int64_t before = w->history.names[name].returned;
	struct dblock_lock *lock;
	int rc;

	if (k->n_held == HANDS)
		return;
	if (w->modes)
		modes_spec(k->process, name, &o);
	if (o.mode != DBLOCK_EXCLUSIVE)
		o.idle_ms = 0;
	if (w->ranks && one_in(k, 2))
		o.priority = (int)chance(k, DBLOCK_PRIORITY_MIN, DBLOCK_PRIORITY_MAX);
	coroutine_self()->trying = !waits;
	if (w->modes && w->n_names > 1 && one_in(k, 6))
		rc = modes_any(k->process, &name, &before, waits, &o, &lock, &err);
	else if (waits && one_in(k, 3))
		rc = client_drive(&drive, client_name(name), &o, &lock, &err);
	else
		rc = (waits ? dblock_acquire : dblock_try)(k->process->client, client_name(name),
							   &o, &lock, &err);
	coroutine_self()->trying = false;
	if (waits)
		COUNT(w, waits);
	else
		COUNT(w, tries);
	/* A thread that holds nothing keeps only those waiting who are behind it in the queue. */
	if (rc == DBLOCK_DEADLOCK && waits &&
	    (k->n_held > 0 || strstr(err.message, "in line behind")))
		COUNT(w, deadlocks);
	else if (rc == DBLOCK_E_INVALID && modes_may_be_invalid(k->process, name, &o))
		COUNT(w, invalid);
	else
		client_expect(k->process, "acquire", rc, &err);
	count_outcome(w, rc);
	world_tell(w, k->process, "%s %s%s, mode %d: %s, token %lld", waits ? "acquire" : "try",
		   client_name(name), o.lease_ms ? " (lease)" : "", (int)o.mode,
		   dblock_outcome_name(rc), (long long)dblock_token(lock));
	if (rc == 0) {
		history_acquired(w, k->process, name, lock, before);
		k->held[k->n_held++] = lock;
	}
	client_drive_end(&drive);
}

/* ---- with what is held ---------------------------------------------------------------------- */

static struct dblock_lock *any_held(struct worker *k)
{
	return k->n_held ? k->held[chance(k, 0, k->n_held - 1)] : NULL;
}

static void forget(struct worker *k, const struct dblock_lock *lock)
{
	int at = 0;

	while (k->held[at] != lock)
		at++;
	k->held[at] = k->held[--k->n_held];
}

static void release(struct worker *k, struct dblock_lock *lock)
{
	struct world *w = k->world;
	struct belief was;
	int64_t deadline = check_is_valid(k->process, lock) ? check_deadline(lock) : 0;
	struct dblock_error err = {0};
	uint64_t id;
	int rc;

	check_beliefs(w);
	forget(k, lock);
	/* The thread may be preempted as it checks: then the belief has another address. */
	id = history_releasing(history_belief_in(w, lock));
	rc = dblock_release(lock, &err);
	COUNT(w, releases);
	count_outcome(w, rc);
	client_expect(k->process, "release", rc, &err);
	if (history_released(w, id, &was))
		check_released(w, &was, rc, process_clock(k->process) < deadline);
	world_tell(w, k->process, "release %s (token %lld): %s", client_name(was.name),
		   (long long)was.token, dblock_outcome_name(rc));
}

static bool has_lease(struct worker *k, const struct dblock_lock *lock)
{
	return !history_belief_in(k->world, lock)->session[0];
}

static void extend(struct worker *k, struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	int64_t lease = any_lease(k);
	int rc = dblock_extend(lock, lease, &err);

	COUNT(k->world, extends);
	client_expect(k->process, "extend", rc, &err);
	world_tell(k->world, k->process, "extend to %lld ms: %s", (long long)lease,
		   dblock_outcome_name(rc));
}

/* A write to what the lock guards arrives after a while, whatever happens to its sender. */
static void write_arrives(struct world *w, void *what, uint64_t number)
{
	struct grant *grant = &w->history.grants[number & UINT32_MAX];

	(void)what;
	history_guard(w, grant, grant->token + (int64_t)(number >> 32), false);
}

static void read_arrives(struct world *w, void *what, uint64_t number)
{
	struct grant *grant = &w->history.grants[number & UINT32_MAX];

	(void)what;
	history_guard(w, grant, grant->token + (int64_t)(number >> 32), true);
}

static void write_guarded(struct worker *k, struct dblock_lock *lock)
{
	bool valid = dblock_valid(lock, 0);
	const struct belief *b = history_belief_in(k->world, lock);
	struct history *h = &k->world->history;
	int at = h->n_grants - 1;
	uint64_t turn = 0;

	if (!valid || b->mode == DBLOCK_PERMITS)
		return;
	while (at > 0 && h->grants[at].nonce != b->nonce)
		at--;
	if (b->token > h->grants[at].token && b->token <= h->grants[at].last)
		turn = (uint64_t)(b->token - h->grants[at].token);
	schedule_event(k->world, k->world->now + chance(k, 10, one_in(k, 4) ? 3000000 : 2000),
		       b->mode == DBLOCK_EXCLUSIVE ? write_arrives : read_arrives, NULL,
		       (uint64_t)at | turn << 32);
}

/* ---- administration ------------------------------------------------------------------------- */

static void by_token(struct worker *k)
{
	struct world *w = k->world;
	int name = (int)chance(k, 0, w->n_names - 1);
	int64_t token = w->history.names[name].token;
	struct dblock_error err = {0};
	int rc;

	if (token == 0)
		return;
	if (w->modes)
		token = history_token(w, name, (int)chance(k, 0, 3));
	if (one_in(k, 4)) {
		COUNT(w, token_releases);
		rc = take_token(k->process, name, token, &err);
	} else {
		COUNT(w, token_extends);
		rc = dblock_extend_token(k->process->client, client_name(name), token, any_lease(k),
					 &err);
	}
	client_expect(k->process, "by token", rc, &err);
}

static void reap(struct worker *k)
{
	struct dblock_reap_options o = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_error err = {0};
	int rc;

	o.purge_after_ms = one_in(k, 2) ? -1 : chance(k, 1, 1000);
	o.canceled = is_ending;
	o.canceled_arg = k->world;
	rc = dblock_reap(k->process->client, &o, NULL, &err);
	COUNT(k->world, reaps);
	client_expect(k->process, "reap", rc, &err);
}

static int found(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 0;
}

static void list(struct worker *k)
{
	struct dblock_error err = {0};
	int rc = dblock_list(k->process->client, NULL, found, NULL, &err);

	COUNT(k->world, lists);
	client_expect(k->process, "list", rc, &err);
}

/* ---- a day's work --------------------------------------------------------------------------- */

static void step_with(struct worker *k, struct dblock_lock *lock)
{
	if (one_in(k, 3))
		release(k, lock);
	else if (has_lease(k, lock) && !one_in(k, 3))
		extend(k, lock);
	else if (k->world->modes && one_in(k, 4))
		modes_upgrade(k->process, lock, chance(k, 1, one_in(k, 3) ? 100 : 3000));
	else if (k->world->modes && one_in(k, 6))
		modes_downgrade(k->process, lock);
	else
		write_guarded(k, lock);
}

static void step(struct worker *k)
{
	int64_t dice = chance(k, 0, 99);
	struct dblock_lock *lock = any_held(k);

	if (dice < 45 && lock)
		step_with(k, lock);
	else if (dice < 65)
		acquire(k, true);
	else if (dice < 78)
		acquire(k, false);
	else if (dice < 82)
		by_token(k);
	else if (dice < 84)
		take_any(k->process);
	else if (dice < 86)
		reap(k);
	else if (dice < 88)
		list(k);
	else if (dice < 90)
		rate_any(k->process);
	else if (dice >= 91 && k->world->resizes)
		modes_resize(k->process);
	else
		client_sleep(k->process,
			     one_in(k, 8) ? chance(k, 1000, 2000000) : chance(k, 100, 100000));
}

void client_work(struct process *p)
{
	struct worker k = {.process = p, .world = p->world};

	for (int steps = 0; steps < STEPS_MAX && !p->world->ending; steps++)
		step(&k);
	while (k.n_held > 0)
		release(&k, k.held[0]);
}
