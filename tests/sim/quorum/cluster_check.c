/* SPDX-License-Identifier: MIT */
/* What members grant, and what is left at them. */
#include <stdio.h>
#include <string.h>

#include "sim/client.h"
#include "sim/quorum/cluster.h"
#include "sim/world.h"

/* ---- tokens --------------------------------------------------------------------------------- */

static int name_of(const struct letter *l)
{
	size_t len = strlen(cluster_worlds.prefix);

	return client_name_index(l->args[0].text + len, l->args[0].len - len);
}

/* `same`: who confirms may do so at the token that the member has. */
static void gives(struct world *w, const struct letter *l, int64_t token, bool same)
{
	int member = (int)(l->to - w->servers), name = name_of(l);
	int64_t *last = &w->cluster.tokens[member][name];

	world_tell(w, l->process, "  member %d %s %s, token %lld", member + 1,
		   same ? "confirms" : "grants", client_name(name), (long long)token);
	if (token < *last || (token == *last && !same))
		world_break(w, "Q2", "%s: member %d gives token %lld after %lld", client_name(name),
			    member + 1, (long long)token, (long long)*last);
	*last = token;
}

/* Whose grant it confirms has it. */
static void check_raised(struct world *w, const struct letter *l)
{
	if (database_ask_about(l->to,
			       "SELECT count(*) FROM dblock_lock WHERE name = $1 AND nonce = $2",
			       l->args, 2) == 0)
		world_break(w, "Q2", "%s: member %d raises somebody else's grant to %lld",
			    client_name(name_of(l)), (int)(l->to - w->servers) + 1,
			    (long long)l->values[0].i);
}

void cluster_carried_out(struct world *w, const struct letter *l)
{
	if (l->op == DBL_OP_bury && l->changed > 0) {
		COUNT(w, buried);
		world_tell(w, l->process, "  member %d buries %.8s", (int)(l->to - w->servers) + 1,
			   l->args[0].text);
	}
	cluster_replace_step(w, l);
	if (l->part == PART_ALSO || l->n_values == 0)
		return;
	if (l->op == DBL_OP_quorum_vote) {
		COUNT(w, votes);
		gives(w, l, l->values[0].i, false);
	} else if (l->op == DBL_OP_quorum_raise) {
		COUNT(w, raises);
		check_raised(w, l);
		gives(w, l, l->values[0].i, true);
	} else if (letter_hands_over(l) && !l->reads && l->values[1].i) {
		COUNT(w, handed_over);
		gives(w, l, l->values[0].i, false);
	}
}

void cluster_lost_commits(struct world *w, struct server *s)
{
	int member = (int)(s - w->servers);

	w->cluster.forgot[member] = true;
	memset(w->cluster.tokens[member], 0, sizeof(w->cluster.tokens[member]));
	snprintf(s->name, sizeof(s->name), "%llu", (unsigned long long)s->network.starts);
}

/* ---- the end -------------------------------------------------------------------------------- */

static const char *left_at(struct server *s, char *to, size_t size)
{
	database_ask_text(s,
			  "SELECT l.name FROM dblock_lock l JOIN dblock_session s "
			  "ON s.id = l.session AND NOT s.dead AND s.expires > $boot "
			  "UNION ALL SELECT q.name || ', ticket ' || q.ticket FROM dblock_queue q "
			  "JOIN dblock_session s "
			  "ON s.id = q.session AND NOT s.dead AND s.expires > $boot "
			  "WHERE q.token IS NOT NULL OR q.ticket > 0 AND q.token IS NULL",
			  to, size);
	return to[0] ? to : NULL;
}

void cluster_quiet(struct world *w)
{
	char names[200];

	for (int i = 0; i < w->n_servers; i++) {
		if (!w->cluster.forgot[i] && left_at(&w->servers[i], names, sizeof(names)))
			world_break(w, "Q6", "at member %d a living session has: %s", i + 1, names);
	}
}
