/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of snapshots, and of what follows from them. */
#include "unit/lock/asserts_kit.h"

#include "lock/queue/advance.h"

static struct dbl_value look_row[DBL_COLUMNS_MAX];

static int play_look(struct dbl_request *request)
{
	return request->row(request->ctx, look_row);
}

static void look(void)
{
	struct dbl_snapshot snapshot;

	play = play_look;
	(void)dbl_look(&kit_link, "a", NULL, 0, DBL_NEVER, &snapshot, NULL);
}

static void held_in_two_ways(void)
{
	look_row[3] = dbl_text(epoch.id);
	look_row[4] = dbl_int(NOW);
	look();
}

static void a_row_above_its_lock(void)
{
	look_row[1] = dbl_int(100);
	look_row[19] = dbl_int(101);
	look();
}

static void see_before_the_last_sight(void)
{
	struct dbl_watch watch = {.since = NOW + 1};
	const struct dbl_snapshot snapshot = {.clock.after = NOW};

	dbl_watch_note(&watch, &snapshot);
}

static void judge_before_it_was_seen(void)
{
	const struct dbl_watch watch = {.since = NOW + 1};
	const struct dbl_snapshot snapshot = {.found = true};

	(void)dbl_judge_watched(&snapshot, &watch, NOW);
}

static void declare(const struct dbl_snapshot *snapshot, enum dbl_action action)
{
	const struct dbl_asker by = {.link = &kit_link};

	(void)dbl_declare(&by, "a", snapshot, action, DBL_NEVER, NULL);
}

static void bury_a_session_that_is_not_there(void)
{
	const struct dbl_snapshot snapshot = {.held_by_session = true};

	declare(&snapshot, DBL_DECLARE_DEAD);
}

static void end_a_lease_that_is_none(void)
{
	const struct dbl_snapshot snapshot = {.held_by_session = true, .session_found = true};

	declare(&snapshot, DBL_END_LEASE);
}

static void free_what_nobody_has(void)
{
	const struct dbl_snapshot snapshot = {.held_until = true};

	declare(&snapshot, DBL_END_REVOKED);
}

static void declare_one_who_is_waited_for(void)
{
	const struct dbl_snapshot snapshot = {.token = 5};

	(void)dbl_advance_declare(&locks, "a", &snapshot, DBL_WAIT, DBL_NEVER, NULL);
}

static void end_a_row_that_holds_nothing(void)
{
	const struct dbl_snapshot snapshot = {.token = 0};

	(void)dbl_advance_declare(&locks, "a", &snapshot, DBL_END_LEASE, DBL_NEVER, NULL);
}

static const struct death deaths[] = {
	{"take_snapshot", "!snapshot->held_by_session || !snapshot->held_until", held_in_two_ways},
	{"take_snapshot", "snapshot->row_token <= snapshot->token", a_row_above_its_lock},
	{"dbl_watch_note", "snapshot->clock.after >= watch->since", see_before_the_last_sight},
	{"dbl_judge_watched", "watched >= 0", judge_before_it_was_seen},
	{"dbl_declare", "action != DBL_DECLARE_DEAD", bury_a_session_that_is_not_there},
	{"dbl_declare", "action != DBL_END_LEASE", end_a_lease_that_is_none},
	{"dbl_declare", "action != DBL_END_REVOKED", free_what_nobody_has},
	{"dbl_advance_declare", "action == DBL_DECLARE_DEAD ||", declare_one_who_is_waited_for},
	{"dbl_advance_declare", "snapshot->token > 0", end_a_row_that_holds_nothing},
	{0},
};

static void nothing_more(void)
{
}

ASSERTS_MAIN(nothing_more, deaths)
