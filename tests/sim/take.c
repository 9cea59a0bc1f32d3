/* SPDX-License-Identifier: MIT */
#include "sim/take.h"

#include <dblock/dblock.h>

#include "driver/value.h"
#include "sim/client.h"
#include "sim/schedule.h"

/* The columns of revoke_grants, in order. */
enum { TOKEN, NONCE, LEASED, OVER, SESSION, LIVING };

/* ---- a thread that does so ------------------------------------------------------------------ */

struct patience {
	struct world *world;
	int64_t until;
	bool waited;
};

static int is_over(void *arg)
{
	const struct patience *patience = arg;

	return patience->world->ending || patience->world->now >= patience->until;
}

static void waits(void *arg, const struct dblock_breaking *breaking)
{
	struct patience *patience = arg;

	(void)breaking;
	patience->waited = true;
}

/* The thread's next statements take a grant away. */
static void begin(int64_t token, bool forced)
{
	struct coroutine *self = coroutine_self();

	self->breaking = true;
	self->forced = forced;
	self->takes = token;
}

static void end(void)
{
	coroutine_self()->breaking = coroutine_self()->forced = false;
}

static struct dblock_break_options spec(struct world *w, int name, struct patience *patience)
{
	struct dblock_break_options o = DBLOCK_BREAK_OPTIONS_INIT;
	struct rng *rng = &w->rng;

	*patience = (struct patience){.world = w, .until = SCHEDULE_NEVER};
	o.force = rng_one_in(rng, 2);
	o.wait_ms = rng_between(rng, 1, o.force ? 500 : 3000);
	if (!o.force && rng_one_in(rng, 3))
		o.wait_ms = 0;
	if (rng_one_in(rng, 4))
		o.token = w->history.names[name].token;
	if (rng_one_in(rng, 4))
		patience->until = w->now + rng_between(rng, 0, 2000000);
	o.canceled = is_over;
	o.canceled_arg = o.waiting_arg = patience;
	o.waiting = waits;
	o.waiting_every_ms = 1;
	return o;
}

static void check_outcome(struct world *w, const struct dblock_break_options *o,
			  struct patience *patience, int rc)
{
	if (rc == DBLOCK_TIMEOUT && (o->force || o->wait_ms == 0))
		world_break(w, "API", "a break that waits for nobody, or as long as it takes: %s",
			    dblock_outcome_name(rc));
	if (rc == DBLOCK_CANCELED && !is_over(patience))
		world_break(w, "API", "a break was not canceled, and says so");
}

static void count(struct world *w, const struct dblock_break_options *o,
		  const struct patience *patience, int rc)
{
	if (o->force)
		COUNT(w, breaks);
	else
		COUNT(w, breaks_told);
	if (patience->waited)
		COUNT(w, breaks_waited);
	if (rc == DBLOCK_TIMEOUT)
		COUNT(w, breaks_timed_out);
	if (rc == DBLOCK_CANCELED)
		COUNT(w, breaks_canceled);
}

void take_any(struct process *p)
{
	struct world *w = p->world;
	int name = (int)rng_between(&w->rng, 0, w->n_names - 1);
	struct patience patience;
	struct dblock_break_options o = spec(w, name, &patience);
	struct dblock_error err = {0};
	int rc;

	begin(o.token, o.force);
	rc = dblock_break(p->client, client_name(name), &o, &err);
	end();
	count(w, &o, &patience, rc);
	client_expect(p, "break", rc, &err);
	check_outcome(w, &o, &patience, rc);
	world_tell(w, p, "break %s%s: %s", client_name(name), o.force ? " by force" : "",
		   dblock_outcome_name(rc));
}

int take_token(struct process *p, int name, int64_t token, struct dblock_error *err)
{
	int rc;

	begin(token, false);
	rc = dblock_release_token(p->client, client_name(name), token, err);
	end();
	return rc;
}

int take_by_force(struct process *p, int name, struct dblock_error *err)
{
	struct dblock_break_options options = DBLOCK_BREAK_OPTIONS_INIT;
	int rc;

	options.force = 1;
	begin(0, true);
	rc = dblock_break(p->client, client_name(name), &options, err);
	end();
	return rc;
}

/* ---- at the server -------------------------------------------------------------------------- */

static unsigned bit_of(const struct process *p)
{
	return 1u << p->number;
}

/* A lease has a row for each session that may have it. */
static bool is_nobodys(const struct letter *l, int64_t token)
{
	bool leased = false, living = false;

	for (size_t i = 0; i < l->n_values; i += l->columns) {
		if (l->values[i + TOKEN].i != token)
			continue;
		leased = l->values[i + LEASED].i != 0;
		living |= l->values[i + LIVING].i != 0;
	}
	return leased && !living;
}

void take_read(struct world *w, const struct letter *l)
{
	int name = client_name_index(l->args[0].text, l->args[0].len);

	for (size_t i = 0; i < l->n_values; i += l->columns) {
		int64_t token = l->values[i + TOKEN].i;
		struct grant *grant = history_grant(w, name, token);

		if (!grant || (l->takes && l->takes != token))
			continue;
		grant->taken_by |= bit_of(l->process);
		grant->nobodys_for &= ~bit_of(l->process);
		if (is_nobodys(l, token))
			grant->nobodys_for |= bit_of(l->process);
	}
}

void take_marked(struct world *w, const struct letter *l)
{
	int name = client_name_index(l->args[1].text, l->args[1].len);
	struct grant *grant = history_grant(w, name, l->args[2].i);

	COUNT(w, marked);
	world_tell(w, l->process, "  the server knows that %s, token %lld, is taken away",
		   client_name(name), (long long)l->args[2].i);
	if (grant)
		grant->marked = true;
}

/* The session that had to hear of it was declared dead before. */
static bool is_untold(struct world *w, const struct grant *grant)
{
	struct dbl_value args[] = {dbl_text(client_name(grant->name)), dbl_int(grant->token),
				   dbl_int(grant->last), dbl_int(grant->nonce)};

	return database_ask_about(w->servers,
				  "SELECT count(*) FROM dblock_revocation v "
				  "LEFT JOIN dblock_session s ON s.id = v.session "
				  "WHERE v.name = $1 AND v.told = 0 AND coalesce(s.dead, 1) "
				  "AND (v.token BETWEEN $2 AND $3 OR v.nonce = $4)",
				  args, 4) > 0;
}

void take_freed(struct world *w, const struct letter *l, struct grant *grant)
{
	if (!grant)
		return;
	world_tell(w, l->process, "  the server takes %s, token %lld, away%s",
		   client_name(grant->name), (long long)grant->token, l->forced ? " by force" : "");
	if (l->forced)
		grant->revoked = true;
	else if (grant->marked)
		COUNT(w, freed_told);
	if ((grant->nobodys_for & bit_of(l->process)) || is_untold(w, grant))
		grant->unheard = true;
}

bool take_is_unheard(const struct belief *b)
{
	return b->grant && b->grant->unheard && !b->session[0];
}

bool take_may_be_heard(const struct belief *b)
{
	return b->grant && (b->grant->marked || (b->grant->taken_by & bit_of(b->process)));
}
