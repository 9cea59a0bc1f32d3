/* SPDX-License-Identifier: MIT */
/*
 * The channel of a client: one more connection, with a thread that waits on it for notifications
 * from those whom no datagram reaches. It is opened when the client's first call waits, and closed
 * with the client. What goes wrong with it costs time only.
 *
 *   PostgreSQL  The thread listens on a channel of the database's (LISTEN, which holds nothing
 *               while it is idle). A notification says the nonce and the token of a grant.
 *   MySQL       The thread sleeps in SQL, a second at a time, as long as somebody waits; who
 *               notifies interrupts that. Then, and each second, one statement reads what this
 *               client's waits were granted: slow, but it works where nobody may interrupt.
 *
 * On PostgreSQL the channel works (dbl_channel_works) once its own notification, sent by the work
 * connection, has come. Behind a pooler that shares connections there is none: LISTEN would succeed
 * there, stay behind, and hear nothing.
 * Inside src/lock.
 */
#ifndef DBL_LOCK_CHANNEL_H
#define DBL_LOCK_CHANNEL_H

#include "lock/core/context.h"

struct dbl_channel;

/* shares: it uses the work connection, while nobody else does. Starts the thread, and does not wait for the connection. NULL: no memory, or no thread. */
struct dbl_channel *dbl_channel_new(struct dbl_locks *, bool shares);

/* Tells the thread to end, and does not wait for that. NULL is allowed, also below. */
void dbl_channel_stop(struct dbl_channel *);

/* Waits until the thread has ended: half the client's timeout at most after it was told. */
void dbl_channel_free(struct dbl_channel *);

/* 32 hexadecimal digits, which live as long as the channel. */
const char *dbl_channel_name(const struct dbl_channel *);

/* Under locks->mutex: notifications come through, as far as is known; a call begins to wait. */
bool dbl_channel_works(const struct dbl_channel *);
void dbl_channel_needed(struct dbl_channel *);

/* Notifies another client by its channel: one statement on the work connection, and one more for
 * each connection that has to be interrupted. False: that may not have arrived. */
bool dbl_channel_notify(struct dbl_locks *, const char *name, int64_t nonce, int64_t token);

#endif
