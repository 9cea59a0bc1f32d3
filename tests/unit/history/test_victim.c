/* SPDX-License-Identifier: MIT */
/* DEADLOCK, and calls that had a reason for it. */
#include "modes.h"

/* Client 2's upgrade ends with DEADLOCK; client 1's, if there is one, lasts from `from` to `to`. */
static void one_of_two_gives_up(int64_t from, int64_t to, int outcome, const char *found)
{
	struct tape t = tape_new(2);

	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	asks(&t, 10, 2, 1, S);
	has(&t, 11, 2, 1, S, 101);
	upgrades(&t, 40, 42, 2, 1, 101, DBLOCK_DEADLOCK);
	gives(&t, 43, 2, 1, 101);
	if (from)
		upgrades(&t, from, to, 1, 1, outcome ? 100 : 102, outcome);
	gives(&t, 200, 1, 1, from && !outcome ? 102 : 100);
	finds(&t, found);
}

static void two_upgrades(void **state)
{
	(void)state;
	one_of_two_gives_up(30, 50, DBLOCK_OK, "");
	one_of_two_gives_up(41, 50, DBLOCK_OK, "");
	one_of_two_gives_up(30, 41, DBLOCK_TIMEOUT, "");
}

static void an_upgrade_alone(void **state)
{
	(void)state;
	one_of_two_gives_up(0, 0, 0, "victim");
}

static void an_upgrade_after_the_other(void **state)
{
	(void)state;
	one_of_two_gives_up(20, 30, DBLOCK_TIMEOUT, "victim");
	one_of_two_gives_up(60, 70, DBLOCK_OK, "victim");
}

static void what_was_killed_while_it_upgraded(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	asks(&t, 10, 2, 1, S);
	has(&t, 11, 2, 1, S, 101);
	begins_change(&t, 20, EVENT_UPGRADING, 1, 1, X, 100);
	befalls(&t, 30, 1, EVENT_KILLED);
	upgrades(&t, 40, 42, 2, 1, 101, DBLOCK_DEADLOCK);
	gives(&t, 43, 2, 1, 101);
	finds(&t, "");
}

static void a_call_that_holds_nothing(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	takes(&t, 10, 50, 1, 1, X, 100);
	asks(&t, 20, 2, 1, X);
	gets_not(&t, 30, 2, 1, DBLOCK_DEADLOCK);
	finds(&t, "victim");
}

/* ---- rings ----------------------------------------------------------------------------------- */

/* All events since then are about another lock. */
static void about(struct tape *t, size_t since, const char *name)
{
	for (size_t i = since; i < t->history.n; i++)
		strcpy(t->history.events[i].name, name);
}

/* Client 2 holds y, and asks for x; client 1 holds x, and asks for y, or does not. */
static struct tape each_holds_one(bool other_asks, int64_t asked)
{
	struct tape t = tape_new(2);
	size_t n;

	takes(&t, 10, 5000, 1, 1, X, 100);
	presents(&t, 800, 1, 1, 100, 100, true, 5000);
	n = t.history.n;
	takes(&t, 10, 2000, 2, 1, X, 200);
	if (other_asks) {
		asks(&t, asked, 1, 2, X);
		has(&t, 2100, 1, 2, X, 201);
		gives(&t, 2200, 1, 2, 201);
	}
	about(&t, n, "y");
	asks(&t, 30, 2, 2, X);
	gets_not(&t, 1400, 2, 2, DBLOCK_DEADLOCK);
	return t;
}

static void a_ring_of_two(void **state)
{
	struct tape t = each_holds_one(true, 20);

	(void)state;
	finds(&t, "");
}

static void one_that_holds_another_is_no_ring(void **state)
{
	struct tape t = each_holds_one(false, 0);

	(void)state;
	finds(&t, "victim");
}

/* A cycle has to be seen twice. */
static void a_ring_of_a_moment(void **state)
{
	struct tape t = each_holds_one(true, 1300);

	(void)state;
	finds(&t, "victim");
}

/* Client 1 reads x, and asks for y; client 3 has y, and waits for x in the queue behind client 2,
 * which holds nothing, and would write x; if client 3 would write it, too, both wait for client 1.
 */
static struct tape one_in_the_middle(int mode)
{
	struct tape t = tape_new(3);
	size_t n;

	takes(&t, 10, 5000, 1, 1, S, 100);
	presents(&t, 800, 1, 1, 100, 100, true, 5000);
	t.history.events[t.history.n - 1].mode = S;
	n = t.history.n;
	takes(&t, 10, 2000, 3, 1, X, 200);
	asks(&t, 20, 1, 2, X);
	has(&t, 2100, 1, 2, X, 201);
	gives(&t, 2200, 1, 2, 201);
	about(&t, n, "y");
	asks(&t, 30, 2, 1, X);
	gets_not(&t, 1400, 2, 1, DBLOCK_DEADLOCK);
	asks(&t, 25, 3, 2, mode);
	has(&t, mode == S ? 1500 : 5010, 3, 2, mode, 101);
	gives(&t, 5020, 3, 2, 101);
	return t;
}

static void who_holds_nothing_may_stand_in_the_way(void **state)
{
	struct tape t = one_in_the_middle(S);

	(void)state;
	finds(&t, "");
}

static void who_is_in_nobodys_way(void **state)
{
	struct tape t = one_in_the_middle(X);

	(void)state;
	finds(&t, "victim");
}

/* Client 2 reads x, and would write it; client 1 reads it, too, and asks for y, which client 2 has.
 */
static void an_upgrade_in_a_cycle(int64_t asked, const char *found)
{
	struct tape t = tape_new(2);
	size_t n;

	takes(&t, 10, 5000, 1, 1, S, 100);
	takes(&t, 11, 1500, 2, 1, S, 101);
	for (int client = 1; client <= 2; client++) {
		presents(&t, 800, client, 1, 99 + client, 101, true, 5000);
		t.history.events[t.history.n - 1].mode = S;
	}
	upgrades(&t, 40, 1400, 2, 1, 101, DBLOCK_DEADLOCK);
	n = t.history.n;
	takes(&t, 12, 2000, 2, 2, X, 200);
	asks(&t, asked, 1, 2, X);
	has(&t, 2100, 1, 2, X, 201);
	gives(&t, 2200, 1, 2, 201);
	about(&t, n, "y");
	finds(&t, found);
}

static void upgrades_in_a_cycle(void **state)
{
	(void)state;
	an_upgrade_in_a_cycle(20, "");
	an_upgrade_in_a_cycle(1405, "victim");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_upgrades),
		cmocka_unit_test(an_upgrade_alone),
		cmocka_unit_test(an_upgrade_after_the_other),
		cmocka_unit_test(what_was_killed_while_it_upgraded),
		cmocka_unit_test(a_call_that_holds_nothing),
		cmocka_unit_test(a_ring_of_two),
		cmocka_unit_test(one_that_holds_another_is_no_ring),
		cmocka_unit_test(a_ring_of_a_moment),
		cmocka_unit_test(who_holds_nothing_may_stand_in_the_way),
		cmocka_unit_test(who_is_in_nobodys_way),
		cmocka_unit_test(upgrades_in_a_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
