/* SPDX-License-Identifier: MIT */
/* A transaction over two databases while each driver call in turn goes wrong in each way: whatever its outcome, after the
 * recovery both are alike, as was said, and nothing is in doubt. */
#include "db/global/two.h"

#include "support/strike.h"
#include "support/thin.h"

enum { TIMEOUT_MS = 60000 };

static const char *const names[STRIKE_KINDS] = {
	"unsent", "lost", "reply lost",   "half a reply", "stubborn",     "down",
	"dark",   "late", "late, pooled", "stray",        "stray, pooled"};

struct play {
	struct two two;
	struct strike *strike;
	enum strike_kind kind;
	int k;
};

#define FAIL(p, ...)                                                                               \
	do {                                                                                       \
		print_error("call %d (%s) %s: ", (p)->k, strike_what((p)->strike),                 \
			    names[(p)->kind]);                                                     \
		fail_msg(__VA_ARGS__);                                                             \
	} while (0)

static int call(struct two *t, bool *begun, struct dblock_error *err)
{
	int rc = two_begin(t, err);

	*begun = rc == 0;
	return rc ? rc : dblock_global_commit(t->global, err);
}

/* Everything that was left is finished, sooner or later: a server may not have noticed yet that a connection is gone. */
static bool is_settled(struct play *p)
{
	struct dblock_error err = {0};
	int rc = two_recover(&p->two, &err);

	if (rc)
		FAIL(p, "the recovery: %s", err.message);
	if (p->two.told && p->two.outcome == DBLOCK_RECOVERED_IN_DOUBT)
		FAIL(p, "in doubt: %s", p->two.text);
	return two_prepared(&p->two) == 0 &&
	       raw_int(p->two.raw, "SELECT count(*) FROM h_decision WHERE state = 1") == 0;
}

static void check(struct play *p, int rc, bool begun, const struct dblock_error *err)
{
	int64_t orders, stock;

	wait_until(is_settled(p));
	orders = two_count(&p->two, "orders");
	stock = two_count(&p->two, "stock");
	if (orders != stock)
		FAIL(p, "%s: %lld orders, %lld in stock: %s", dblock_outcome_name(rc),
		     (long long)orders, (long long)stock, err->message);
	if (rc == 0 && orders != 1)
		FAIL(p, "it said that it was committed");
	if (rc && rc != DBLOCK_E_UNSURE && orders != 0)
		FAIL(p, "%s, but it was committed: %s", dblock_outcome_name(rc), err->message);
	if (rc == DBLOCK_E_UNSURE && begun && strstr(strike_what(p->strike), " branch_"))
		FAIL(p, "it is unsure, though the home was not asked yet: %s", err->message);
	if (rc == DBLOCK_E_UNSURE && !begun && orders != 0)
		FAIL(p, "it was committed, though nobody has asked for that");
}

/* Returns whether there was a k-th call. */
static bool play(struct play *p)
{
	struct dblock_error err = {0};
	bool begun, struck;
	int rc;

	two_make(&p->two);
	p->two.home = two_client("h_", strike_env(p->strike), TIMEOUT_MS);
	p->two.other = two_client(NULL, strike_env(p->strike), TIMEOUT_MS);
	strike_arm(p->strike, p->kind, p->k);
	rc = call(&p->two, &begun, &err);
	(void)strike_disarm(p->strike);
	struck = strike_struck(p->strike);
	if (!struck && rc)
		FAIL(p, "nothing went wrong: %s", err.message);
	two_end(&p->two);
	strike_let_go(p->strike);
	dblock_close(p->two.other, NULL);
	dblock_close(p->two.home, NULL);
	check(p, rc, begun, &err);
	two_free(&p->two);
	return struck;
}

static bool is_played(const struct play *p)
{
	return tries_all() || tries_here((unsigned)(p->k + (int)p->kind), 9);
}

static void both_are_alike(void **state)
{
	struct play p = {.strike = strike_new()};
	int plays = 0;

	(void)state;
	for (p.kind = 0; p.kind < STRIKE_KINDS; p.kind++) {
		bool struck = true;

		for (p.k = 1; struck; p.k++) {
			if (!is_played(&p))
				continue;
			struck = play(&p);
			plays++;
		}
		assert_true(p.k > 12);
	}
	print_message("played %d times\n", plays);
	strike_free(p.strike);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(both_are_alike)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
