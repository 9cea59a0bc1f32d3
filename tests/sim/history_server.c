/* SPDX-License-Identifier: MIT */
/* All that has happened, as the server and the guarded resource know it. */
#include <stdio.h>
#include <string.h>

#include "sim/batch.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/in_queue.h"
#include "sim/modes.h"
#include "sim/take.h"
#include "sim/world.h"

/* ---- the server's side ---------------------------------------------------------------------- */

static int name_of(const struct letter *l)
{
	return client_name_index(l->args[0].text, l->args[0].len);
}

static void granted(struct world *w, const struct letter *l, int64_t token, int64_t nonce)
{
	struct history *h = &w->history;
	struct grant grant = {.name = name_of(l),
			      .token = token,
			      .last = token,
			      .nonce = nonce,
			      .losses = h->losses,
			      .stored = modes_stored(w, l->args)};

	COUNT(w, grants);
	world_tell(w, l->process, "  the server grants %s, token %lld", client_name(grant.name),
		   (long long)grant.token);
	check_granted(w, &grant);
	h->names[grant.name].token = grant.token;
	if (h->n_grants < GRANTS_MAX)
		h->grants[h->n_grants++] = grant;
	else
		world_break(w, "SIM", "too many grants");
}

static void acquired(struct world *w, const struct letter *l)
{
	bool barges = l->args[9].i != 0;

	granted(w, l, l->values[0].i, l->args[1].i);
	if (!barges)
		line_passed(w, name_of(l));
	check_server(w, name_of(l));
}

static void handed_over(struct world *w, const struct letter *l)
{
	COUNT(w, handed_over);
	if (l->op == DBL_OP_pass_on)
		COUNT(w, passed_on);
	world_tell(w, l->process, "  the server hands %s over, to wait %04x",
		   client_name(name_of(l)), (unsigned)l->values[1].i & 0xffff);
	granted(w, l, l->values[0].i, l->values[1].i);
	line_granted(w, name_of(l), l->values[1].i);
	check_server(w, name_of(l));
}

/* Reads what was granted to rows of the queue: nonce, token and address of each, in any order. */
static void granted_to_rows(struct world *w, const struct letter *l)
{
	int64_t last = INT64_MIN;

	for (size_t n = 0; n < l->n_values; n += l->columns) {
		size_t next = l->n_values;

		for (size_t i = 0; i < l->n_values; i += l->columns) {
			int64_t token = l->values[i + 1].i;

			if (token > last && (next == l->n_values || token < l->values[next + 1].i))
				next = i;
		}
		if (next == l->n_values)
			world_break(w, "C1", "%s: one token is granted twice at once",
				    client_name(name_of(l)));
		if (next == l->n_values)
			return;
		last = l->values[next + 1].i;
		COUNT(w, row_grants);
		granted(w, l, last, l->values[next].i);
	}
	for (size_t i = 0; i < l->n_values; i += l->columns)
		line_granted(w, name_of(l), l->values[i].i);
	if (l->n_values > l->columns)
		COUNT(w, granted_together);
	check_server(w, name_of(l));
}

/* Who enters passes nobody, as far as anybody knows who waits. */
static void entered(struct world *w, const struct letter *l)
{
	COUNT(w, entered);
	granted(w, l, l->values[0].i, l->args[1].i);
	line_passed(w, name_of(l));
	check_server(w, name_of(l));
}

/* A row of the queue carries the grant from now on. */
static void downgraded(struct world *w, const struct letter *l)
{
	struct grant *grant = history_grant(w, name_of(l), l->args[1].i);

	world_tell(w, l->process, "  the server downgrades %s, token %lld", client_name(name_of(l)),
		   (long long)l->args[1].i);
	if (!grant || l->values[0].i != l->args[1].i)
		world_break(w, "C1", "%s: token %lld is downgraded, and becomes %lld",
			    client_name(name_of(l)), (long long)l->args[1].i,
			    (long long)l->values[0].i);
	else
		grant->nonce = l->args[3].i;
	check_server(w, name_of(l));
}

/* The client may give its threads tokens up to that one, which nobody has had before. */
static void reserved(struct world *w, const struct letter *l)
{
	struct history *h = &w->history;
	int name = name_of(l);
	struct grant *grant = history_grant_by_nonce(w, name, l->args[1].i);

	if (!grant || grant->last > l->args[3].i) {
		world_break(w, "C3", "%s: turns up to %lld come too late", client_name(name),
			    (long long)l->args[3].i);
		return;
	}
	COUNT(w, reserved);
	world_tell(w, l->process, "  the server lets %s go on in turns up to %lld",
		   client_name(name), (long long)l->args[3].i);
	if (grant->last < l->args[3].i && grant->last == h->names[name].token)
		h->names[name].token = l->args[3].i;
	grant->last = l->args[3].i;
}

/* Somebody who knows only the token has given the grant another end. */
static void moved(struct world *w, const struct letter *l)
{
	struct grant *grant = history_grant(w, name_of(l), l->args[1].i);

	if (grant)
		grant->revoked = true;
	world_tell(w, l->process, "  the server moves the end of %s, token %lld",
		   client_name(name_of(l)), (long long)l->args[1].i);
}

static void buried(struct world *w, const struct letter *l)
{
	struct history *h = &w->history;
	int at;

	COUNT(w, buried);
	world_tell(w, l->process, "  the server buries %.8s", l->args[0].text);
	if (!l->trying)
		return;
	COUNT(w, buried_by_tries);
	at = h->n_declared_dead % BURIALS_MAX;
	snprintf(h->buried[at].session, sizeof(h->buried[at].session), "%.*s", (int)l->args[0].len,
		 l->args[0].text);
	h->buried[at].n_grants = h->n_grants;
	h->n_declared_dead++;
}

/* A grant is given back whose acquire was never answered. */
static void given_back(struct world *w, const struct letter *l)
{
	COUNT(w, given_back);
	world_tell(w, l->process, "  the server takes %s back", client_name(name_of(l)));
	take_freed(w, l, history_grant_by_nonce(w, name_of(l), l->args[1].i));
	check_given_back(w, name_of(l), l->args[1].i);
}

static bool is_by_token(const struct letter *l)
{
	return l->args[2].type == DBL_NULL;
}

/* Tells whether somebody else than the holder ends a grant by it. */
static bool frees(const struct letter *l)
{
	return l->op == DBL_OP_break || l->op == DBL_OP_row_end ||
	       ((l->op == DBL_OP_release || letter_hands_over(l) || l->op == DBL_OP_row_release ||
		 l->op == DBL_OP_row_rest) &&
		is_by_token(l));
}

/* Tells the history if the statement has changed something. */
static void changed(struct world *w, const struct letter *l)
{
	if (frees(l))
		take_freed(w, l, history_grant(w, name_of(l), l->args[1].i));
	if ((l->op == DBL_OP_extend || l->op == DBL_OP_row_extend) && is_by_token(l))
		moved(w, l);
	else if (l->op == DBL_OP_revoke)
		take_marked(w, l);
	else if (l->op == DBL_OP_bury)
		buried(w, l);
	else if (l->op == DBL_OP_turn)
		reserved(w, l);
	else if (l->op == DBL_OP_give_back)
		given_back(w, l);
	else if (l->op == DBL_OP_dequeue)
		check_given_back(w, name_of(l), l->args[1].i);
	else if (l->op == DBL_OP_lease_end)
		COUNT(w, leases_ended);
	else if (l->op == DBL_OP_row_end && !l->breaking)
		COUNT(w, rows_ended);
	else if (l->op == DBL_OP_expel)
		COUNT(w, expelled);
	else if (l->op == DBL_OP_row_rest)
		COUNT(w, rows_rested);
	else if (l->op == DBL_OP_reap_rows)
		COUNT(w, rows_reaped);
	else if (l->op == DBL_OP_reap_free)
		COUNT(w, freed_by_reaper);
	else if (l->op == DBL_OP_purge_delete)
		COUNT(w, purged);
	else if (l->op == DBL_OP_row_mode)
		check_server(w, name_of(l));
}

/* Tells whether it takes something away from somebody. */
static bool takes(const struct letter *l)
{
	return l->op == DBL_OP_expel || l->op == DBL_OP_reap_rows || l->op == DBL_OP_row_end ||
	       l->op == DBL_OP_row_release || l->op == DBL_OP_row_rest || l->op == DBL_OP_dequeue ||
	       l->op == DBL_OP_dequeue_served || l->op == DBL_OP_reap_waiters ||
	       l->op == DBL_OP_give_back || l->op == DBL_OP_downgrade || l->op == DBL_OP_bury ||
	       l->op == DBL_OP_reap_free || l->op == DBL_OP_lease_end || l->op == DBL_OP_break ||
	       l->op == DBL_OP_release || letter_hands_over(l);
}

/* Of several statements the last that writes says what is granted. */
static bool gives_rows(const struct letter *l)
{
	return l->n_values > 0 && l->part != PART_ANSWER;
}

static bool lets_in(const struct letter *l)
{
	return l->op == DBL_OP_acquire ||
	       ((l->op == DBL_OP_grant || l->op == DBL_OP_enter) && gives_rows(l));
}

void history_carried_out(struct world *w, const struct letter *l)
{
	if (l->part == PART_ALSO)
		return; /* it tells of what was done */
	line_carried_out(w, l);
	if (batch_is(l) && gives_rows(l)) {
		batch_carried_out(w, l);
		return;
	}
	if (l->op == DBL_OP_revoke_grants)
		take_read(w, l);
	if (l->op == DBL_OP_acquire && l->changed > 0)
		acquired(w, l);
	/* A hand-over says who has the lock now; nobody: 0. */
	if (letter_hands_over(l) && !l->reads && l->n_values > 0 && l->values[1].i)
		handed_over(w, l);
	if (l->op == DBL_OP_grant && gives_rows(l))
		granted_to_rows(w, l);
	if (l->op == DBL_OP_enter && gives_rows(l))
		entered(w, l);
	if (l->op == DBL_OP_downgrade && gives_rows(l))
		downgraded(w, l);
	if (l->changed == 0)
		return;
	changed(w, l);
	/* When somebody is let in, all others who had to go must be gone. */
	if (takes(l) || lets_in(l))
		check_stays(w, l);
}

/* ---- transactions --------------------------------------------------------------------------- */

void history_pending(struct world *w, struct letter *l)
{
	struct history *h = &w->history;

	if (h->n_pending == PENDING_MAX) {
		world_break(w, "SIM", "a transaction is too long");
		return;
	}
	l->users++;
	h->pending[h->n_pending++] = l;
}

static void end_pending(struct world *w, const struct server *s, bool committed)
{
	struct history *h = &w->history;
	int n = 0;

	for (int i = 0; i < h->n_pending; i++) {
		struct letter *l = h->pending[i];

		if (l->to != s) {
			h->pending[n++] = l;
			continue;
		}
		if (committed)
			w->kind->carried_out(w, l);
		letter_drop(l);
	}
	h->n_pending = n;
}

void history_committed(struct world *w, const struct server *s)
{
	end_pending(w, s, true);
}

void history_rolled_back(struct world *w, const struct server *s)
{
	end_pending(w, s, false);
}

void history_lost_commits(struct world *w, struct server *s)
{
	(void)s;
	w->history.losses++;
	w->history.last_loss = w->now;
}

/* ---- the guarded resource ------------------------------------------------------------------- */

void history_guard(struct world *w, const struct grant *grant, int64_t token, bool reads)
{
	int64_t written = w->history.names[grant->name].guard_token;
	int64_t read = w->history.names[grant->name].guard_read;

	if (token < written || (!reads && token < read)) {
		COUNT(w, writes_refused);
		check_refused(w, grant, token, reads);
		return;
	}
	if (reads) {
		COUNT(w, reads_accepted);
		if (token > read)
			w->history.names[grant->name].guard_read = token;
		return;
	}
	COUNT(w, writes_accepted);
	check_write(w, grant, token);
	w->history.names[grant->name].guard_token = token;
	w->history.names[grant->name].guard = grant;
}
