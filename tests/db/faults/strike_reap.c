/* SPDX-License-Identifier: MIT */
/* Reaping, with each driver call in turn going wrong in each way. */
#include "db/faults/strike_kit.h"
#include "driver/value.h"
#include "support/puppet.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

enum { HOUR_MS = 3600000, PUPPET_TTL_MS = 300 };

/* ---- reap ----------------------------------------------------------------------------------- */

/* What the reaper meets: a session that looks expired and holds `x`, one long dead, a name long
 * unused. */
struct ruin {
	struct puppet *dying, *dead;
	int64_t token; /* the token of the last grant of `old` */
};

static struct puppet *another_session(struct stage *s, struct puppet *p)
{
	const struct dbl_env *env = strike_calm(s->strike);

	if (!p)
		return puppet_new(env, PUPPET_TTL_MS);
	assert_int_equal(dbl_random_hex(env, p->id), 0);
	puppet_run(p, DBL_OP_session_open,
		   DBL_ARGS_OF(dbl_text(p->id), dbl_text("puppet"), dbl_int(1), dbl_text("puppet"),
			       dbl_int(p->ttl), dbl_int(p->beat), dbl_text(""), dbl_int(1)));
	return p;
}

static void with_ruin(struct stage *s)
{
	struct ruin *ruin = s->own ? s->own : calloc(1, sizeof(*ruin));

	s->own = ruin;
	ruin->token = is_free(s->calm, "old");
	raw_exec(s->raw, "UPDATE dblock_lock SET acquired = {now} - 86400000000, "
			 "released = {now} - 86400000000 WHERE name = 'old'");
	ruin->dying = another_session(s, ruin->dying);
	assert_true(puppet_takes(ruin->dying, "x"));
	ruin->dead = another_session(s, ruin->dead);
	raw_exec(s->raw,
		 "UPDATE dblock_session SET expires = {boot} - 1000000 WHERE app = 'puppet'");
	raw_exec(s->raw,
		 "UPDATE dblock_session SET dead = true, ended = {now} - 86400000000 WHERE "
		 "id = '%s'",
		 ruin->dead->id);
	with_client(s);
}

static int reap(struct dblock_client *client, struct dblock_error *err)
{
	struct dblock_reap_options how = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;

	how.purge_after_ms = HOUR_MS;
	return dblock_reap(client, &how, &reaped, err);
}

static int call_reap(struct stage *s, struct dblock_error *err)
{
	return reap(s->client, err);
}

static int64_t rows_of(struct stage *s, const struct puppet *puppet)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_session WHERE id = '%s'", puppet->id);
}

static int64_t rows_of_old(struct stage *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_lock WHERE name = 'old'");
}

/* Reaps until all is done. A locked row is passed over, and a server's process may take a while to
 * notice that its client is gone, and to let go of its rows. */
static void reap_the_rest(struct stage *s)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};

	do {
		expect(OK, reap(s->calm, &err));
	} while (rows_of_old(s) > 0 && clock_ms() < until);
}

/* All of it is done: nothing that lives is touched, and nothing is forgotten but by the rules. */
static void is_cleared(struct stage *s)
{
	struct ruin *ruin = s->own;

	assert_false(puppet_beats(ruin->dying));
	assert_int_equal(show(s->calm, "x").h.hold, DBLOCK_HOLD_FREE);
	assert_int_equal(rows_of(s, ruin->dead), 0);
	assert_int_equal(rows_of(s, ruin->dying), 1);
	assert_int_equal(rows_of_old(s), 0);
	assert_true(raw_int(s->raw, "SELECT token FROM dblock_floor") >= ruin->token);
}

static void check_reaped(struct stage *s, int rc)
{
	struct ruin *ruin = s->own;

	if (rc == DBLOCK_OK && is_single_loss(s) && on_backend("sqlite"))
		is_cleared(s); /* nobody else can have a row locked there */
	else if (rc && is_single_loss(s))
		assert_string_equal(strike_what(s->strike), "exec tx_commit");
	strike_disarm(s->strike);
	strike_let_go(s->strike);
	/* Whatever the outcome was, the next reap finishes the work. */
	reap_the_rest(s);
	is_cleared(s);
	assert_true(is_free(s->calm, "old") > ruin->token);
}

/* The call does not ask whether a purge was committed: the next pass does what is left. */
PLAY(reap, .prepare = with_ruin, .call = call_reap, .check = check_reaped, .least = 25,
     .large = true, .frail = true, .may = {FAILURES})

static int tear_down(void **state)
{
	struct stage *s = *state;
	struct ruin *ruin = s->own;

	if (ruin) {
		puppet_free(ruin->dying);
		puppet_free(ruin->dead);
		free(ruin);
	}
	return strike_tear_down(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(play_reap, strike_set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
