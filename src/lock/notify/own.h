/* SPDX-License-Identifier: MIT */
/* How waiting calls are woken: src/lock/notify alone, and its tests. */
#ifndef DBL_LOCK_NOTIFY_OWN_H
#define DBL_LOCK_NOTIFY_OWN_H

#include "base/socket.h"
#include "lock/notify/notifier.h"

/* Under locks->mutex. */
struct dbl_notifier {
	unsigned wake_off; /* DBLOCK_WAKE_*: ways not to be used */
	struct dbl_waiter *waiting;
	struct dbl_socket *socket; /* NULL: there is none (yet: locks->listens) */
	struct dbl_thread listener;
	struct dbl_channel *channel; /* likewise */
	bool channel_tried;
};

#endif
