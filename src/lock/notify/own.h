/* SPDX-License-Identifier: MIT */
/* The state of the notifier: src/lock/notify alone, and its tests. */
#ifndef DBL_LOCK_NOTIFY_OWN_H
#define DBL_LOCK_NOTIFY_OWN_H

#include "base/socket.h"
#include "lock/notify/notifier.h"

/* Under locks->mutex. */
struct dbl_notifier {
	unsigned wake_off; /* ways not to be used: DBLOCK_WAKE_* */
	struct dbl_waiter *waiting;
	struct dbl_socket *socket; /* NULL: not opened yet (locks->listens), or not to be had */
	struct dbl_thread listener;
	int marks; /* what watches marks: > 0; the socket's */
	bool marks_tried;
	struct dbl_channel *channel; /* likewise (channel_tried) */
	bool channel_tried;
	bool shares; /* the channel has no connection of its own */
};

/* notifier.c, under the mutex: the socket to notify by and to be notified at, opened where need be; or
 * NULL. */
struct dbl_socket *dbl_have_socket(struct dbl_locks *);

/* hint.c: hint all that wait. */
void dbl_hint_all(struct dbl_locks *);

/* ring.c: say that on a channel, by then. False: it could not be said. */
bool dbl_channel_say(struct dbl_locks *, const char *channel, const char *what, int64_t until);

#endif
