/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/session. All that is sent ends in run(), which plays the database.
 */
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
static int64_t answer; /* the database's answer */
static int64_t takes;  /* us that a request takes */

int __wrap_dbl_link_run(struct dbl_link *, struct dbl_request *, struct dblock_error *);
int __wrap_dbl_link_run(struct dbl_link *link, struct dbl_request *request,
			struct dblock_error *err)
{
	struct dbl_value row[8] = {dbl_int(answer)}; /* and nothing else */

	(void)link;
	(void)err;
	clock_now += takes;
	return request->row ? request->row(request->ctx, row) : 0;
}

bool __wrap_dbl_link_is_connected(const struct dbl_link *);
bool __wrap_dbl_link_is_connected(const struct dbl_link *link)
{
	(void)link;
	return true;
}

int64_t __wrap_dbl_link_losses(const struct dbl_link *);
int64_t __wrap_dbl_link_losses(const struct dbl_link *link)
{
	(void)link;
	return 0;
}

/* A session that goes on, without its thread. */
static bool clean_up(void *unused, struct dbl_cleanup *cleanup, struct dbl_link *link,
		     int64_t deadline)
{
	(void)unused;
	(void)cleanup;
	(void)link;
	(void)deadline;
	return true;
}

static void begin(void)
{
	static const struct dbl_target uncounted;
	struct dblock_error err;

	session =
		(struct dbl_session){.env = &env,
				     .target = &uncounted,
				     .lineage = {.is_read = true},
				     .options = {.ttl = TTL, .timeout = TTL, .clean_up = clean_up}};
	session.until = session.errands_at = session.beat_at = DBL_NEVER;
	assert_int_equal(dbl_mutex_init(&session.mutex), 0);
	assert_int_equal(dbl_cond_init(&session.changed), 0);
	answer = 4 * clock_now;
	assert_int_equal(dbl_epoch_row_begin(&session, DBL_NEVER, &err), 0);
}

/* ---- validity and epochs --------------------------------------------------------------------- */

static struct dbl_validity validity;

static void begin_over(void)
{
	dbl_validity_begin(&validity, 0);
}

static void shorten_to_nothing(void)
{
	dbl_validity_shorten(&validity, -1);
}

static void renew_until_before_time(void)
{
	dbl_validity_begin(&validity, 10);
	(void)dbl_validity_renew(&validity, 1, -5);
}

static void count_from_before_time(void)
{
	(void)dbl_validity_deadline(-1, 1000);
}

static void end_an_epoch_for_no_reason(void)
{
	dbl_epoch_end(session.epoch, DBLOCK_LOSS_NONE, clock_now);
}

static void share_what_was_dropped(void)
{
	session.epoch->shares = 0;
	dbl_epoch_share(session.epoch);
}

static void drop_twice(void)
{
	session.epoch->shares = 0;
	dbl_epoch_drop(session.epoch);
}

/* ---- heartbeats ------------------------------------------------------------------------------ */

static void be_answered_before_asking(void)
{
	takes = -500;
	(void)dbl_heartbeat_send(&session, DBL_NEVER, NULL);
}

static void ask_two_at_once(void)
{
	session.clock.after = clock_now + 1;
	(void)dbl_heartbeat_send(&session, DBL_NEVER, NULL);
}

static void begin_an_epoch_beside_the_first(void)
{
	(void)dbl_epoch_row_begin(&session, DBL_NEVER, NULL);
}

static void bury_the_living(void)
{
	dbl_epoch_row_declare_dead(&session, DBL_NEVER);
}

static void beat_without_a_row(void)
{
	session.epoch->n_beats = 0;
	(void)dbl_heartbeat_send(&session, DBL_NEVER, NULL);
}

static void drop_the_first_beat(void)
{
	session.epoch->n_beats = 1;
	dbl_epoch_drop_beat(session.epoch);
}

/* ---- what rides along ------------------------------------------------------------------------ */

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
	dbl_session_give_back(&session, dbl_cleanup_new("a"), 5, 0);
}

static void clean_it_up_twice(void)
{
	struct dbl_cleanup *cleanup = dbl_cleanup_new("a");

	dbl_session_give_back(&session, cleanup, 5, 6);
	dbl_session_give_back(&session, cleanup, 5, 6);
}

static void free_what_the_heartbeat_thread_cleans_up(void)
{
	session.heartbeat_thread.started = true;
	dbl_cleanups_free(&session);
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
	{"dbl_validity_begin", "deadline > 0", begin_over},
	{"dbl_validity_shorten", "deadline > 0", shorten_to_nothing},
	{"dbl_validity_renew", "deadline > 0", renew_until_before_time},
	{"dbl_validity_deadline", "sent >= 0", count_from_before_time},
	{"dbl_epoch_end", "cause == DBLOCK_LOSS_FORGOTTEN", end_an_epoch_for_no_reason},
	{"dbl_epoch_share", "shares) > 0", share_what_was_dropped},
	{"dbl_epoch_drop", "shares) > 0", drop_twice},
	{"note_clock", "sample.before <= sample.after", be_answered_before_asking},
	{"note_clock", "session->clock.after <= sent", ask_two_at_once},
	{"publish", "!before || is_over(before)", begin_an_epoch_beside_the_first},
	{"dbl_epoch_row_declare_dead", "is_over(session->epoch)", bury_the_living},
	{"dbl_epoch_next_beat", "epoch->n_beats > 0", beat_without_a_row},
	{"dbl_epoch_drop_beat", "epoch->n_beats > 1", drop_the_first_beat},
	{"dbl_session_errand", "within >= 0", errand_in_the_past},
	{"dbl_session_beat_soon", "session->beaten_at <=", beaten_in_the_future},
	{"keep", "nonce != 0", give_back_what_is_anybodys},
	{"keep", "!cleanup->next && cleanup->nonce == 0", clean_it_up_twice},
	{"dbl_cleanups_free", "!session->heartbeat_thread.started",
	 free_what_the_heartbeat_thread_cleans_up},
	{"session_new", "options->ttl > 0", open_without_a_ttl},
	{"dbl_session_clock_agrees", "now->before <= now->after", read_the_clock_backwards},
	{0},
};

static void each_fails(void **state)
{
	(void)state;
	begin();
	assert_deaths(deaths);
	dbl_epoch_drop(session.epoch);
}

/* The assertions hold if nobody breaks them. */
static void a_session_that_goes_on_breaks_none(void **state)
{
	(void)state;
	begin();
	takes = 100;
	for (int i = 0; i < 3; i++) {
		struct dblock_error err;

		answer = 4 * clock_now;
		assert_int_equal(dbl_heartbeat_send(&session, DBL_NEVER, &err), 0);
	}
	dbl_session_give_back(&session, dbl_cleanup_new("a"), 5, 6);
	dbl_session_leave_queue(&session, dbl_cleanup_new("b"), 7);
	dbl_cleanups_run(&session, DBL_NEVER);
	dbl_epoch_end(session.epoch, DBLOCK_LOSS_FORGOTTEN, clock_now);
	dbl_epoch_row_declare_dead(&session, DBL_NEVER);
	dbl_cleanups_free(&session);
	dbl_epoch_drop(session.epoch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fails),
		cmocka_unit_test(a_session_that_goes_on_breaks_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
