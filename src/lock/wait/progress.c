/* SPDX-License-Identifier: MIT */
#include "lock/wait/progress.h"

#include <dblock/lock.h>

#include "lock/core/value.h"

/* The columns of place, in order. */
enum { TOKEN, NONCE, BY_SESSION, BY_TIME, HOST, PID, APP, ACQUIRED, PLACE, WAITING, NOW, ROWS };

/* The row comes while the connection is locked, so it is kept here and told afterwards. */
struct place {
	struct dblock_waiting told;
	char host[256], app[256];
	bool any;
};

void dbl_progress_begin(struct dbl_progress *progress, const struct dbl_locks *locks,
			const struct dbl_acquire_spec *spec)
{
	progress->began = dbl_now(locks->env);
	progress->next = spec->waiting ? dbl_add(progress->began, spec->waiting_every) : DBL_NEVER;
}

static int take_place(void *ctx, const struct dbl_value *row)
{
	struct place *place = ctx;
	struct dblock_waiting *told = &place->told;
	int64_t held = row[NOW].i - row[ACQUIRED].i;

	place->any = true;
	dbl_copy_text(place->host, sizeof(place->host), &row[HOST]);
	dbl_copy_text(place->app, sizeof(place->app), &row[APP]);
	/* A lock that was released within its minimum hold has the nonce 0, and nobody holds it. */
	told->held = row[BY_SESSION].i || (row[BY_TIME].i && row[NONCE].i);
	told->token = row[TOKEN].i;
	told->host = place->host;
	told->pid = row[PID].i;
	told->app = place->app;
	told->acquired_us = row[ACQUIRED].i;
	told->held_ms = held > 0 ? held / 1000 : 0;
	told->place = row[PLACE].i;
	told->waiters = row[WAITING].i;
	told->holders = row[ROWS].i ? row[ROWS].i : told->held;
	return 0;
}

/* Whether the row says something: if our own session is dead, we have no place in the queue. */
static bool is_sound(const struct place *place)
{
	return place->any && place->told.place > 0;
}

int dbl_progress_tell(struct dbl_progress *progress, struct dbl_locks *locks,
		      const struct dbl_acquire_spec *spec, int64_t ticket, int64_t deadline)
{
	const struct dbl_value args[] = {dbl_text(spec->name), dbl_int(ticket)};
	struct place place = {
		.told = {.size = sizeof(place.told), .name = spec->name, .ticket = ticket}};
	struct dbl_request request = {
		.op = DBL_OP_place, .args = DBL_ARGS(args), .row = take_place, .ctx = &place};
	int64_t now = dbl_now(locks->env);
	int rc;

	if (ticket == 0 || now < progress->next)
		return 0;
	request.deadline = now + (deadline - now) / 2;
	rc = dbl_link_run(locks->link, &request, NULL);
	DBL_ASSERT(spec->waiting); /* else next is DBL_NEVER */
	if (rc == 0 && is_sound(&place)) {
		place.told.waited_ms = (dbl_now(locks->env) - progress->began) / 1000;
		spec->waiting(spec->waiting_arg, &place.told);
	}
	progress->next = dbl_add(dbl_now(locks->env), spec->waiting_every);
	return rc;
}
