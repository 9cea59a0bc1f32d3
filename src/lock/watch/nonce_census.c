/* SPDX-License-Identifier: MIT */
#include "lock/watch/nonce_census.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lock/core/name.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"

uint64_t dbl_census_hash(const char *name, size_t len)
{
	uint64_t h = dbl_name_hash(name, len);

	return h ? h : 1;
}

static int compare(const void *a, const void *b)
{
	const struct dbl_nonce_use *x = a, *y = b;

	if (x->nonce != y->nonce)
		return x->nonce < y->nonce ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static int compare_nonces(const void *a, const void *b)
{
	int64_t x = ((const struct dbl_nonce_use *)a)->nonce,
		y = ((const struct dbl_nonce_use *)b)->nonce;

	return (x > y) - (x < y);
}

bool dbl_census_has(const struct dbl_census *census, int64_t nonce)
{
	struct dbl_nonce_use key = {.nonce = nonce};

	return census->n && bsearch(&key, census->all, census->n, sizeof(key), compare_nonces);
}

struct dbl_nonce_use *dbl_census_find(const struct dbl_census *census, int64_t nonce, uint64_t name)
{
	DBL_ASSERT(name != 0); /* 0 is a waiter's, of any name */
	struct dbl_nonce_use key = {.nonce = nonce, .name = name};

	return census->n ? bsearch(&key, census->all, census->n, sizeof(key), compare) : NULL;
}

bool dbl_census_at_rest(const struct dblock_lock *lock)
{
	bool rests = !lock->changing && lock->in_tx == DBL_IN_TX_NOT;

	DBL_ASSERT_HELD(&lock->locks->mutex);
	for (unsigned i = 0; i < lock->n_parts; i++)
		rests = rests && lock->parts[i]->in_tx == DBL_IN_TX_NOT;
	return rests;
}

static void add(struct dbl_census *census, int64_t nonce, uint64_t name)
{
	DBL_ASSERT(nonce >= 0, "%lld", (long long)nonce);
	if (nonce)
		census->all[census->n++] = (struct dbl_nonce_use){.nonce = nonce, .name = name};
}

static size_t count(const struct dbl_locks *locks)
{
	size_t n = 0;

	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next)
		n += 2;
	for (const struct dbl_waiter *w = dbl_notifier_first(locks); w; w = w->next)
		n++;
	return n;
}

/* Under the mutex. False: no memory. */
static bool note_all(const struct dbl_locks *locks, struct dbl_census *census)
{
	census->n = 0;
	census->all = dbl_alloc((count(locks) + 1) * sizeof(*census->all));
	if (!census->all)
		return false;
	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next) {
		add(census, l->grant.nonce, dbl_census_hash(l->name, strlen(l->name)));
		add(census, l->nonce_to_come, dbl_census_hash(l->name, strlen(l->name)));
	}
	for (const struct dbl_waiter *w = dbl_notifier_first(locks); w; w = w->next)
		add(census, w->nonce, 0);
	DBL_ASSERT(census->n <= count(locks), "%zu", census->n); /* there was room for all */
	qsort(census->all, census->n, sizeof(*census->all), compare);
	return true;
}

static void note_out(const struct dbl_census *census, const struct dblock_lock *lock)
{
	struct dbl_nonce_use *use = dbl_census_find(
		census, lock->grant.nonce, dbl_census_hash(lock->name, strlen(lock->name)));

	if (use)
		use->out = true;
}

/* Under the mutex: does a handle that is not out, or not at rest, have a nonce since before the
 * loss? Its request may still be under way. */
static bool is_in_flight(const struct dbl_locks *locks, const struct dbl_census *census)
{
	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next) {
		const struct dbl_nonce_use *use = dbl_census_find(
			census, l->grant.nonce, dbl_census_hash(l->name, strlen(l->name)));

		if (use && !use->out && l->serial <= locks->watchdog->serial_at_loss)
			return true;
	}
	return false;
}

bool dbl_census_note(struct dbl_locks *locks, struct dbl_census *census)
{
	bool noted;

	dbl_lock(&locks->mutex);
	noted = note_all(locks, census);
	for (struct dblock_lock *l = dbl_handle_out(locks); noted && l; l = l->next) {
		if (!dbl_census_at_rest(l))
			continue;
		for (unsigned i = 0; i < l->n_parts; i++)
			note_out(census, l->parts[i]);
		note_out(census, l);
	}
	census->in_flight = noted && is_in_flight(locks, census);
	dbl_unlock(&locks->mutex);
	return noted;
}
