/* SPDX-License-Identifier: MIT */
/* What must hold when the faults are over, and at the end. */
#include "sim/check.h"
#include "sim/client.h"
#include "sim/world.h"

/* ---- the end -------------------------------------------------------------------------------- */

static void check_living(struct world *w)
{
	int alive = 0;
	int64_t beating = database_ask(w->servers, "SELECT count(*) FROM dblock_session "
						   "WHERE NOT dead AND expires > $boot");

	for (int i = 0; i < w->n_processes; i++)
		alive += w->processes[i].idle;
	if (beating != alive)
		world_break(w, "C10", "%d clients are open, %lld sessions beat", alive,
			    (long long)beating);
}

void check_quiet(struct world *w)
{
	char names[100];

	database_ask_text(w->servers,
			  "SELECT l.name FROM dblock_lock l JOIN dblock_session s "
			  "ON s.id = l.session AND NOT s.dead AND s.expires > $boot "
			  "UNION ALL SELECT q.name || ' (row)' FROM dblock_queue q "
			  "JOIN dblock_session s "
			  "ON s.id = q.session AND NOT s.dead AND s.expires > $boot "
			  "WHERE q.token IS NOT NULL AND q.expires IS NULL",
			  names, sizeof(names));
	/* A lock is not held even if the commit of its release was lost: its client reconciles. */
	if (names[0])
		world_break(w, "C13", "a living session holds what nobody has: %s", names);
	database_ask_text(w->servers,
			  "SELECT q.name || ', ticket ' || q.ticket FROM dblock_queue q "
			  "JOIN dblock_session s "
			  "ON s.id = q.session AND NOT s.dead AND s.expires > $boot "
			  "WHERE q.token IS NULL",
			  names, sizeof(names));
	if (names[0] && w->history.losses == 0)
		world_break(w, "C13", "a living session waits for nobody: %s", names);
	check_living(w);
}

void check_no_residue(struct server *s)
{
	struct world *w = s->world;
	char names[100];

	database_ask_text(s,
			  "SELECT name FROM dblock_lock WHERE session IS NOT NULL "
			  "OR expires IS NOT NULL OR nonce <> 0",
			  names, sizeof(names));
	if (names[0])
		world_break(w, "C13", "held by nobody, for ever: %s", names);
	database_ask_text(s, "SELECT name FROM dblock_queue WHERE token IS NOT NULL", names,
			  sizeof(names));
	if (names[0])
		world_break(w, "C13", "held by a row of nobody, for ever: %s", names);
	database_ask_text(s,
			  "SELECT w.name || ' of ' || w.session || ', ticket ' || w.ticket || "
			  "coalesce(', dead ' || s.dead, ', unknown') "
			  "FROM dblock_queue w LEFT JOIN dblock_session s ON s.id = w.session "
			  "WHERE s.id IS NULL OR s.dead",
			  names, sizeof(names));
	if (names[0])
		world_break(w, "C13", "somebody who is gone is left in a line: %s", names);
	if (database_ask(s, "SELECT count(*) FROM dblock_session") != 1)
		world_break(w, "C13", "sessions of clients that are gone are left");
}
