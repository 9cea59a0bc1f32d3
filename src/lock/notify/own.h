/* SPDX-License-Identifier: MIT */
/* The state of the notifier: src/lock/notify alone, and its tests. */
#ifndef DBL_LOCK_NOTIFY_OWN_H
#define DBL_LOCK_NOTIFY_OWN_H

#include "base/socket.h"
#include "lock/notify/notifier.h"

/* The content of a datagram: both processes are on one machine, so bytes are as in memory. */
struct dbl_datagram {
	int64_t nonce, token;
};

/* In the place of a nonce, which is positive: whoever holds the grant with this token is asked to
 * let go, or is told that somebody waits for the lock, or that the grant was taken away. Strangers
 * do not know the token; who does can only make us read what is asked. */
enum { DBL_SAYS_ASKED = -1, DBL_SAYS_WANTED = -2, DBL_SAYS_REVOKED = -3 };

/* Under locks->mutex. */
struct dbl_notifier {
	unsigned wake_off; /* ways not to be used: DBLOCK_WAKE_* */
	struct dbl_waiter *waiting;
	struct dbl_socket *socket; /* NULL: not opened yet (locks->listens), or not to be had */
	struct dbl_thread listener;
	/* A second socket, at which a thread that waits listens itself: no other thread has to be woken
	 * first. It is one waiter's at a time; all others are notified at the first. */
	struct dbl_socket *direct;
	bool direct_tried;
	bool direct_is_shared; /* the listener listens there as well: it is nobody's any more */
	struct dbl_waiter *direct_of;
	int marks; /* what watches marks: > 0; the socket's */
	bool marks_tried;
	struct dbl_channel *channel; /* likewise (channel_tried) */
	bool channel_tried;
	bool shares; /* the channel has no connection of its own */
};

/* listen.c, under the mutex: the socket to notify by and to be notified at, opened where need be; or
 * NULL. */
struct dbl_socket *dbl_have_socket(struct dbl_locks *);

/* listen.c, under the mutex: where this waiter is to be notified (see dbl_notifier_address()); or
 * NULL. */
const struct dbl_socket *dbl_socket_of(struct dbl_locks *, struct dbl_waiter *sleeps);

/* listen.c: the listener ends, and the sockets are closed. */
void dbl_listen_stop(struct dbl_notifier *);

/* notifier.c, under the mutex: ends its sleep, or the next one. */
void dbl_waiter_wake(struct dbl_locks *, struct dbl_waiter *);

/* hint.c: hint all that wait. */
void dbl_hint_all(struct dbl_locks *);

/* ring.c: say that on a channel, by then. False: it could not be said. */
bool dbl_channel_say(struct dbl_locks *, const char *channel, const char *what, int64_t until);

#endif
