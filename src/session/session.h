/* SPDX-License-Identifier: MIT */
/* The client's session: a row in the database, kept alive by a heartbeat thread with a connection
 * of its own. One heartbeat every ttl/3 renews whatever the client holds, one lock or 100 000. When
 * an epoch is over (found dead, or past its deadline), the heartbeat thread marks it dead and
 * begins another; the grants of the old one are lost, the client goes on. */
#ifndef DBL_SESSION_SESSION_H
#define DBL_SESSION_SESSION_H

#include <string.h>

#include "base/host.h"
#include "base/mem.h"
#include "link/link.h"
#include "session/epoch.h"

struct dbl_cleanup;
struct dbl_session;

struct dbl_session_options {
	int64_t ttl;             /* us */
	int64_t timeout;         /* us: the bound of one request */
	const char *app;         /* NULL: the program's name; it is read only while opening */
	struct dbl_link *lender; /* whose connection heartbeats use; NULL: one of their own */
	bool parks;   /* the lender's connection is closed while nobody needs it, as `idle` says */
	int alive_fd; /* of the mark (base/mark.h); 0: one of this process; -1: none */
	/* Callbacks to higher floors. This one is called on the heartbeat thread after each
	 * heartbeat, with no mutex held; so are the next three. */
	void (*beaten)(void *ctx, struct dbl_link *, int64_t deadline);
	/* Called before that one, and only right after a heartbeat: as long as the link keeps this
	 * connection, what is read on it is not stale. */
	void (*proven)(void *ctx, struct dbl_link *, int64_t deadline);
	/* Called for each cleanup that is pending. True: nothing is left to be done. */
	bool (*clean_up)(void *ctx, struct dbl_cleanup *, struct dbl_link *, int64_t deadline);
	/* Called when a heartbeat, or the opening of an epoch, tells that somebody asks this
	 * process for something; `beaten` follows. It is also called while opening. */
	void (*asked)(void *ctx);
	/* Called on the heartbeat thread when a heartbeat tells that something is taken away from
	 * that session. It reads what that is, and acts, before the answer puts the deadline off.
	 * Not 0: it could not be read. NULL: nobody is called. */
	int (*revoked)(void *ctx, struct dbl_link *, const char *session, int64_t deadline,
		       struct dblock_error *err);
	/* Called on the heartbeat thread: does nobody need a connection now? */
	bool (*idle)(void *ctx);
	/* Called on the heartbeat thread when an epoch was found over. Once it has returned, by
	 * `until` at the latest, the database is told, which lets others in. */
	void (*ended)(void *ctx, int64_t until);
	/* Called on the heartbeat thread, or while opening, when the database is on another server
	 * than before: what other connections lead to may not be it, and may be silent. It is that
	 * host, from 0, where the URL names several. */
	void (*moved)(void *ctx, unsigned host);
	/* Called on the heartbeat thread with what has become of a heartbeat that was sent, and when it
	 * began. */
	void (*sent)(void *ctx, int64_t began, int rc);
	/* Called on the heartbeat thread: the session's state is another one; `why` is NULL where
	 * there is nothing to say. */
	void (*state)(void *ctx, enum dblock_connection_state, const struct dblock_error *why);
	void *ctx;
};

/* Connect, and write the row. The target must outlive the session. */
int dbl_session_open(struct dbl_session **, const struct dbl_target *,
		     const struct dbl_session_options *, int64_t deadline,
		     struct dblock_error *err);

/* Where heartbeats go another way than all else: does this link lead to the same database? To be
 * asked before the heartbeat thread is started. DBLOCK_E_INVALID: it does not. */
int dbl_session_meets(struct dbl_session *, struct dbl_link *, int64_t deadline,
		      struct dblock_error *err);

/* Start the heartbeat thread, which may call the options' functions at once: a process that was
 * stopped here for a while comes back to a heartbeat that is due. */
int dbl_session_start(struct dbl_session *, struct dblock_error *err);

/* Tell the heartbeat thread to stop, and to do nothing past `until`. This does not wait for the
 * thread, and dbl_session_close() still has to be called. */
void dbl_session_stop(struct dbl_session *, int64_t until);

/* The same, and from now on no request of it is tried again, as by dbl_link_once(). */
void dbl_session_hasten(struct dbl_session *, int64_t until);

/* Stop the heartbeat thread and end the session in the database: its row is deleted if the caller
 * knows that nothing names it, else marked dead, so that what it held is free. NULL is allowed. */
void dbl_session_close(struct dbl_session *, bool nothing_held, int64_t deadline);

/* Let the heartbeat thread do its errands within so many us, not only with the next heartbeat. */
void dbl_session_errand(struct dbl_session *, int64_t within);

/* Let the heartbeat thread send a heartbeat now. */
void dbl_session_hurry(struct dbl_session *);

/* The same, but no more than about ten times a second, however many callers ask. */
void dbl_session_beat_soon(struct dbl_session *);

/* The current epoch, with a reference for the caller. If the last one is over, this waits until the
 * deadline for a new one. */
int dbl_session_epoch(struct dbl_session *, int64_t deadline, struct dbl_epoch **,
		      struct dblock_error *err);

/* Send a heartbeat, and wait until `enough` us of the epoch are left, it is over, or the deadline. */
void dbl_session_await_beat(struct dbl_session *, struct dbl_epoch *, int64_t enough,
			    int64_t deadline);

/* The state at this moment; the id of the epoch that there is, or was last. */
enum dblock_connection_state dbl_session_state(struct dbl_session *);
void dbl_session_id(struct dbl_session *, char id[DBLOCK_SESSION_ID_SIZE]);

/* Why no heartbeat of that epoch gets through, or got through at its end; "": nothing is known. */
void dbl_session_trouble(struct dbl_session *, const struct dbl_epoch *,
			 char text[DBL_TROUBLE_MAX]);

/* The session does not count as dead sooner than so many us after its process's end. */
void dbl_session_settle(struct dbl_session *, int64_t us);

/* A descriptor of its mark, to be handed on to programs; -1, and errno. */
int dbl_session_alive_fd(const struct dbl_session *);

/* This process, as the session's row describes it. Constant. */
const struct dbl_host *dbl_session_host(const struct dbl_session *);

/* A reading of the database's clock, and of our own clock before the request was sent and after its
 * answer had come. */
struct dbl_clock_sample {
	int64_t database;
	int64_t before, after;
};

/* Has the database's clock run like ours since the last heartbeat? If not, somebody has set it, and
 * it cannot tell whether something has expired. */
bool dbl_session_clock_agrees(struct dbl_session *, const struct dbl_clock_sample *now);

/* Unfinished business, tried at once and again with each heartbeat: a grant whose answer was lost
 * and that nobody has (token 0), or a release that could not be delivered. The note is written
 * before anything is sent that may call for it, so that no shortage of memory can lose it. */
struct dbl_cleanup {
	struct dbl_cleanup *next;
	int64_t token; /* 0: unknown */
	int64_t nonce;
	bool in_queue;    /* it waits, or its enqueue may still come */
	bool unannounced; /* it has left the queue, and that has not been said yet */
	bool left;        /* likewise, and nobody has looked who can get on */
	int64_t until;    /* no copy of the request can still be on its way */
	char name[];
};

/* NULL: no memory. */
static inline struct dbl_cleanup *dbl_cleanup_new(const char *name)
{
	size_t size = strlen(name) + 1;
	struct dbl_cleanup *cleanup = dbl_alloc(sizeof(*cleanup) + size);

	if (cleanup)
		memcpy(cleanup->name, name, size);
	return cleanup;
}

/* Frees a cleanup that was not needed. NULL is allowed. */
static inline void dbl_cleanup_free(struct dbl_cleanup *cleanup)
{
	dbl_free(cleanup);
}

/* The cleanup is the session's from now on: a grant that nobody has, by its token (0: any). */
void dbl_session_give_back(struct dbl_session *, struct dbl_cleanup *, int64_t token,
			   int64_t nonce);

/* Likewise, for a wait that may still be in the queue, or be granted what nobody wants. */
void dbl_session_leave_queue(struct dbl_session *, struct dbl_cleanup *, int64_t nonce);

#endif
