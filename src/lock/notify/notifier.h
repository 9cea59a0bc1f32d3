/* SPDX-License-Identifier: MIT */
/*
 * How waiting calls are woken. Each is known here by the nonce of its wait; whoever rings says that
 * nonce and the token of the grant. That is believed: nobody else knows the nonce. A ring that is
 * lost costs time only, since a waiting call also looks by itself.
 *
 * There are two ways, and the waiter's row says both: a datagram to this process's socket, for
 * those who are on the same machine; for all others the client's channel (channel.h), a channel
 * of the database's. Inside src/lock.
 */
#ifndef DBL_LOCK_NOTIFIER_H
#define DBL_LOCK_NOTIFIER_H

#include "base/socket.h"
#include "lock/core/context.h"

/* One waiting call, as it is found by who rings. */
struct dbl_waiter {
	struct dbl_waiter *next;
	int64_t nonce;         /* 0: it is not in the queue */
	int64_t granted;       /* token of the grant, as rung; 0: not yet */
	struct dbl_cond woken; /* it has been granted */
	int alarm;             /* likewise, a descriptor, for a loop of the caller's; -1: none */
};

/* NULL: no memory. To be stopped, and ended, before it is freed. */
struct dbl_notifier *dbl_notifier_new(void);
void dbl_notifier_free(struct dbl_notifier *);

/* DBLOCK_WAKE_*: these ways are not to be used. Right after opening. */
void dbl_notifier_without(struct dbl_locks *, unsigned ways);

/* Not 0: no memory. */
int dbl_waiter_init(struct dbl_waiter *);
void dbl_waiter_fini(struct dbl_waiter *);

/* Make it known under this nonce; not yet rung. */
void dbl_notifier_add(struct dbl_locks *, struct dbl_waiter *, int64_t nonce);
void dbl_notifier_remove(struct dbl_locks *, struct dbl_waiter *);

/* Under the mutex: the newest, then `next`. */
const struct dbl_waiter *dbl_notifier_first(const struct dbl_locks *);

/* Under the mutex: each of them looks once more. */
void dbl_notifier_wake_all(struct dbl_locks *);

/* What a waiter's row says: "SOCKET CHANNEL", where each may be missing, and with it the space. */
#define DBL_WAKE_ADDRESS_MAX (DBL_SOCKET_ADDRESS_MAX + 1 + 32)

/* Where this client can be rung: "" if it cannot. The first call that opens opens socket and
 * doorbell.
 */
void dbl_notifier_address(struct dbl_locks *, bool opens, char text[DBL_WAKE_ADDRESS_MAX]);

/* Can who is on that host ring here, as far as can be told? */
bool dbl_notifier_reaches(struct dbl_locks *, const char *host);

/* Instead of a token: nothing is granted yet, but may be. */
#define DBL_NOTIFY_LOOK 1

/* Wake who waits with this nonce, here or there: it has been granted the lock, with this token. No
 * round trip unless a channel has to be notified. */
void dbl_notifier_tell(struct dbl_locks *, const char *text, int64_t nonce, int64_t token);

/* Of our own; false: no such call waits here (any more). Any thread. */
bool dbl_notifier_tell_own(struct dbl_locks *, int64_t nonce, int64_t token);

/* From now on we can be rung by who asks us to let go: see request.h. True: that is so since this
 * call only. */
bool dbl_notifier_listen(struct dbl_locks *);

/* Wake the clients of that process, as far as they listen and a datagram reaches them: the holder
 * of the grant with this token is asked to let go. No round trip. */
void dbl_notifier_asked(struct dbl_locks *, const char *host, int64_t pid, int64_t token);

/* Likewise, for a grant that goes from thread to thread there, or is kept: somebody else wants it.
 * False: there is no way to tell them. */
bool dbl_notifier_wanted(struct dbl_locks *, const char *host, int64_t pid, int64_t token);

/* Likewise: the grant with this token has been taken away. */
void dbl_notifier_revoked(struct dbl_locks *, const char *host, int64_t pid, int64_t token);

/* Ends the thread that listens to the socket; the channel's begins to end. */
void dbl_notifier_stop(struct dbl_locks *);

/* The doorbell is gone. It uses link and session; what it has begun ends within half of the
 * client's timeout. */
void dbl_notifier_end(struct dbl_locks *);

#endif
