/* SPDX-License-Identifier: MIT */
#include "link/own.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/mem.h"
#include "sql/tx.h"

/* Between one try and the next: small at first, since most losses are a single cut connection. */
#define BACKOFF_FIRST_US 2000
#define BACKOFF_LAST_US  250000

/* How long a server may take to say that a row or a table is locked. */
#define LOCKED_US 2000000

static bool init_lanes(struct dbl_link *link)
{
	unsigned n = 0;

	while (n < DBL_LANES && dbl_seats_init(&link->lanes[n].seats, link->target, n == 0) == 0)
		link->lanes[n++].link = link;
	if (n == DBL_LANES && dbl_mutex_init(&link->mutex) == 0)
		return true;
	while (n > 0)
		dbl_seats_fini(&link->lanes[--n].seats);
	return false;
}

int dbl_link_new(struct dbl_link **out, const struct dbl_target *target, struct dblock_error *err)
{
	struct dbl_link *link = dbl_alloc(sizeof(*link));

	*out = NULL;
	if (link)
		link->target = target;
	if (link && !init_lanes(link)) {
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
	for (unsigned i = 0; i < DBL_LANES; i++) {
		dbl_db_close(link->lanes[i].db);
		dbl_seats_fini(&link->lanes[i].seats);
	}
	dbl_mutex_fini(&link->mutex);
	dbl_free(link);
}

const struct dbl_target *dbl_link_target(const struct dbl_link *link)
{
	return link->target;
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
	struct dbl_lane *lane = &link->lanes[0];
	int rc = dbl_lane_enter(lane, deadline, err);

	if (rc)
		return rc;
	rc = dbl_lane_ensure(lane, deadline, err);
	dbl_lane_leave(lane);
	return rc;
}

int dbl_link_relax(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	struct dbl_lane *lane = &link->lanes[0];
	int rc;

	if (link->target->durability != DBLOCK_RELAXED)
		return 0;
	rc = dbl_lane_enter(lane, deadline, err);
	if (rc)
		return rc;
	link->durability = DBLOCK_RELAXED;
	if (lane->db)
		rc = dbl_db_undone(lane->db, dbl_lane_endure(lane, deadline, err), deadline, err);
	dbl_lane_leave(lane);
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
	if (rc == DBLOCK_E_LOCKED)
		return request->patient;
	return rc == DBLOCK_E_UNSURE && dbl_ops[request->op].kind != DBL_KIND_ONCE;
}

/* Cut off while it waits in the server, it would be unsure, and not say why. */
static bool is_short(const struct dbl_link *link, const struct dbl_request *request)
{
	return request->deadline - dbl_now(link->target->env) < LOCKED_US;
}

static struct dbl_lane *lane_of(struct dbl_seats *seats)
{
	return (struct dbl_lane *)((char *)seats - offsetof(struct dbl_lane, seats));
}

/* It may have been sent to the other line meanwhile. */
static enum dbl_seated take(struct dbl_link *link, struct dbl_seat *seat, int64_t deadline)
{
	enum dbl_seated is;
	unsigned i = 0;

	do
		is = dbl_seats_take(&link->lanes[i++ % DBL_LANES].seats, seat, deadline);
	while (is == DBL_SEAT_ASTRAY);
	return is;
}

static int run_once(struct dbl_link *link, struct dbl_request *request, bool singly,
		    struct dblock_error *err)
{
	struct dbl_seat seat = {.member = {.request = request, .err = err, .singly = singly}};

	switch (take(link, &seat, request->deadline)) {
	case DBL_SEAT_LATE:
		return dbl_link_no_turn(err);
	case DBL_SEAT_LEADS:
		dbl_lane_serve(lane_of(seat.in), &seat.member, seat.alone);
		break;
	case DBL_SEAT_SERVED:
	case DBL_SEAT_ASTRAY:
		break;
	}
	if (!seat.member.apart)
		return seat.member.rc;
	return run_once(link, request, true, err);
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
		rc = run_once(link, request, unsure, err);
		if (!may_send_again(rc, request))
			break;
		if (rc == DBLOCK_E_UNSURE)
			unsure = true;
		if (rc == DBLOCK_E_LOCKED && is_short(link, request))
			break;
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
	struct dbl_lane *lane = &link->lanes[0];
	int rc = dbl_lane_enter(lane, deadline, err);

	if (rc)
		return rc;
	rc = dbl_lane_ensure(lane, deadline, err);
	if (rc == 0)
		rc = dbl_db_begin(lane->db, deadline, err);
	/* Nothing but a begin was sent. */
	if (lane->db)
		rc = dbl_db_undone(lane->db, rc, deadline, err);
	if (rc == 0) {
		/* COMMIT was not sent, so whatever was lost is not there. */
		rc = dbl_db_undone(lane->db, body(ctx, lane->db, err), deadline, err);
		rc = dbl_db_end(lane->db, rc, deadline, err);
		dbl_lane_note(lane, rc);
	}
	dbl_lane_leave(lane);
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
