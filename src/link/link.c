/* SPDX-License-Identifier: MIT */
#include "link/own.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/mem.h"
#include "sql/tx.h"

/* The pause between two tries: short at first, since most losses are a single cut connection. */
#define BACKOFF_FIRST_US 2000
#define BACKOFF_LAST_US  250000

/* How long a server may take to say that a row or a table is locked. */
#define LOCKED_US 2000000

static bool init_connections(struct dbl_link *link)
{
	unsigned n = 0;

	while (n < DBL_CONNECTIONS &&
	       dbl_combiner_init(&link->connections[n].combiner, link->target, n == 0) == 0) {
		link->connections[n].socket = -1;
		link->connections[n++].link = link;
	}
	if (n == DBL_CONNECTIONS && dbl_mutex_init(&link->mutex) == 0)
		return true;
	while (n > 0)
		dbl_combiner_fini(&link->connections[--n].combiner);
	return false;
}

int dbl_link_new(struct dbl_link **out, const struct dbl_target *target, struct dblock_error *err)
{
	struct dbl_link *link = dbl_alloc(sizeof(*link));

	*out = NULL;
	if (link)
		link->target = target;
	if (link && !init_connections(link)) {
		dbl_free(link);
		link = NULL;
	}
	if (!link)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	link->durability = target->durability == DBLOCK_REMOTE ? DBLOCK_REMOTE : DBLOCK_DURABLE;
	*out = link;
	return 0;
}

void dbl_link_free(struct dbl_link *link)
{
	if (!link)
		return;
	for (unsigned i = 0; i < DBL_CONNECTIONS; i++) {
		dbl_connection_close(&link->connections[i]);
		dbl_combiner_fini(&link->connections[i].combiner);
	}
	dbl_mutex_fini(&link->mutex);
	dbl_free(link);
}

const struct dbl_target *dbl_link_target(const struct dbl_link *link)
{
	return link->target;
}

int dbl_link_socket(const struct dbl_link *link)
{
	const struct dbl_connection *first = &link->connections[0];

	if (link->lender)
		return link->watched && !dbl_connection_is_old(first) ? first->socket : -1;
	return first->db && !dbl_connection_is_old(first) ? dbl_db_socket(first->db) : -1;
}

unsigned dbl_link_hosts(const struct dbl_link *link, unsigned *host)
{
	const struct dbl_db *db = link->connections[0].db;

	if (link->lender) {
		*host = link->watched ? link->connections[0].host : 0;
		return link->watched ? link->connections[0].hosts : 0;
	}
	*host = db ? dbl_db_conn(db)->host : 0;
	return db ? dbl_db_conn(db)->hosts : 0;
}

bool dbl_link_is_connected(const struct dbl_link *link)
{
	return link->lender ? link->watched != 0 : link->connections[0].db != NULL;
}

int64_t dbl_link_losses(const struct dbl_link *link)
{
	return atomic_load(&link->losses);
}

void dbl_link_on_loss(struct dbl_link *link, void (*lost)(void *ctx), void *ctx)
{
	link->on_loss = lost;
	link->on_loss_ctx = ctx;
}

int dbl_link_connect(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	struct dbl_connection *connection = &link->connections[0];
	int rc = dbl_connection_enter(connection, deadline, err);

	if (rc)
		return rc;
	rc = dbl_connection_ensure(connection, deadline, err);
	dbl_connection_leave(connection);
	return rc;
}

int dbl_link_relax(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	struct dbl_connection *connection = &link->connections[0];
	int rc;

	if (link->target->durability != DBLOCK_RELAXED)
		return 0;
	rc = dbl_connection_enter(connection, deadline, err);
	if (rc)
		return rc;
	link->durability = DBLOCK_RELAXED;
	if (connection->db)
		rc = dbl_db_undone(connection->db, dbl_connection_endure(connection, deadline, err),
				   deadline, err);
	dbl_connection_leave(connection);
	return rc;
}

void dbl_link_single(struct dbl_link *link)
{
	link->single = true;
}

int64_t dbl_link_changes(const struct dbl_link *link)
{
	return (int64_t)atomic_load(&link->generation) + dbl_link_losses(link);
}

struct backoff {
	int64_t pause;
};

/* Who lost a conflict has met a database that is there. */
static bool goes_once(const struct dbl_link *link, int rc)
{
	return rc != DBLOCK_E_CONFLICT &&
	       (atomic_load(&link->once) || (link->lender && atomic_load(&link->lender->once)));
}

/* Sleep before the next try, after rc. False: the deadline does not leave time for it, or there is to
 * be none. */
static bool backoff_wait(struct backoff *b, const struct dbl_link *link, int rc, int64_t deadline)
{
	const struct dbl_env *env = link->target->env;
	int64_t until;

	if (goes_once(link, rc))
		return false;
	b->pause = b->pause ? b->pause * 2 : BACKOFF_FIRST_US;
	if (b->pause > BACKOFF_LAST_US)
		b->pause = BACKOFF_LAST_US;
	until = dbl_now(env) + dbl_jitter(env, b->pause);
	if (until >= deadline)
		return false;
	dbl_sleep_until(env, until);
	return true;
}

/* A server that cannot be written may be a primary that others take over from; a file stays so. */
static bool may_be_written_soon(const struct dbl_link *link, int rc)
{
	return rc == DBLOCK_E_READONLY && !link->target->dialect->is_file;
}

bool dbl_link_may_pass(const struct dbl_link *link, int rc)
{
	return rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_NO_ANSWER || rc == DBLOCK_E_UNSURE ||
	       rc == DBLOCK_E_CONFLICT || may_be_written_soon(link, rc);
}

/* Nothing was done, and doing it may succeed. */
static bool may_begin_again(const struct dbl_link *link, int rc)
{
	return rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_UNAVAILABLE ||
	       may_be_written_soon(link, rc);
}

bool dbl_link_may_send_again(const struct dbl_link *link, int rc, const struct dbl_request *request)
{
	/* Rows that the caller has got must not come twice. */
	if (request->rows > 0)
		return false;
	if (rc == DBLOCK_E_BLOCKED)
		return request->patient;
	if (rc == DBLOCK_E_UNSURE)
		return dbl_ops[request->op].kind != DBL_KIND_ONCE;
	/* Who opens a client is told at once that the server cannot be written. */
	return may_begin_again(link, rc) && !(rc == DBLOCK_E_READONLY && request->patient);
}

/* Is there too little time for the server to say that it waits for a lock? A request that is cut
 * off then is unsure, and its error does not say why. */
static bool is_short(const struct dbl_link *link, const struct dbl_request *request)
{
	return request->deadline - dbl_now(link->target->env) < LOCKED_US;
}

static struct dbl_connection *connection_of(struct dbl_combiner *combiner)
{
	return (struct dbl_connection *)((char *)combiner -
					 offsetof(struct dbl_connection, combiner));
}

/* Wait for the connection; two queues may become one, or one two, meanwhile. */
static enum dbl_send_state take(struct dbl_link *link, struct dbl_sender *sender, int64_t deadline)
{
	enum dbl_send_state is;
	unsigned i = 0;

	do
		is = dbl_combiner_take(&link->connections[i++ % DBL_CONNECTIONS].combiner, sender,
				       deadline);
	while (is == DBL_SEND_ELSEWHERE);
	return is;
}

static int run_once(struct dbl_link *link, struct dbl_request *request, bool singly,
		    struct dblock_error *err)
{
	struct dbl_sender sender = {.member = {.request = request, .err = err, .singly = singly}};

	switch (take(link, &sender, request->deadline)) {
	case DBL_SEND_LATE:
		return dbl_link_no_turn(err);
	case DBL_SEND_LEADS:
		dbl_connection_send(connection_of(sender.in), &sender.member, sender.alone);
		break;
	case DBL_SEND_DONE:
	case DBL_SEND_ELSEWHERE:
		break;
	}
	if (!sender.member.apart)
		return sender.member.rc;
	return run_once(link, request, true, err);
}

static void count_retry(const struct dbl_link *link, int rc)
{
	struct dbl_tally *tally = link->target->tally;

	if (rc == DBLOCK_E_CONFLICT)
		DBL_COUNT(tally, retries_conflict);
	else if (rc == DBLOCK_E_READONLY)
		DBL_COUNT(tally, retries_readonly);
	else if (rc == DBLOCK_E_UNSURE)
		DBL_COUNT(tally, retries_unsure);
	else if (rc == DBLOCK_E_UNAVAILABLE)
		DBL_COUNT(tally, retries_unavailable);
}

int dbl_link_run(struct dbl_link *link, struct dbl_request *request, struct dblock_error *err)
{
	enum dbl_op_kind kind = dbl_ops[request->op].kind;
	struct dblock_error readonly;
	struct backoff backoff = {0};
	bool unsure = false, refused = false;
	int rc;

	request->resent = false;
	request->rows = 0;
	for (;;) {
		rc = run_once(link, request, unsure, err);
		/* That the server is not to be written tells more than that no time is left now. */
		if (rc == DBLOCK_E_NO_ANSWER && refused) {
			rc = DBLOCK_E_READONLY;
			if (err)
				*err = readonly;
			break;
		}
		refused = rc == DBLOCK_E_READONLY;
		if (refused && err)
			readonly = *err;
		if (!dbl_link_may_send_again(link, rc, request))
			break;
		if (rc == DBLOCK_E_UNSURE)
			unsure = true;
		if (rc == DBLOCK_E_BLOCKED && is_short(link, request))
			break;
		if (!backoff_wait(&backoff, link, rc, request->deadline))
			break;
		count_retry(link, rc);
	}
	request->resent = unsure;
	/* Whatever this try met, an earlier one may have been carried out. */
	if (unsure && rc < 0 && kind != DBL_KIND_READ)
		rc = DBLOCK_E_UNSURE;
	if (err && rc < 0)
		err->code = rc;
	return rc;
}

static int transact_once(struct dbl_link *link,
			 int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
			 int64_t deadline, struct dblock_error *err)
{
	struct dbl_connection *connection = &link->connections[0];
	int rc = dbl_connection_enter(connection, deadline, err);

	if (rc)
		return rc;
	rc = dbl_connection_ensure(connection, deadline, err);
	if (rc == 0)
		rc = dbl_db_begin(connection->db, deadline, err);
	/* Only BEGIN was sent. */
	if (connection->db)
		rc = dbl_db_undone(connection->db, rc, deadline, err);
	if (rc == 0) {
		/* COMMIT was not sent, so what was lost has changed nothing. */
		rc = dbl_db_undone(connection->db, body(ctx, connection->db, err), deadline, err);
		rc = dbl_db_end(connection->db, rc, deadline, err);
		dbl_connection_note(connection, rc);
	}
	dbl_connection_leave(connection);
	return rc;
}

int dbl_link_transaction(struct dbl_link *link,
			 int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
			 int64_t deadline, struct dblock_error *err)
{
	struct backoff backoff = {0};
	int rc;

	while (may_begin_again(link, rc = transact_once(link, body, ctx, deadline, err)) &&
	       backoff_wait(&backoff, link, rc, deadline))
		count_retry(link, rc);
	if (err && rc < 0)
		err->code = rc;
	return rc;
}
