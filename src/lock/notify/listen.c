/* SPDX-License-Identifier: MIT */
/* How this client hears datagrams: a thread listens at its socket; and who waits may listen itself, at
 * a second one, so that no other thread has to be woken first. */
#include <string.h>

#include <dblock/client.h>

#include "lock/notify/own.h"

/* One byte more shows that a datagram is too long. */
enum { ROOM = sizeof(struct dbl_datagram) + 1 };

static void take(struct dbl_locks *locks, const char bytes[ROOM], size_t n)
{
	struct dbl_datagram datagram;

	memcpy(&datagram, bytes, sizeof(datagram));
	if (n != sizeof(datagram) || datagram.token <= 0) /* no datagram of ours */
		return;
	if (datagram.nonce == DBL_SAYS_ASKED)
		locks->hooks->asked(locks, datagram.token);
	if (datagram.nonce == DBL_SAYS_WANTED)
		locks->hooks->wanted(locks, datagram.token);
	if (datagram.nonce == DBL_SAYS_REVOKED)
		locks->hooks->revoked(locks);
	if (datagram.nonce <= 0)
		return;
	/* Nobody waits for this grant any more: an enqueue came late, perhaps. The session knows
	 * what is to be given back. */
	if (!dbl_notifier_tell_own(locks, datagram.nonce, datagram.token, DBL_WAY_DATAGRAM))
		dbl_session_errand(locks->session, 0);
}

void dbl_notifier_sleep(struct dbl_locks *locks, struct dbl_waiter *waiter, int64_t until)
{
	int64_t left = until - dbl_now(locks->env);
	char bytes[ROOM];
	size_t n;

	if (left <= 0)
		return;
	if (locks->notifier->direct_of != waiter) {
		dbl_cond_wait(&waiter->woken, &locks->mutex, locks->env, until);
		return;
	}
	atomic_store(&waiter->listens, true);
	dbl_unlock(&locks->mutex);
	n = dbl_socket_hear(locks->notifier->direct, bytes, sizeof(bytes), left);
	atomic_store(&waiter->listens, false);
	if (n > 0)
		take(locks, bytes, n);
	dbl_lock(&locks->mutex);
}

static int64_t granted(struct dbl_locks *locks, const struct dbl_waiter *waiter, bool *direct)
{
	int64_t token;

	dbl_lock(&locks->mutex);
	token = waiter->granted;
	*direct = locks->notifier->direct_of == waiter;
	dbl_unlock(&locks->mutex);
	return token;
}

int64_t dbl_notifier_granted(struct dbl_locks *locks, struct dbl_waiter *waiter)
{
	char bytes[ROOM];
	bool direct;
	int64_t token = granted(locks, waiter, &direct);
	size_t n;

	if (token || !direct)
		return token;
	while ((n = dbl_socket_hear(locks->notifier->direct, bytes, sizeof(bytes), 0)) > 0)
		take(locks, bytes, n);
	return granted(locks, waiter, &direct);
}

static void *listen(void *arg)
{
	struct dbl_locks *locks = arg;
	char bytes[ROOM];
	size_t n;

	while ((n = dbl_socket_listen(locks->notifier->socket, bytes, sizeof(bytes))) > 0) {
		if (n == DBL_SOCKET_BESIDE) {
			dbl_hint_all(locks);
			continue;
		}
		take(locks, bytes, n);
	}
	return NULL;
}

struct dbl_socket *dbl_have_socket(struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	DBL_ASSERT(locks->listens || !locks->notifier->socket);
	if (locks->listens || locks->notifier->wake_off & DBLOCK_WAKE_SOCKET)
		return locks->notifier->socket;
	locks->listens = true;
	locks->notifier->socket = dbl_socket_new(true);
	if (locks->notifier->socket &&
	    dbl_thread_start(&locks->notifier->listener, listen, locks)) {
		dbl_socket_free(locks->notifier->socket);
		locks->notifier->socket = NULL;
	}
	return locks->notifier->socket;
}

const struct dbl_socket *dbl_socket_of(struct dbl_locks *locks, struct dbl_waiter *sleeps)
{
	struct dbl_notifier *n = locks->notifier;

	if (!n->socket || n->direct_of || n->direct_is_shared || !sleeps)
		return n->socket;
	if (!n->direct_tried)
		n->direct = dbl_socket_new(false);
	n->direct_tried = true;
	if (!n->direct)
		return n->socket;
	n->direct_of = sleeps;
	return n->direct;
}

void dbl_notifier_may_come_late(struct dbl_locks *locks)
{
	struct dbl_notifier *n = locks->notifier;

	dbl_lock(&locks->mutex);
	if (n->direct && !n->direct_is_shared) {
		n->direct_is_shared = true;
		dbl_socket_also(n->socket, n->direct);
	}
	dbl_unlock(&locks->mutex);
}

bool dbl_notifier_listen(struct dbl_locks *locks)
{
	bool before, after;

	dbl_lock(&locks->mutex);
	before = locks->notifier->socket != NULL;
	after = dbl_have_socket(locks) != NULL;
	dbl_unlock(&locks->mutex);
	return after && !before;
}

void dbl_listen_stop(struct dbl_notifier *notify)
{
	if (!notify->socket)
		return;
	dbl_socket_dismiss(notify->socket);
	dbl_thread_join(&notify->listener);
	dbl_socket_free(notify->socket);
	dbl_socket_free(notify->direct);
	notify->socket = notify->direct = NULL;
}
