/* SPDX-License-Identifier: MIT */
#include "lock/notify/notifier.h"

#include <stdio.h>
#include <string.h>

#include <dblock/client.h>

#include "base/alarm.h"
#include "base/mem.h"
#include "lock/notify/channel.h"
#include "lock/notify/own.h"

struct dbl_notifier *dbl_notifier_new(void)
{
	return dbl_alloc(sizeof(struct dbl_notifier));
}

void dbl_notifier_free(struct dbl_notifier *notify)
{
	DBL_ASSERT(!notify || (!notify->socket && !notify->channel)); /* stopped, and ended */
	DBL_ASSERT(!notify || !notify->waiting); /* a waiter would find no list to leave */
	dbl_free(notify);
}

void dbl_notifier_without(struct dbl_locks *locks, unsigned ways, bool shares)
{
	locks->notifier->wake_off = ways;
	locks->notifier->shares = shares;
}

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

void dbl_notifier_add(struct dbl_locks *locks, struct dbl_waiter *waiter, int64_t nonce)
{
	DBL_ASSERT(nonce > 0, "%lld",
		   (long long)nonce); /* others mean DBL_SAYS_ASKED and the like */
	dbl_lock(&locks->mutex);
	DBL_ASSERT(waiter->nonce == 0, "%lld",
		   (long long)waiter->nonce); /* only one wait at a time */
	waiter->nonce = nonce;
	waiter->granted = 0;
	waiter->way = DBL_WAY_NONE;
	waiter->next = locks->notifier->waiting;
	locks->notifier->waiting = waiter;
	if (locks->notifier->channel)
		dbl_channel_needed(locks->notifier->channel);
	dbl_unlock(&locks->mutex);
}

void dbl_notifier_remove(struct dbl_locks *locks, struct dbl_waiter *waiter)
{
	struct dbl_waiter **at = &locks->notifier->waiting;

	dbl_lock(&locks->mutex);
	while (*at && *at != waiter)
		at = &(*at)->next;
	/* A part of a wait for several names is not in the list: the whole wait is. */
	if (*at)
		*at = waiter->next;
	waiter->nonce = 0;
	waiter->granted = 0;
	if (locks->notifier->direct_of == waiter)
		locks->notifier->direct_of = NULL;
	dbl_unlock(&locks->mutex);
}

void dbl_waiter_wake(struct dbl_locks *locks, struct dbl_waiter *waiter)
{
	DBL_ASSERT_HELD(&locks->mutex);
	dbl_alarm_ring(waiter->alarm);
	dbl_cond_wake(&waiter->woken);
	if (atomic_load(&waiter->listens))
		dbl_socket_stir(locks->notifier->direct);
}

bool dbl_notifier_tell_own(struct dbl_locks *locks, int64_t nonce, int64_t token, enum dbl_way way)
{
	struct dbl_waiter *waiter;

	DBL_ASSERT(nonce != 0 && token > 0, "%lld", (long long)token); /* 0: no waiter */
	dbl_lock(&locks->mutex);
	for (waiter = locks->notifier->waiting; waiter && waiter->nonce != nonce;
	     waiter = waiter->next)
		;
	if (waiter) {
		waiter->granted = token;
		waiter->way = way;
		dbl_waiter_wake(locks, waiter);
	}
	dbl_unlock(&locks->mutex);
	return waiter != NULL;
}

void dbl_notifier_tell_bells(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	for (struct dbl_waiter *w = locks->notifier->waiting; w; w = w->next)
		if (w->is_bell) {
			w->granted = DBL_NOTIFY_LOOK;
			dbl_waiter_wake(locks, w);
		}
	dbl_unlock(&locks->mutex);
}

void dbl_notifier_count(struct dbl_locks *locks, const struct dbl_waiter *waiter, bool slept)
{
	struct dbl_tally *tally = locks->tally;
	enum dbl_way way;

	dbl_lock(&locks->mutex);
	way = waiter->way;
	dbl_unlock(&locks->mutex);
	if (way == DBL_WAY_THREAD)
		DBL_COUNT(tally, woken_by_thread);
	else if (way == DBL_WAY_DATAGRAM)
		DBL_COUNT(tally, woken_by_datagram);
	else if (way == DBL_WAY_DATABASE)
		DBL_COUNT(tally, woken_by_database);
	else if (slept)
		DBL_COUNT(tally, found_by_looking);
}

const struct dbl_waiter *dbl_notifier_first(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return locks->notifier->waiting;
}

void dbl_notifier_wake_all(struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	for (struct dbl_waiter *w = locks->notifier->waiting; w; w = w->next)
		dbl_waiter_wake(locks, w);
}

static bool may_use_channel(const struct dbl_locks *locks)
{
	unsigned way = locks->target->dialect->sleeps ? DBLOCK_WAKE_DOORBELL : DBLOCK_WAKE_NOTIFY;

	return dbl_db_hears(locks->target) && !(locks->notifier->wake_off & way);
}

/* Does what is said on a channel reach this client's own connection, or the one that all requests use? */
static bool may_listen(const struct dbl_locks *locks)
{
	return locks->notifier->shares ? !*locks->target->pooled : dbl_db_listens(locks->target);
}

/* Under the mutex: likewise the channel, opened where need be; or NULL. */
static struct dbl_channel *have_channel(struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	DBL_ASSERT(locks->notifier->channel_tried || !locks->notifier->channel);
	if (!locks->notifier->channel_tried && may_use_channel(locks) && may_listen(locks))
		locks->notifier->channel = dbl_channel_new(locks, locks->notifier->shares);
	locks->notifier->channel_tried = true;
	return locks->notifier->channel;
}

void dbl_notifier_address(struct dbl_locks *locks, bool opens, struct dbl_waiter *sleeps,
			  char text[DBL_WAKE_ADDRESS_MAX])
{
	const struct dbl_socket *socket;
	const struct dbl_channel *channel;

	dbl_lock(&locks->mutex);
	if (opens)
		(void)dbl_have_socket(locks);
	socket = dbl_socket_of(locks, sleeps);
	channel = opens ? have_channel(locks) : locks->notifier->channel;
	snprintf(text, DBL_WAKE_ADDRESS_MAX, "%s%s%s", socket ? dbl_socket_address(socket) : "",
		 channel ? " " : "", channel ? dbl_channel_name(channel) : "");
	dbl_unlock(&locks->mutex);
}

/* Clients that share a file share a machine. Else the name of the host has to do: at worst a
 * notification does not come, and the waiting call finds out by looking. */
static bool socket_reaches(const struct dbl_locks *locks, const char *host)
{
	return locks->notifier->socket &&
	       (locks->target->dialect->is_file || strcmp(host, locks->host->name) == 0);
}

bool dbl_notifier_reaches(struct dbl_locks *locks, const char *host)
{
	bool can;

	dbl_lock(&locks->mutex);
	can = socket_reaches(locks, host) ||
	      (locks->notifier->channel && dbl_channel_works(locks->notifier->channel));
	dbl_unlock(&locks->mutex);
	return can;
}

/* True: a datagram has been sent. */
static bool notify_socket(struct dbl_locks *locks, const char *address, int64_t nonce,
			  int64_t token)
{
	struct dbl_datagram datagram = {nonce, token};
	struct dbl_socket *own;

	if (!*address)
		return false;
	dbl_lock(&locks->mutex);
	own = dbl_have_socket(locks);
	dbl_unlock(&locks->mutex);
	return dbl_socket_send(own, address, &datagram, sizeof(datagram));
}

void dbl_notifier_tell(struct dbl_locks *locks, const char *text, int64_t nonce, int64_t token)
{
	char address[DBL_WAKE_ADDRESS_MAX];
	size_t len = strcspn(text, " ");

	if (dbl_notifier_tell_own(locks, nonce, token, DBL_WAY_THREAD))
		return;
	snprintf(address, sizeof(address), "%.*s", (int)len, text);
	if (notify_socket(locks, address, nonce, token))
		return;
	if (text[len] && may_use_channel(locks))
		(void)dbl_channel_notify(locks, text + len + 1, nonce, token);
}

/* False: no datagram gets there. */
static bool notify_process(struct dbl_locks *locks, const char *host, int64_t pid,
			   struct dbl_datagram datagram)
{
	struct dbl_socket *own = NULL;

	dbl_lock(&locks->mutex);
	if (dbl_have_socket(locks) && socket_reaches(locks, host))
		own = locks->notifier->socket;
	dbl_unlock(&locks->mutex);
	dbl_socket_send_process(own, pid, &datagram, sizeof(datagram));
	return own != NULL;
}

void dbl_notifier_asked(struct dbl_locks *locks, const char *host, int64_t pid, int64_t token)
{
	locks->hooks->asked(locks, token);
	(void)notify_process(locks, host, pid, (struct dbl_datagram){DBL_SAYS_ASKED, token});
}

bool dbl_notifier_wanted(struct dbl_locks *locks, const char *host, int64_t pid, int64_t token)
{
	locks->hooks->wanted(locks, token);
	return notify_process(locks, host, pid, (struct dbl_datagram){DBL_SAYS_WANTED, token});
}

void dbl_notifier_revoked(struct dbl_locks *locks, const char *host, int64_t pid, int64_t token)
{
	(void)notify_process(locks, host, pid, (struct dbl_datagram){DBL_SAYS_REVOKED, token});
}

void dbl_notifier_stop(struct dbl_locks *locks)
{
	struct dbl_notifier *notify = locks->notifier;

	dbl_lock(&locks->mutex);
	locks->listens = notify->channel_tried = true; /* none is opened from now on */
	dbl_unlock(&locks->mutex);
	dbl_listen_stop(notify);
	dbl_channel_stop(notify->channel);
}

void dbl_notifier_end(struct dbl_locks *locks)
{
	dbl_channel_free(locks->notifier->channel);
	locks->notifier->channel = NULL;
}
