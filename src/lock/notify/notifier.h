/* SPDX-License-Identifier: MIT */
/*
 * How waiting calls are woken. A waiting call is known here by the nonce of its wait; whoever
 * notifies it says that nonce and the token of the grant. That is believed, as nobody else knows
 * the nonce. A lost notification costs time only, since a waiting call also looks by itself.
 *
 * There are two ways, and the waiter's row has the address for both: a datagram to this process's
 * socket, for those who are on the same machine; for all others the client's channel in the
 * database (channel.h). Inside src/lock.
 */
#ifndef DBL_LOCK_NOTIFIER_H
#define DBL_LOCK_NOTIFIER_H

#include "base/socket.h"
#include "lock/core/context.h"

/* By what a waiting call was notified. */
enum dbl_way { DBL_WAY_NONE, DBL_WAY_THREAD, DBL_WAY_DATAGRAM, DBL_WAY_DATABASE };

/* One waiting call, as whoever notifies it finds it. */
struct dbl_waiter {
	struct dbl_waiter *next;
	int64_t nonce;         /* 0: the call is not in the queue */
	int64_t granted;       /* token of the grant, as notified; 0: none yet */
	enum dbl_way way;      /* by which that came; it stays when the word has been taken */
	bool hinted;           /* a holder's process may have ended: ask for its mark */
	bool is_bell;          /* it has no row of the queue: bell.h */
	struct dbl_cond woken; /* signaled when it is notified */
	atomic_bool listens;   /* or it listens at a socket: dbl_notifier_sleep() */
	int alarm;             /* likewise a descriptor, for a caller's loop; -1: none */
};

/* NULL: no memory. The notifier is to be stopped, and ended, before it is freed. */
struct dbl_notifier *dbl_notifier_new(void);
void dbl_notifier_free(struct dbl_notifier *);

/* Turns ways (DBLOCK_WAKE_*) off; shares: the channel may not have a connection of its own. To be called
 * right after opening. */
void dbl_notifier_without(struct dbl_locks *, unsigned ways, bool shares);

/* Not 0: no memory. */
int dbl_waiter_init(struct dbl_waiter *);
void dbl_waiter_fini(struct dbl_waiter *);

/* Makes the waiter known under this nonce, not yet notified. */
void dbl_notifier_add(struct dbl_locks *, struct dbl_waiter *, int64_t nonce);
void dbl_notifier_remove(struct dbl_locks *, struct dbl_waiter *);

/* Under the mutex: the newest waiter; `next` leads to the others. */
const struct dbl_waiter *dbl_notifier_first(const struct dbl_locks *);

/* Under the mutex: makes each waiting call look once more. */
void dbl_notifier_wake_all(struct dbl_locks *);

/* The address in a waiter's row: "SOCKET CHANNEL"; each may be missing, and the space with it. */
#define DBL_WAKE_ADDRESS_MAX (DBL_SOCKET_ADDRESS_MAX + 1 + 32)

/* Writes where this client can be notified; "": nowhere. The first call that `opens` opens socket
 * and channel. `sleeps`: a waiter whose thread will be in dbl_notifier_sleep(), or NULL; it may have a
 * socket for itself. */
void dbl_notifier_address(struct dbl_locks *, bool opens, struct dbl_waiter *sleeps,
			  char text[DBL_WAKE_ADDRESS_MAX]);

/* The token of the grant of which the waiter was notified, or 0; at a socket of its own, too, where it has
 * not heard it, as it did not sleep. */
int64_t dbl_notifier_granted(struct dbl_locks *, struct dbl_waiter *);

/* What was sent for a waiter may yet arrive, or its row may be left, and be granted when nobody waits
 * any more: the client shall hear of that. */
void dbl_notifier_may_come_late(struct dbl_locks *);

/* Under the mutex, which is given up meanwhile: sleeps until the waiter is woken, or until then, or
 * for no reason. */
void dbl_notifier_sleep(struct dbl_locks *, struct dbl_waiter *, int64_t until);

/* Clients on that host can notify this one, as far as is known. */
bool dbl_notifier_reaches(struct dbl_locks *, const char *host);

/* Hints all waiting calls when the process of that mark may have ended. False: nobody does. */
bool dbl_notifier_watch(struct dbl_locks *, const char *mark);

/* Was this call hinted so since the last time that it took that? */
bool dbl_notifier_take_hint(struct dbl_locks *, struct dbl_waiter *);

/* In the place of a token: nothing is granted yet, but may be. */
#define DBL_NOTIFY_LOOK 1

/* Wakes the call that waits with this nonce, here or elsewhere: it has been granted the lock, with
 * this token. No round trip unless a channel has to be notified. */
void dbl_notifier_tell(struct dbl_locks *, const char *text, int64_t nonce, int64_t token);

/* Likewise for calls of this client only; false: no such call waits here (any more). Any thread. */
bool dbl_notifier_tell_own(struct dbl_locks *, int64_t nonce, int64_t token, enum dbl_way);

/* Somebody has interrupted the channel's sleep, and nobody can say for whom: bells look. */
void dbl_notifier_tell_bells(struct dbl_locks *);

/* The call was granted the lock: counts by what it had been notified; if by nothing, and it has slept,
 * that it has found out by itself. */
void dbl_notifier_count(struct dbl_locks *, const struct dbl_waiter *, bool slept);

/* Opens the socket at which holders are asked to let go: see request.h. True: this call did. */
bool dbl_notifier_listen(struct dbl_locks *);

/* Tells the clients of that process, as far as they listen and a datagram reaches them: the holder
 * of the grant with this token is asked to let go. No round trip. */
void dbl_notifier_asked(struct dbl_locks *, const char *host, int64_t pid, int64_t token);

/* Likewise, for a grant that goes from thread to thread there, or is idle: somebody else wants it.
 * False: there is no way to tell them. */
bool dbl_notifier_wanted(struct dbl_locks *, const char *host, int64_t pid, int64_t token);

/* Likewise: the grant with this token has been taken away. */
void dbl_notifier_revoked(struct dbl_locks *, const char *host, int64_t pid, int64_t token);

/* Ends the thread that listens at the socket, and tells the channel's to end. */
void dbl_notifier_stop(struct dbl_locks *);

/* Waits for the channel's end, half the client's timeout at most. It uses link and session. */
void dbl_notifier_end(struct dbl_locks *);

#endif
