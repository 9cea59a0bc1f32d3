/* SPDX-License-Identifier: MIT */
/*
 * A connection that is opened again after a loss, shared by any number of threads. Requests that
 * meet are sent together where they can be (see combiner.h, batch.h): while one batch is under way,
 * the next one is gathered. Where the dialect allows it and there are enough threads, batches go by
 * two connections, each for half of the names; all else goes by the first. A link knows operations,
 * but no locks.
 *
 * It connects when first needed and again after a loss, with backoff; it sends again what may be
 * sent again, inside the request's deadline:
 *   E_CONFLICT               always: the transaction is known to be gone
 *   E_UNAVAILABLE            always: nothing can have been changed
 *   E_READONLY               on a server, over another connection: somebody else may be primary
 *   E_UNSURE                 READ and AGAIN operations; then request->resent is set
 *   E_BLOCKED                not here: whether to wait for a row is the caller's decision
 */
#ifndef DBL_LINK_LINK_H
#define DBL_LINK_LINK_H

#include "link/combiner.h"

struct dbl_link;

/* So long after a connection was lost its request may still be carried out, while its packets, or a
 * server process that has not noticed, are there: TCP gives up after about a quarter of an hour. */
#define DBL_LATEST_ARRIVAL_US (20 * 60 * 1000000LL)

/* This does not connect yet. The target must outlive the link. */
int dbl_link_new(struct dbl_link **, const struct dbl_target *, struct dblock_error *err);
void dbl_link_free(struct dbl_link *); /* NULL is allowed; no other thread may be inside */

/* Connect now, unless it is connected; this fails at once if the database refuses. */
int dbl_link_connect(struct dbl_link *, int64_t deadline, struct dblock_error *err);

/* From now on commits need not be durable, if the target says so; also without a connection. */
int dbl_link_relax(struct dbl_link *, int64_t deadline, struct dblock_error *err);

/* It never opens a second connection from now on. To be set before other threads use the link. */
void dbl_link_single(struct dbl_link *);

/* It has no connection of its own from now on: it borrows the lender's, which is single and at least as
 * durable and outlives it, for each request, and waits so many us for it before it opens one, which it has
 * until dbl_link_round_over(). It goes before the lender's own requests that wait. One thread may use it. */
void dbl_link_borrow(struct dbl_link *, struct dbl_link *lender, int64_t patience);

/* Has the connection until dbl_link_idle_end(), to listen on it: *serial is another one where it is not
 * the same connection as the last time. Whoever else wants it sets the event meanwhile. */
int dbl_link_idle(struct dbl_link *, int event, int64_t deadline, struct dbl_db **,
		  uint64_t *serial);
void dbl_link_idle_end(struct dbl_link *);

/* It may borrow: closes the connection of its own that it has had to open, if it has. */
void dbl_link_round_over(struct dbl_link *);

/* It borrows: closes the lender's connection, unless somebody has it just now. The next turn opens
 * another one, which counts here as if this one had been lost. */
void dbl_link_park(struct dbl_link *);

/* Run one request. request->row runs while others wait: it must only copy. */
int dbl_link_run(struct dbl_link *, struct dbl_request *, struct dblock_error *err);

/* From now on no request is tried again but after E_CONFLICT, nor is one that is under way: it is done, or has failed,
 * within a quarter of a second where the server can be asked, or says that it cannot be. Any thread may call this. */
void dbl_link_once(struct dbl_link *);

/* Run several at once, of different names: in one turn, and those that can be members of a batch in one
 * commit; what cannot, or has to go again, goes alone then. Each has its own outcome, as if it had been run by
 * itself, in `rc`. At most DBL_BATCH_MAX. If one does not suit, those that have yet to go alone are left out:
 * `apart` says which. `suits` may be NULL. */
void dbl_link_run_all(struct dbl_link *, struct dbl_member *, unsigned n,
		      bool (*suits)(const struct dbl_member *));

/* Whether what failed with this may succeed later, though nobody mends anything: the database
 * restarts, fails over, or has too much to do. */
bool dbl_link_may_pass(const struct dbl_link *, int rc);

/* A request that nobody waits for: it goes with the next one that somebody waits for, or with a
 * flush. The link never sends it twice. */
struct dbl_post {
	struct dbl_sender sender; /* first; its member has the outcome: dbl_post_outcome() */
	struct dbl_request request;
	void (*over)(struct dbl_post *);
};

/* `over` is called when the request is over, by the thread that sent it; it must be quick, and not
 * use the link. */
void dbl_post_init(struct dbl_post *, const struct dbl_request *, void (*over)(struct dbl_post *));

/* Post it. Never blocks. It belongs to the link until it is over, or recalled. */
void dbl_link_post(struct dbl_link *, struct dbl_post *);

/* 0; or why it was not carried out; or DBLOCK_E_UNSURE. */
int dbl_post_outcome(const struct dbl_post *);

/* Take it back, as if it had never been posted. False: it has been sent, or is over, or not
 * posted. */
bool dbl_link_recall(struct dbl_post *);

/* Since when the oldest request that is posted and not sent is there; DBL_NEVER: there is none. */
int64_t dbl_link_posted_since(struct dbl_link *);

/* Send what is posted. When this returns, all that was posted before has been sent, unless the
 * deadline came first. */
void dbl_link_flush(struct dbl_link *, int64_t deadline);

/* Run `body` in one transaction, alone on the connection; run it again after E_CONFLICT and where
 * no connection could be had, or none that can be written. `body` returns 0 to commit. After
 * E_UNSURE nobody knows whether it was committed. */
int dbl_link_transaction(struct dbl_link *,
			 int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
			 int64_t deadline, struct dblock_error *err);

/* Use two connections from now on, as the link does by itself with enough threads; without effect
 * if the dialect does not allow it. */
void dbl_link_part(struct dbl_link *, int64_t deadline);

/* Give up the connections: the next request on each opens another. This waits for nothing, and a
 * request that is under way goes on. */
void dbl_link_drop(struct dbl_link *);

/* The same, but of those that do not lead to that host of several, from 0 (where the URL names one, of
 * all), a request that is under way ends as one whose connection is lost. */
void dbl_link_cut(struct dbl_link *, unsigned host);

/* They lead to the wrong database: of several hosts, the next one is tried first. Without effect if
 * the connection that did has been given up already. */
void dbl_link_shun(struct dbl_link *);

/* Give them up, and try that host first, from 0. */
void dbl_link_go(struct dbl_link *, unsigned host);

/* How often they were given up so, or lost. What was read before that may be of another database. */
int64_t dbl_link_changes(const struct dbl_link *);

/* The socket of the connection, for a thread that is the link's only user: it can wait for the end
 * of it while nothing is sent. -1: there is none. */
int dbl_link_socket(const struct dbl_link *);

/* Likewise: how many hosts does the URL name, and which is it? 0: there is no connection. */
unsigned dbl_link_hosts(const struct dbl_link *, unsigned *host);

/* Likewise: is there one? */
bool dbl_link_is_connected(const struct dbl_link *);

/* How many of its connections have been lost, or given up. */
int64_t dbl_link_losses(const struct dbl_link *);

/* `lost` is called for each of these, in the turn of the request that met it: it must not use the
 * link. To be set before other threads use the link. */
void dbl_link_on_loss(struct dbl_link *, void (*lost)(void *ctx), void *ctx);

const struct dbl_target *dbl_link_target(const struct dbl_link *);

#endif
