/* SPDX-License-Identifier: MIT */
/* Tests which action follows from each snapshot: by the clock, and by the watch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lock/queue/snapshot.h"

/* A lock held by a session whose heartbeats are fine. */
static struct dbl_snapshot held(void)
{
	return (struct dbl_snapshot){.own_alive = true,
				     .found = true,
				     .held_by_session = true,
				     .session_found = true,
				     .token = 7,
				     .nonce = 11,
				     .session = "s",
				     .beat = 1,
				     .ttl = 1000,
				     .session_left = 400,
				     .lease_left = DBL_UNKNOWN,
				     .host = "h",
				     .pid = 5,
				     .clock = {.after = 5000}};
}

/* A lock held until its own end. */
static struct dbl_snapshot leased(void)
{
	struct dbl_snapshot s = held();

	s.held_by_session = s.session_found = false;
	s.held_until = true;
	s.session[0] = '\0';
	s.expires = 9000;
	s.lease = 1000;
	s.lease_left = 400;
	s.session_left = DBL_UNKNOWN;
	return s;
}

/* The action after it was watched, unchanged, from 5000 on. */
static enum dbl_action watched(const struct dbl_snapshot *s, int64_t now)
{
	struct dbl_watch watch = {.any = false};

	dbl_watch_note(&watch, s);
	return dbl_judge_watched(s, &watch, now);
}

static void both(const struct dbl_snapshot *s, enum dbl_action action)
{
	assert_int_equal(watched(s, 5000), action);
	assert_int_equal(watched(s, 5000000), action);
	assert_int_equal(dbl_judge_now(s, true), action);
	assert_int_equal(dbl_judge_now(s, false), action);
}

static void plain_verdicts(void **state)
{
	struct dbl_snapshot s = held();

	(void)state;
	s.session_dead = true;
	both(&s, DBL_TAKE);

	s = held();
	s.held_by_session = false; /* free */
	both(&s, DBL_TAKE);

	s = (struct dbl_snapshot){.own_alive = true}; /* the name is not known */
	both(&s, DBL_TAKE);

	s = leased();
	s.lease_left = 0;
	both(&s, DBL_TAKE);
	s.lease_left = -5;
	both(&s, DBL_TAKE);

	/* Whatever the lock looks like, a dead session gets nothing. */
	s = held();
	s.own_alive = false;
	both(&s, DBL_OWN_IS_OVER);
	s.session_dead = true;
	both(&s, DBL_OWN_IS_OVER);
}

static void a_waiter_counts_a_ttl(void **state)
{
	struct dbl_snapshot s = held();

	(void)state;
	assert_int_equal(watched(&s, 5000), DBL_WAIT);
	assert_int_equal(watched(&s, 5999), DBL_WAIT);
	assert_int_equal(watched(&s, 6000), DBL_DECLARE_DEAD);
	/* The database's clock is not asked, whatever it says. */
	s.session_left = -1000000;
	assert_int_equal(watched(&s, 5999), DBL_WAIT);
	s.session_left = 1000000;
	assert_int_equal(watched(&s, 6000), DBL_DECLARE_DEAD);
	s.session_left = DBL_UNKNOWN;
	assert_int_equal(watched(&s, 6000), DBL_DECLARE_DEAD);
	/* Without a session row nothing is ever concluded. */
	s.session_found = false;
	assert_int_equal(watched(&s, INT64_MAX), DBL_WAIT);
}

static void a_waiter_counts_a_lease(void **state)
{
	struct dbl_snapshot s = leased();

	(void)state;
	assert_int_equal(watched(&s, 5999), DBL_WAIT);
	assert_int_equal(watched(&s, 6000), DBL_END_LEASE);
	s.lease_left = DBL_UNKNOWN; /* the end is of another boot's clock */
	assert_int_equal(watched(&s, 5999), DBL_WAIT);
	assert_int_equal(watched(&s, 6000), DBL_END_LEASE);
	s.nonce = 0; /* the rest of a minimum hold */
	assert_int_equal(watched(&s, 6000), DBL_END_LEASE);
}

static void a_try_goes_by_the_databases_clock(void **state)
{
	struct dbl_snapshot s = held();

	(void)state;
	assert_int_equal(dbl_judge_now(&s, true), DBL_WAIT);
	s.session_left = 1;
	assert_int_equal(dbl_judge_now(&s, true), DBL_WAIT);
	s.session_left = 0;
	assert_int_equal(dbl_judge_now(&s, true), DBL_DECLARE_DEAD);
	assert_int_equal(dbl_judge_now(&s, false), DBL_WAIT);
	s.session_left = DBL_UNKNOWN;
	assert_int_equal(dbl_judge_now(&s, true), DBL_WAIT);
	s.session_left = -1;
	s.session_found = false;
	assert_int_equal(dbl_judge_now(&s, true), DBL_WAIT);
	s = leased();
	s.lease_left = DBL_UNKNOWN;
	assert_int_equal(dbl_judge_now(&s, true), DBL_WAIT);
}

/* ---- what makes the watch begin anew --------------------------------------------------------- */

/* Seen at 5000, changed, seen again at 5900: at 6000 nothing may follow yet. */
static void begins_anew(struct dbl_snapshot first, struct dbl_snapshot second)
{
	struct dbl_watch watch = {.any = false};

	dbl_watch_note(&watch, &first);
	second.clock.after = 5900;
	dbl_watch_note(&watch, &second);
	assert_int_equal(dbl_judge_watched(&second, &watch, 6899), DBL_WAIT);
	assert_int_not_equal(dbl_judge_watched(&second, &watch, 6900), DBL_WAIT);
	/* A snapshot that was never noted proves nothing. */
	assert_int_equal(dbl_judge_watched(&first, &watch, 7000000), DBL_WAIT);
}

static void whatever_changes(void **state)
{
	struct dbl_snapshot s;

	(void)state;
	s = held();
	s.beat = 2;
	begins_anew(held(), s);
	s = held();
	strcpy(s.session, "t");
	begins_anew(held(), s);
	begins_anew(held(), leased());
	begins_anew(leased(), held());
	s = leased();
	s.expires = 9001; /* extended */
	begins_anew(leased(), s);
	s = leased();
	s.token = 8;
	begins_anew(leased(), s);
	s = leased();
	s.nonce = 12;
	begins_anew(leased(), s);
}

/* The same session has another lock now: it is still the same heartbeat that was seen. */
static void what_does_not_matter(void **state)
{
	struct dbl_watch watch = {.any = false};
	struct dbl_snapshot s = held();

	(void)state;
	dbl_watch_note(&watch, &s);
	s.token = 8;
	s.nonce = 12;
	s.session_left = 1;
	s.clock.after = 5900;
	dbl_watch_note(&watch, &s);
	assert_int_equal(dbl_judge_watched(&s, &watch, 6000), DBL_DECLARE_DEAD);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void says(const struct dbl_snapshot *s, const char *part)
{
	struct dblock_error err = {0};

	dbl_snapshot_tell(s, "x", &err, DBLOCK_BUSY);
	assert_int_equal(err.code, DBLOCK_BUSY);
	assert_non_null(strstr(err.message, "'x'"));
	assert_non_null(strstr(err.message, part));
}

static void who_has_it(void **state)
{
	struct dbl_snapshot s = held();

	(void)state;
	says(&s, "held by host h, pid 5 (token 7)");
	s.session_found = false;
	says(&s, "only a break");
	s = leased();
	says(&s, "held by host h");
	s.nonce = 0;
	says(&s, "minimum hold");
	s = held();
	s.held_by_session = false;
	says(&s, "somebody else");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_verdicts),
		cmocka_unit_test(a_waiter_counts_a_ttl),
		cmocka_unit_test(a_waiter_counts_a_lease),
		cmocka_unit_test(a_try_goes_by_the_databases_clock),
		cmocka_unit_test(whatever_changes),
		cmocka_unit_test(what_does_not_matter),
		cmocka_unit_test(who_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
