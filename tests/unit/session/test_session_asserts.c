/* SPDX-License-Identifier: MIT */
/* What src/session asserts, broken on purpose. What is sent ends in run(), which plays the
 * database. */
#include "support/death.h"

#include <dblock/loss.h>

#include "base/mem.h"
#include "driver/value.h"
#include "session/internal.h"

enum { TTL = 10000000 };

static int64_t clock_now = 1000;

static int64_t now(void *unused)
{
	(void)unused;
	return clock_now;
}

static int no_chance(void *unused, void *bytes, size_t len)
{
	(void)unused;
	memset(bytes, 7, len);
	return 0;
}

static const struct dbl_env env = {.now = now, .random = no_chance};
static struct dbl_session session;
static int64_t answer; /* of the database */
static int64_t takes;  /* us: what a request takes */

int __wrap_dbl_link_run(struct dbl_link *, struct dbl_request *, struct dblock_error *);
int __wrap_dbl_link_run(struct dbl_link *link, struct dbl_request *request,
			struct dblock_error *err)
{
	struct dbl_value row = dbl_int(answer);

	(void)link;
	(void)err;
	clock_now += takes;
	return request->row ? request->row(request->ctx, &row) : 0;
}

/* A session that goes on, without its thread. */
static void begin(void)
{
	struct dblock_error err;

	session = (struct dbl_session){.env = &env, .options = {.ttl = TTL, .timeout = TTL}};
	session.until = session.errands_at = session.beat_at = DBL_NEVER;
	assert_int_equal(dbl_mutex_init(&session.mutex), 0);
	assert_int_equal(dbl_cond_init(&session.changed), 0);
	answer = 4 * clock_now;
	assert_int_equal(dbl_keeper_begin_life(&session, DBL_NEVER, &err), 0);
}

/* ---- terms and lives ----------------------------------------------------------------------------
 */

static struct dbl_term term;

static void begin_over(void)
{
	dbl_term_begin(&term, 0);
}

static void shorten_to_nothing(void)
{
	dbl_term_shorten(&term, -1);
}

static void renew_until_before_time(void)
{
	dbl_term_begin(&term, 10);
	(void)dbl_term_renew(&term, 1, -5);
}

static void count_from_before_time(void)
{
	(void)dbl_term_deadline(-1, 1000);
}

static void end_a_life_for_no_reason(void)
{
	dbl_life_end(session.life, DBLOCK_LOSS_NONE, clock_now);
}

static void share_what_was_dropped(void)
{
	session.life->shares = 0;
	dbl_life_share(session.life);
}

static void drop_twice(void)
{
	session.life->shares = 0;
	dbl_life_drop(session.life);
}

/* ---- heartbeats ---------------------------------------------------------------------------------
 */

static void be_answered_before_asking(void)
{
	takes = -500;
	(void)dbl_keeper_beat(&session, DBL_NEVER, NULL);
}

static void ask_two_at_once(void)
{
	session.clock.after = clock_now + 1;
	(void)dbl_keeper_beat(&session, DBL_NEVER, NULL);
}

static void begin_a_life_beside_the_first(void)
{
	(void)dbl_keeper_begin_life(&session, DBL_NEVER, NULL);
}

static void bury_the_living(void)
{
	dbl_keeper_bury_own(&session, DBL_NEVER);
}

static void beat_without_a_row(void)
{
	session.life->beat = 0;
	(void)dbl_keeper_beat(&session, DBL_NEVER, NULL);
}

/* ---- what rides along ---------------------------------------------------------------------------
 */

static void errand_in_the_past(void)
{
	dbl_session_errand(&session, -1);
}

static void beaten_in_the_future(void)
{
	session.beaten_at = clock_now + 1;
	dbl_session_beat_soon(&session);
}

static void give_back_what_is_anybodys(void)
{
	dbl_session_give_back(&session, dbl_debt_new("a"), 5, 0);
}

static void owe_it_twice(void)
{
	struct dbl_debt *debt = dbl_debt_new("a");

	dbl_session_give_back(&session, debt, 5, 6);
	dbl_session_give_back(&session, debt, 5, 6);
}

static void leave_the_line_with_a_grant(void)
{
	struct dbl_debt *debt = dbl_debt_new("a");

	dbl_session_leave_line(&session, debt, 6);
	debt->token = 5;
	dbl_debts_settle(&session, DBL_NEVER);
}

static void have_left_where_it_never_was(void)
{
	struct dbl_debt *debt = dbl_debt_new("a");

	debt->left = true;
	dbl_session_give_back(&session, debt, 0, 6);
	dbl_debts_settle(&session, DBL_NEVER);
}

static void free_what_the_keeper_settles(void)
{
	session.keeper.started = true;
	dbl_debts_free(&session);
}

static void open_without_a_ttl(void)
{
	static const struct dbl_target target = {.env = &env};
	const struct dbl_session_options options = {.timeout = TTL};
	struct dbl_session *opened;

	(void)dbl_session_open(&opened, &target, &options, DBL_NEVER, NULL);
}

static void read_the_clock_backwards(void)
{
	const struct dbl_clock_sample sample = {.before = 2, .after = 1};

	(void)dbl_session_clock_agrees(&session, &sample);
}

static const struct death deaths[] = {
	{"dbl_term_begin", "deadline > 0", begin_over},
	{"dbl_term_shorten", "deadline > 0", shorten_to_nothing},
	{"dbl_term_renew", "deadline > 0", renew_until_before_time},
	{"dbl_term_deadline", "sent >= 0", count_from_before_time},
	{"dbl_life_end", "cause == DBLOCK_LOSS_FORGOTTEN", end_a_life_for_no_reason},
	{"dbl_life_share", "shares) > 0", share_what_was_dropped},
	{"dbl_life_drop", "shares) > 0", drop_twice},
	{"note_clock", "sample.before <= sample.after", be_answered_before_asking},
	{"note_clock", "session->clock.after <= sent", ask_two_at_once},
	{"publish", "!before || is_over(before)", begin_a_life_beside_the_first},
	{"dbl_keeper_bury_own", "is_over(session->life)", bury_the_living},
	{"dbl_keeper_beat", "life->beat > 1", beat_without_a_row},
	{"dbl_session_errand", "within >= 0", errand_in_the_past},
	{"dbl_session_beat_soon", "session->beaten_at <=", beaten_in_the_future},
	{"keep", "nonce != 0", give_back_what_is_anybodys},
	{"keep", "!debt->next && debt->nonce == 0", owe_it_twice},
	{"settle", "!debt->in_line || debt->token == 0", leave_the_line_with_a_grant},
	{"settle", "debt->in_line || (", have_left_where_it_never_was},
	{"dbl_debts_free", "!session->keeper.started", free_what_the_keeper_settles},
	{"session_new", "options->ttl > 0", open_without_a_ttl},
	{"dbl_session_clock_agrees", "now->before <= now->after", read_the_clock_backwards},
	{0},
};

static void each_fails(void **state)
{
	(void)state;
	begin();
	assert_deaths(deaths);
}

/* What they stand for holds where nobody breaks it. */
static void a_session_that_goes_on_breaks_none(void **state)
{
	(void)state;
	begin();
	takes = 100;
	for (int i = 0; i < 3; i++) {
		struct dblock_error err;

		answer = 4 * clock_now;
		assert_int_equal(dbl_keeper_beat(&session, DBL_NEVER, &err), 0);
	}
	dbl_session_give_back(&session, dbl_debt_new("a"), 5, 6);
	dbl_session_leave_line(&session, dbl_debt_new("b"), 7);
	dbl_debts_settle(&session, DBL_NEVER);
	dbl_life_end(session.life, DBLOCK_LOSS_FORGOTTEN, clock_now);
	dbl_keeper_bury_own(&session, DBL_NEVER);
	dbl_debts_free(&session);
	dbl_life_drop(session.life);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fails),
		cmocka_unit_test(a_session_that_goes_on_breaks_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
