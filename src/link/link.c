/* SPDX-License-Identifier: MIT */
#include "link/own.h"

#include <stdatomic.h>

#include "base/mem.h"
#include "sql/tx.h"

/* Between one try and the next: small at first, since most losses are a single cut connection. */
#define BACKOFF_FIRST_US 2000
#define BACKOFF_LAST_US  250000

/* How long to wait for a lost connection's server process to be gone. */
#define ENDING_US 1000000

int dbl_link_new(struct dbl_link **out, const struct dbl_target *target, struct dblock_error *err)
{
	struct dbl_link *link = dbl_alloc(sizeof(*link));

	*out = NULL;
	if (link && dbl_seats_init(&link->seats, target)) {
		dbl_free(link);
		link = NULL;
	}
	if (!link)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	link->target = target;
	link->durability = target->durability == DBLOCK_REMOTE ? DBLOCK_REMOTE : DBLOCK_DURABLE;
	*out = link;
	return 0;
}

void dbl_link_free(struct dbl_link *link)
{
	if (!link)
		return;
	dbl_db_close(link->db);
	dbl_seats_fini(&link->seats);
	dbl_free(link);
}

const struct dbl_target *dbl_link_target(const struct dbl_link *link)
{
	return link->target;
}

static int no_turn(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_TIMEOUT,
			"no time left: other requests of this client kept its connection busy");
}

int dbl_link_enter(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	struct dbl_seat seat = {0};

	return dbl_seats_take(&link->seats, &seat, deadline) == DBL_SEAT_LEADS ? 0 : no_turn(err);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Before anything new is sent: see to it that nothing old is carried out behind it. */
static int end_lost(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	const struct dbl_env *env = link->target->env;
	int64_t now = dbl_now(env);
	int rc = dbl_backend_end(link->db, &link->lost, env, least(deadline, now + ENDING_US), err);

	if (rc < 0)
		return rc;
	if (rc == 0)
		link->uncertain_until = now + DBL_LATEST_ARRIVAL_US;
	link->owing = false;
	return 0;
}

/* A connection that is not as durable as it should be is none. */
static int endure(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_db_endure(link->db, link->durability, deadline, err);

	if (rc)
		dbl_db_give_up(link->db);
	return rc;
}

static int reconnect(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_db_open(&link->db, link->target, deadline, err);

	if (rc == 0)
		rc = endure(link, deadline, err);
	if (rc == 0)
		rc = dbl_backend_read(link->db, deadline, &link->backend, err);
	if (rc == 0 && link->owing)
		rc = end_lost(link, deadline, err);
	/* Nothing of the caller's was sent. */
	return link->db ? dbl_db_undone(link->db, rc, deadline, err) : rc;
}

/* At the end of our turn: what is lost is let go of now, not when it is next needed. Until then
 * the server might keep a transaction open, and the locks that it has. */
static void drop_broken(struct dbl_link *link)
{
	if (!link->db || !dbl_db_broken(link->db))
		return;
	dbl_db_close(link->db);
	link->db = NULL;
	atomic_fetch_add(&link->losses, 1);
	if (link->on_loss)
		link->on_loss(link->on_loss_ctx);
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

/* The end of our turn. */
static void leave(struct dbl_link *link)
{
	drop_broken(link);
	dbl_seats_end(&link->seats, NULL, 0);
}

/* In our turn: a connection that is not broken. */
static int ensure(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	drop_broken(link);
	return link->db ? 0 : reconnect(link, deadline, err);
}

/* In our turn, after a request: the server may still carry out what it was sent. */
static void note_outcome(struct dbl_link *link, int rc)
{
	if (rc != DBLOCK_E_UNSURE || !dbl_db_broken(link->db))
		return;
	link->owing = true;
	link->lost = link->backend;
}

int dbl_link_connect(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_link_enter(link, deadline, err);

	if (rc)
		return rc;
	rc = ensure(link, deadline, err);
	leave(link);
	return rc;
}

int dbl_link_relax(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	int rc;

	if (link->target->durability != DBLOCK_RELAXED)
		return 0;
	rc = dbl_link_enter(link, deadline, err);
	if (rc)
		return rc;
	link->durability = DBLOCK_RELAXED;
	if (link->db)
		rc = dbl_db_undone(link->db, endure(link, deadline, err), deadline, err);
	leave(link);
	return rc;
}

/* How many tries went before, and how long to wait for the next. */
struct backoff {
	int64_t pause;
};

/* Sleep before the next try. False: the deadline does not leave room for it. */
static bool backoff_wait(struct backoff *b, const struct dbl_env *env, int64_t deadline)
{
	int64_t until;

	b->pause = b->pause ? b->pause * 2 : BACKOFF_FIRST_US;
	if (b->pause > BACKOFF_LAST_US)
		b->pause = BACKOFF_LAST_US;
	until = dbl_now(env) + dbl_jitter(env, b->pause);
	if (until >= deadline)
		return false;
	dbl_sleep_until(env, until);
	return true;
}

static bool may_send_again(int rc, const struct dbl_request *request)
{
	/* Rows that were handed over must not come twice. */
	if (request->rows > 0)
		return false;
	if (rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_UNAVAILABLE)
		return true;
	return rc == DBLOCK_E_UNSURE && dbl_ops[request->op].kind != DBL_KIND_ONCE;
}

/* In our turn: nothing was sent that is not known to be gone. */
static bool is_certain(const struct dbl_link *link)
{
	return !link->owing && dbl_now(link->target->env) >= link->uncertain_until;
}

static void run_members(struct dbl_link *link, struct dbl_member *const *members, unsigned n)
{
	if (n > 1)
		dbl_batch_run(link->db, members, n);
	else
		members[0]->rc = dbl_db_run(link->db, members[0]->request, members[0]->err);
	/* If it was lost, all of them are unsure. */
	note_outcome(link, members[0]->rc);
}

void dbl_link_serve(struct dbl_link *link, struct dbl_member *own)
{
	struct dbl_member *members[DBL_BATCH_MAX] = {own};
	struct dblock_error err = {0};
	unsigned n =
		dbl_seats_gather(&link->seats, dbl_now(link->target->env), members, own ? 1 : 0);
	int rc = n ? ensure(link, dbl_batch_deadline(members, n), &err) : 0;

	if (rc)
		dbl_batch_fail(members, n, rc, &err);
	else if (n)
		run_members(link, members, n);
	for (unsigned i = 0; i < n; i++)
		members[i]->request->certain = is_certain(link);
	drop_broken(link);
	dbl_seats_end(&link->seats, own ? members + 1 : members, own ? n - 1 : n);
}

static int run_once(struct dbl_link *link, struct dbl_request *request, enum dbl_company company,
		    struct dblock_error *err)
{
	struct dbl_seat seat = {.member = {.request = request, .err = err, .company = company}};

	switch (dbl_seats_take(&link->seats, &seat, request->deadline)) {
	case DBL_SEAT_LATE:
		return no_turn(err);
	case DBL_SEAT_LEADS:
		dbl_link_serve(link, &seat.member);
		break;
	case DBL_SEAT_SERVED:
		break;
	}
	if (!seat.member.apart)
		return seat.member.rc;
	return run_once(link, request, dbl_batch_company_after(link->target, &seat.member), err);
}

int dbl_link_run(struct dbl_link *link, struct dbl_request *request, struct dblock_error *err)
{
	enum dbl_op_kind kind = dbl_ops[request->op].kind;
	struct backoff backoff = {0};
	bool unsure = false;
	int rc;

	request->resent = false;
	request->rows = 0;
	for (;;) {
		rc = run_once(link, request, unsure ? DBL_ALONE : DBL_WITH_OTHERS, err);
		if (!may_send_again(rc, request))
			break;
		if (rc == DBLOCK_E_UNSURE)
			unsure = true;
		if (!backoff_wait(&backoff, link->target->env, request->deadline))
			break;
	}
	request->resent = unsure;
	/* Whatever the last try met, an earlier one may have been carried out. */
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
	int rc = dbl_link_enter(link, deadline, err);

	if (rc)
		return rc;
	rc = ensure(link, deadline, err);
	if (rc == 0)
		rc = dbl_db_begin(link->db, deadline, err);
	/* Nothing but a begin was sent. */
	if (link->db)
		rc = dbl_db_undone(link->db, rc, deadline, err);
	if (rc == 0) {
		/* COMMIT was not sent, so whatever was lost is not there. */
		rc = dbl_db_undone(link->db, body(ctx, link->db, err), deadline, err);
		rc = dbl_db_end(link->db, rc, deadline, err);
		note_outcome(link, rc);
	}
	leave(link);
	return rc;
}

int dbl_link_transaction(struct dbl_link *link,
			 int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
			 int64_t deadline, struct dblock_error *err)
{
	struct backoff backoff = {0};
	int rc;

	do {
		rc = transact_once(link, body, ctx, deadline, err);
	} while ((rc == DBLOCK_E_CONFLICT || rc == DBLOCK_E_UNAVAILABLE) &&
		 backoff_wait(&backoff, link->target->env, deadline));
	if (err && rc < 0)
		err->code = rc;
	return rc;
}
