/* SPDX-License-Identifier: MIT */
/* The answer to home's COMMIT is lost; and before who sent it goes on, a recovery has finished and forgotten all, or home
 * is another one. What he says then is true, and what he does. */
#include "db/global/two.h"

#include "support/strike.h"

enum { TIMEOUT_MS = 60000 };

struct scene {
	struct two two;
	struct strike *strike;
	struct dbl_env env;
	void (*meanwhile)(struct two *);
	pthread_t player;
	bool is_over;
};

static struct scene *scene;

/* The first look at the clock after the answer was lost. */
static int64_t later(void *ctx)
{
	struct scene *s = scene;

	if (pthread_equal(s->player, pthread_self()) && !s->is_over && s->two.at_home &&
	    strcmp(strike_what(s->strike), "exec tx_commit") == 0 &&
	    dbl_db_broken(s->two.at_home->db)) {
		s->is_over = true;
		s->meanwhile(&s->two);
	}
	return strike_now_us(ctx);
}

/* As if the k-th answer from its commit on were lost. */
static int commit_without(struct scene *s, void (*meanwhile)(struct two *), int k)
{
	struct dblock_error err = {0};
	int rc;

	*s = (struct scene){
		.meanwhile = meanwhile, .player = pthread_self(), .strike = strike_new()};
	scene = s;
	s->env = *strike_env(s->strike);
	s->env.now = later;
	two_make(&s->two);
	s->two.home = two_client("h_", &s->env, TIMEOUT_MS);
	s->two.other = two_client(NULL, &s->env, TIMEOUT_MS);
	expect(OK, two_begin(&s->two, &err));
	strike_arm(s->strike, STRIKE_REPLY_LOST, k);
	rc = dblock_global_commit(s->two.global, &err);
	(void)strike_disarm(s->strike);
	return rc;
}

static bool is_recovered(struct two *t)
{
	struct dblock_error err = {0};

	expect(OK, two_recover(t, &err));
	return two_prepared(t) == 0;
}

static void end(struct scene *s)
{
	two_end(&s->two);
	wait_until(is_recovered(&s->two));
	dblock_close(s->two.other, NULL);
	dblock_close(s->two.home, NULL);
	two_free(&s->two);
	strike_free(s->strike);
}

static void commit(struct scene *s, void (*meanwhile)(struct two *), int rc)
{
	static int k = 1; /* each database has its own number of calls before that */

	for (;; k++) {
		int got = commit_without(s, meanwhile, k);

		if (strcmp(strike_what(s->strike), "exec tx_commit") == 0) {
			assert_int_equal(got, rc);
			assert_true(s->is_over);
			return;
		}
		assert_true(strike_struck(s->strike));
		end(s);
	}
}

static void nothing(struct two *t)
{
	(void)t;
}

static void it_is_committed(void **state)
{
	struct scene s;
	struct dblock_error err = {0};

	(void)state;
	commit(&s, nothing, DBLOCK_OK);
	expect(OK, two_recover(&s.two, &err));
	two_is_over(&s.two, true);
	end(&s);
}

/* It commits the branch, but for MariaDB, which does that for nobody else as long as its connection is there. */
static void recover_all(struct two *t)
{
	struct dblock_error err = {0};

	for (int i = 0; i < 2; i++)
		expect(OK, two_recover(t, &err));
}

/* Naive: there is no decision, so an abort is written, and believed. */
static void a_recovery_has_done_it(void **state)
{
	bool by_others = !on_database("mariadb");
	struct scene s;

	(void)state;
	commit(&s, recover_all, by_others ? DBLOCK_E_UNSURE : DBLOCK_OK);
	assert_int_equal(two_count(&s.two, "orders"), 1);
	assert_int_equal(two_count(&s.two, "stock"), 1);
	assert_int_equal(two_prepared(&s.two), 0);
	end(&s);
}

/* It was restored from before that. */
static void forget_the_decision(struct two *t)
{
	raw_exec(t->raw, "DELETE FROM h_decision");
	raw_exec(t->raw, "INSERT INTO h_history (n, id, facts, since) SELECT max(n) + 1, "
			 "'0123456789abcdef0123456789abcdef', max(facts), 1 FROM h_history");
}

/* Naive: the branch is rolled back; another one may have been committed by a recovery before home forgot. */
static void home_has_forgotten_it(void **state)
{
	struct scene s;

	(void)state;
	commit(&s, forget_the_decision, DBLOCK_E_UNSURE);
	assert_int_equal(two_prepared(&s.two), 1);
	assert_int_equal(two_count(&s.two, "h_decision"), 0); /* which each recovery would obey */
	raw_exec(s.two.raw, "DELETE FROM h_history WHERE id = '0123456789abcdef0123456789abcdef'");
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_committed),
					   cmocka_unit_test(a_recovery_has_done_it),
					   cmocka_unit_test(home_has_forgotten_it)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
