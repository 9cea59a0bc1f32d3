/* SPDX-License-Identifier: MIT */
/* A grant stays until its holder lets go, or knows that it is taken away. */
#include "driver/value.h"
#include "lock/handle/lock.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/take.h"
#include "sim/world.h"

/* Returns the rule that is broken: C14 if somebody takes the grant away, or has done so. */
static const char *rule_of(const struct letter *l, const struct belief *b)
{
	return (l && l->breaking) || take_may_be_heard(b) ? "C14" : "C11";
}

void check_given_back(struct world *w, int name, int64_t nonce)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		/* Only the present grant counts: an upgrade gives the weaker one back. */
		if (h->held[i].name == name && history_counts(&h->held[i]) &&
		    h->held[i].lock->grant.nonce == nonce && !take_is_unheard(&h->held[i]))
			world_break(w, rule_of(NULL, &h->held[i]),
				    "%s (token %lld) is taken from its holder", client_name(name),
				    (long long)h->held[i].token);
	}
}

static bool is_kept(struct world *w, const struct belief *b)
{
	struct dbl_value args[] = {dbl_text(client_name(b->name)), dbl_int(b->lock->grant.token),
				   dbl_int(b->lock->grant.nonce)};

	return database_ask_about(
		       w->servers,
		       "SELECT count(*) FROM (SELECT session, expires FROM dblock_lock "
		       "WHERE name = $1 AND (token = $2 AND nonce <> 0 OR token > $2 AND nonce = "
		       "$3) "
		       "UNION ALL SELECT CASE WHEN expires IS NULL THEN session END, expires "
		       "FROM dblock_queue WHERE name = $1 AND token = $2 AND nonce <> 0) h "
		       "LEFT JOIN dblock_session s ON s.id = h.session WHERE "
		       "CASE WHEN h.expires IS NULL THEN NOT s.dead ELSE h.expires > $boot END",
		       args, 3) > 0;
}

void check_stays(struct world *w, const struct letter *l)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		const struct belief *b = &h->held[i];

		/* The token of an upgrade that has just been granted is not known yet. */
		if (history_counts(b) && check_is_valid(b->process, b->lock) && !b->excused &&
		    b->lock->grant.token == b->token && !check_may_overlap(w, b) && !is_kept(w, b))
			world_break(w, rule_of(l, b),
				    "%s (token %lld) is taken from process %d by %s",
				    client_name(b->name), (long long)b->token, b->process->number,
				    dbl_ops[l->op].name);
	}
}
