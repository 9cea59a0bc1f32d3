/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/watch. */
#include "unit/lock/handle_kit.h"

#include "lock/watch/nonce_census.h"
#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"
#include "lock/watch/requested.h"
#include "lock/watch/revoked.h"
#include "lock/watch/watchdog.h"

static void set_up(void)
{
	kit_begin_handles();
	locks.watchdog = dbl_watchdog_new();
}

/* ---- the watchdog: its thread fails when it looks -------------------------------------------- */

static void start(void)
{
	assert_int_equal(dbl_watchdog_start(&locks), 0);
	dbl_thread_join(&locks.watchdog->thread); /* the join waits for its death */
}

static void tell_while_telling(void)
{
	kit_held("a");
	locks.telling = kit_held("b");
	dbl_validity_end(&epoch.validity);
	start();
}

static void tell_of_a_request_while_telling(void)
{
	const struct dbl_value text = dbl_text("x");

	kit_held("a")->watched.requester = dbl_requester_new(&text, &text, 1, &text, 1);
	locks.telling = kit_held("b");
	start();
}

static void is_me_without_the_mutex(void)
{
	(void)dbl_watchdog_is_me(&locks);
}

static void stop_oneself(void)
{
	locks.watchdog->thread_id = dbl_thread_id();
	dbl_watchdog_stop(&locks);
}

static void catch_up_with_oneself(void)
{
	locks.watchdog->thread_id = dbl_thread_id();
	dbl_watchdog_catch_up(&locks, DBL_NEVER);
}

static void watch_without_the_mutex(void)
{
	dbl_watchdog_watch(kit_held("a"));
}

static void leave_without_the_mutex(void)
{
	dbl_watchdog_leave(kit_held("a"));
}

static void leave_what_is_still_acquired(void)
{
	struct dblock_lock *lock = kit_held("a");

	dbl_lock(&locks.mutex);
	dbl_watchdog_leave(lock);
}

static void free_it_while_it_runs(void)
{
	locks.watchdog->thread.started = true;
	dbl_watchdog_free(locks.watchdog);
}

/* ---- requests, and revoked grants ------------------------------------------------------------ */

static void be_asked_for_no_token(void)
{
	dbl_requests_notified(&locks, 0);
}

static void take_away(enum dblock_loss_cause cause, int64_t token)
{
	bool ours = true, told;

	(void)dbl_revoked_own(&locks, "a", cause, token, 50, &ours, &told, NULL);
}

static void take_away_for_another_cause(void)
{
	kit_held("a");
	take_away(DBLOCK_LOSS_LEASE, 100);
}

static void take_away_no_token(void)
{
	take_away(DBLOCK_LOSS_BROKEN, 0);
}

static void check_without_the_mutex(void)
{
	dbl_revoked_check(kit_held("a"));
}

/* ---- the nonce census ------------------------------------------------------------------------ */

static void find_a_use_of_any_name(void)
{
	const struct dbl_census census = {.n = 0};

	(void)dbl_census_find(&census, 50, 0);
}

static void is_at_rest_without_the_mutex(void)
{
	(void)dbl_census_at_rest(kit_held("a"));
}

static void use_an_order_for_a_nonce(void)
{
	struct dbl_census census;

	kit_held("a")->grant.nonce = -1;
	(void)dbl_census_note(&locks, &census);
}

/* ---- after a crash --------------------------------------------------------------------------- */

static void beat_before_the_client_is_whole(void)
{
	locks.host = NULL;
	dbl_reconcile(&locks, &kit_link, DBL_NEVER);
}

static void lose_fewer_connections_than_before(void)
{
	locks.watchdog->losses = 5;
	dbl_reconcile(&locks, &kit_link, DBL_NEVER);
}

static int play_names_backwards(struct dbl_request *request)
{
	static const char *const names[] = {"b", "a"};

	for (int i = 0; i < 2 && request->op == DBL_OP_own_grants; i++) {
		struct dbl_value row[4] = {dbl_text(names[i]), dbl_int(0), dbl_int(100),
					   dbl_int(1)};

		request->row(request->ctx, row);
	}
	return 0;
}

static void read_pages_out_of_order(void)
{
	play = play_names_backwards;
	dbl_reconcile_soon(&locks);
	dbl_reconcile(&locks, &kit_link, DBL_NEVER);
}

static const struct death deaths[] = {
	{"tell", "!lock->told && !locks->telling", tell_while_telling},
	{"tell_requested", "requester && !lock->told", tell_of_a_request_while_telling},
	{"dbl_watchdog_is_me", "== dbl_thread_id()", is_me_without_the_mutex},
	{"dbl_watchdog_stop", "!dbl_watchdog_is_me(locks)", stop_oneself},
	{"dbl_watchdog_catch_up", "!dbl_watchdog_is_me(locks)", catch_up_with_oneself},
	{"dbl_watchdog_watch", "== dbl_thread_id()", watch_without_the_mutex},
	{"dbl_watchdog_leave", "== dbl_thread_id()", leave_without_the_mutex},
	{"dbl_watchdog_leave", "lock->count == 0", leave_what_is_still_acquired},
	{"dbl_watchdog_free", "!w->thread.started", free_it_while_it_runs},
	{"find", "token > 0", be_asked_for_no_token},
	{"lose", "by->cause == DBLOCK_LOSS_BROKEN", take_away_for_another_cause},
	{"apply", "r->token > 0", take_away_no_token},
	{"dbl_revoked_check", "== dbl_thread_id()", check_without_the_mutex},
	{"dbl_census_find", "name != 0", find_a_use_of_any_name},
	{"dbl_census_at_rest", "== dbl_thread_id()", is_at_rest_without_the_mutex},
	{"add", "nonce >= 0", use_an_order_for_a_nonce},
	{"dbl_reconcile", "locks->host", beat_before_the_client_is_whole},
	{"note_losses", "total >= w->losses", lose_fewer_connections_than_before},
	{"take_lock", "is_behind(row, p->last)", read_pages_out_of_order},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
