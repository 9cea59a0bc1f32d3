/* SPDX-License-Identifier: MIT */
#include "lock/bells.h"

#include "base/alarm.h"

/* What a ring says: both processes are on one machine, so the bytes are as they stand in memory. */
struct ring {
	int64_t nonce, token;
};

int dbl_waiter_init(struct dbl_waiter *waiter)
{
	*waiter = (struct dbl_waiter){.alarm = -1};
	return dbl_cond_init(&waiter->woken);
}

void dbl_waiter_fini(struct dbl_waiter *waiter)
{
	dbl_alarm_free(waiter->alarm);
	dbl_cond_fini(&waiter->woken);
}

void dbl_bells_add(struct dbl_locks *locks, struct dbl_waiter *waiter, int64_t nonce)
{
	dbl_lock(&locks->mutex);
	waiter->nonce = nonce;
	waiter->granted = 0;
	waiter->next = locks->waiting;
	locks->waiting = waiter;
	dbl_unlock(&locks->mutex);
}

void dbl_bells_remove(struct dbl_locks *locks, struct dbl_waiter *waiter)
{
	struct dbl_waiter **at = &locks->waiting;

	dbl_lock(&locks->mutex);
	while (*at && *at != waiter)
		at = &(*at)->next;
	if (*at)
		*at = waiter->next;
	waiter->nonce = 0;
	waiter->granted = 0;
	dbl_unlock(&locks->mutex);
}

bool dbl_bells_tell(struct dbl_locks *locks, int64_t nonce, int64_t token)
{
	struct dbl_waiter *waiter;

	dbl_lock(&locks->mutex);
	for (waiter = locks->waiting; waiter && waiter->nonce != nonce; waiter = waiter->next)
		;
	if (waiter) {
		waiter->granted = token;
		dbl_alarm_ring(waiter->alarm);
		dbl_cond_wake(&waiter->woken);
	}
	dbl_unlock(&locks->mutex);
	return waiter != NULL;
}

static void *listen(void *arg)
{
	struct dbl_locks *locks = arg;
	struct ring ring;
	size_t n;

	while ((n = dbl_bell_listen(locks->bell, &ring, sizeof(ring))) > 0)
		if (n == sizeof(ring) && ring.token > 0)
			(void)dbl_bells_tell(locks, ring.nonce, ring.token);
	return NULL;
}

/* Under the mutex. */
static void start(struct dbl_locks *locks)
{
	locks->bell = dbl_bell_new();
	if (locks->bell && dbl_thread_start(&locks->listener, listen, locks)) {
		dbl_bell_free(locks->bell);
		locks->bell = NULL;
	}
}

const char *dbl_bells_address(struct dbl_locks *locks)
{
	const char *address;

	dbl_lock(&locks->mutex);
	if (!locks->bell_tried)
		start(locks);
	locks->bell_tried = true;
	address = locks->bell ? dbl_bell_address(locks->bell) : "";
	dbl_unlock(&locks->mutex);
	return address;
}

void dbl_bells_ring(struct dbl_locks *locks, const char *address, int64_t nonce, int64_t token)
{
	struct ring ring = {nonce, token};

	if (dbl_bells_tell(locks, nonce, token))
		return;
	(void)dbl_bells_address(locks);
	(void)dbl_bell_ring(locks->bell, address, &ring, sizeof(ring));
}

void dbl_bells_stop(struct dbl_locks *locks)
{
	if (!locks->bell)
		return;
	dbl_bell_dismiss(locks->bell);
	dbl_thread_join(&locks->listener);
	dbl_bell_free(locks->bell);
	locks->bell = NULL;
}
