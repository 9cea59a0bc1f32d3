/* SPDX-License-Identifier: MIT */
#include "lock/watch/nonce_census.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lock/core/name.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"

uint64_t dbl_uses_hash(const char *name, size_t len)
{
	uint64_t h = dbl_name_hash(name, len);

	return h ? h : 1;
}

static int compare(const void *a, const void *b)
{
	const struct dbl_use *x = a, *y = b;

	if (x->nonce != y->nonce)
		return x->nonce < y->nonce ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static int compare_nonces(const void *a, const void *b)
{
	int64_t x = ((const struct dbl_use *)a)->nonce, y = ((const struct dbl_use *)b)->nonce;

	return (x > y) - (x < y);
}

bool dbl_uses_has(const struct dbl_uses *uses, int64_t nonce)
{
	struct dbl_use key = {.nonce = nonce};

	return uses->n && bsearch(&key, uses->all, uses->n, sizeof(key), compare_nonces);
}

/* Of equal ones any. */
struct dbl_use *dbl_uses_find(const struct dbl_uses *uses, int64_t nonce, uint64_t name)
{
	DBL_ASSERT(name != 0); /* 0 is a waiter's, of any name */
	struct dbl_use key = {.nonce = nonce, .name = name};

	return uses->n ? bsearch(&key, uses->all, uses->n, sizeof(key), compare) : NULL;
}

/* Under the mutex: its row, or rows, stay where they are. */
bool dbl_uses_at_rest(const struct dblock_lock *lock)
{
	bool rests = !lock->changing && lock->within == DBL_WITHIN_NOT;

	DBL_ASSERT_HELD(&lock->locks->mutex);
	for (unsigned i = 0; i < lock->n_parts; i++)
		rests = rests && lock->parts[i]->within == DBL_WITHIN_NOT;
	return rests;
}

static void add(struct dbl_uses *uses, int64_t nonce, uint64_t name)
{
	DBL_ASSERT(nonce >= 0, "%lld", (long long)nonce);
	if (nonce)
		uses->all[uses->n++] = (struct dbl_use){.nonce = nonce, .name = name};
}

static size_t count(const struct dbl_locks *locks)
{
	size_t n = 0;

	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next)
		n += 2;
	for (const struct dbl_waiter *w = dbl_bells_first(locks); w; w = w->next)
		n++;
	return n;
}

/* Under the mutex. False: no memory. */
static bool note_all(const struct dbl_locks *locks, struct dbl_uses *uses)
{
	uses->n = 0;
	uses->all = dbl_alloc((count(locks) + 1) * sizeof(*uses->all));
	if (!uses->all)
		return false;
	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next) {
		add(uses, l->grant.nonce, dbl_uses_hash(l->name, strlen(l->name)));
		add(uses, l->nonce_to_come, dbl_uses_hash(l->name, strlen(l->name)));
	}
	for (const struct dbl_waiter *w = dbl_bells_first(locks); w; w = w->next)
		add(uses, w->nonce, 0);
	DBL_ASSERT(uses->n <= count(locks), "%zu", uses->n); /* there was room for all */
	qsort(uses->all, uses->n, sizeof(*uses->all), compare);
	return true;
}

static void note_out(const struct dbl_uses *uses, const struct dblock_lock *lock)
{
	struct dbl_use *use = dbl_uses_find(uses, lock->grant.nonce,
					    dbl_uses_hash(lock->name, strlen(lock->name)));

	if (use)
		use->out = true;
}

/* Under the mutex: is any handle neither out nor without a request? */
static bool is_limbo(const struct dbl_locks *locks, const struct dbl_uses *uses)
{
	for (const struct dblock_lock *l = dbl_handle_first(locks); l; l = l->all_next) {
		const struct dbl_use *use = dbl_uses_find(uses, l->grant.nonce,
							  dbl_uses_hash(l->name, strlen(l->name)));

		if (use && !use->out && l->serial <= locks->watchdog->serial_at_loss)
			return true;
	}
	return false;
}

bool dbl_uses_note(struct dbl_locks *locks, struct dbl_uses *uses)
{
	bool noted;

	dbl_lock(&locks->mutex);
	noted = note_all(locks, uses);
	for (struct dblock_lock *l = dbl_handle_out(locks); noted && l; l = l->next) {
		if (!dbl_uses_at_rest(l))
			continue;
		for (unsigned i = 0; i < l->n_parts; i++)
			note_out(uses, l->parts[i]);
		note_out(uses, l);
	}
	uses->limbo = noted && is_limbo(locks, uses);
	dbl_unlock(&locks->mutex);
	return noted;
}
