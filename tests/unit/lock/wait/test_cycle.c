/* SPDX-License-Identifier: MIT */
/* Tests cycles in a wait-for graph: which one is found, who has to give up, and the message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lock/wait/cycle.h"

enum { EDGES = 100 };

static struct dbl_edge edge[EDGES];
static struct dbl_edges edges = {.edge = edge};

/* Wait `from`, as old as its number is small, waits for `to`. */
static void add(int64_t from, int64_t to)
{
	edge[edges.n++] = (struct dbl_edge){.name = "x",
					    .nonce = from,
					    .since = from,
					    .to = to,
					    .token = 1000 + to,
					    .host = "h",
					    .pid = 1,
					    .thread = from};
}

/* Wait `from` is for any one of `n` names, of which `name` is kept from it by `to`. */
static void add_any(int64_t from, int64_t n, const char *name, int64_t to)
{
	add(from, to);
	strcpy(edge[edges.n - 1].name, name);
	edge[edges.n - 1].names = -n;
}

static int set_up(void **state)
{
	(void)state;
	edges.n = 0;
	return 0;
}

/* Checks that this wait finds the cycle of these waits, as "3 1 2"; "": it finds none. */
static void finds(int64_t nonce, const char *expected)
{
	char found[512] = "";
	struct dbl_cycle cycle;

	dbl_cycle_find(&edges, nonce, &cycle);
	for (unsigned i = 0; i < cycle.n; i++) {
		size_t len = strlen(found);

		snprintf(found + len, sizeof(found) - len, "%s%lld", i ? " " : "",
			 (long long)cycle.edge[i]->nonce);
		assert_int_equal(cycle.edge[i]->to, cycle.edge[(i + 1) % cycle.n]->nonce);
	}
	assert_string_equal(found, expected);
}

static void only_the_youngest_finds_it(void **state)
{
	(void)state;
	add(1, 2);
	add(2, 3);
	add(3, 1);
	finds(3, "3 1 2");
	finds(2, "");
	finds(1, "");
	finds(4, "");
}

static void not_who_waits_for_a_ring(void **state)
{
	(void)state;
	add(1, 2);
	add(2, 1);
	add(5, 1);
	finds(5, "");
	finds(2, "2 1");
}

static void a_chain_that_ends(void **state)
{
	(void)state;
	add(3, 2);
	add(2, 1);
	finds(3, "");
}

/* Two cycles have a youngest wait each; of those through one wait the shortest is found. */
static void of_many_rings(void **state)
{
	(void)state;
	add(4, 1);
	add(1, 2);
	add(2, 4);
	add(1, 4);
	add(2, 3);
	add(3, 1);
	finds(4, "4 1");
	finds(3, "3 1 2");
	finds(2, "");
}

static void one_that_waits_for_itself(void **state)
{
	(void)state;
	add(7, 7);
	finds(7, "7");
}

/* Naive: any of its names that leads to itself is a deadlock; but "b" has an edge to nobody, so it will be free. */
static void not_while_one_of_any_will_be_free(void **state)
{
	(void)state;
	add(1, 2);
	add_any(2, 2, "a", 1);
	finds(2, "");
	add_any(2, 2, "a", 3);
	finds(2, ""); /* two edges, and still only one of the names */
}

static void when_all_of_any_are_kept(void **state)
{
	(void)state;
	add(1, 3);
	add(2, 3);
	add_any(3, 2, "a", 1);
	add_any(3, 2, "b", 2);
	finds(3, "3 1");
	finds(2, "");
}

/* 2 will be granted "b", so 1 will be granted what 2 holds, and 3 what 1 holds. */
static void not_through_one_that_will_be_granted(void **state)
{
	(void)state;
	add(1, 2);
	add_any(2, 2, "a", 3);
	add(3, 1);
	finds(3, "");
	add_any(2, 2, "b", 3);
	finds(3, "3 1 2");
}

/* A ring of its own keeps "b" from 2 for ever, and so 2 and 3 wait for each other. */
static void one_of_any_is_kept_by_another_ring(void **state)
{
	(void)state;
	add_any(2, 2, "a", 3);
	add_any(2, 2, "b", 5);
	add(3, 2);
	add(5, 6);
	finds(3, "");
	add(6, 5);
	finds(3, "3 2");
	finds(6, "6 5");
}

static void of_the_same_age(void **state)
{
	(void)state;
	add(1, 2);
	add(2, 1);
	edge[0].since = edge[1].since = 9;
	finds(2, "2 1");
	finds(1, "");
}

static void long_ones(void **state)
{
	struct dbl_cycle cycle;

	(void)state;
	for (int i = 1; i < DBL_CYCLE_MAX; i++)
		add(i, i + 1);
	add(DBL_CYCLE_MAX, 1);
	dbl_cycle_find(&edges, DBL_CYCLE_MAX, &cycle);
	assert_int_equal(cycle.n, DBL_CYCLE_MAX);
	edge[edges.n - 1].to = DBL_CYCLE_MAX + 1;
	add(DBL_CYCLE_MAX + 1, 1);
	dbl_cycle_find(&edges, DBL_CYCLE_MAX + 1, &cycle);
	assert_int_equal(cycle.n, 0);
}

static uint64_t key_of(int64_t nonce)
{
	struct dbl_cycle cycle;

	dbl_cycle_find(&edges, nonce, &cycle);
	assert_true(cycle.n > 0);
	return dbl_cycle_key(&cycle);
}

/* The same threads may be in a cycle again: with other grants, or as other waits. */
static void the_same_cycle(void **state)
{
	uint64_t key;

	(void)state;
	add(1, 2);
	add(2, 1);
	key = key_of(2);
	assert_true(key != 0 && key == key_of(2));
	edge[0].token++;
	assert_true(key != key_of(2));
	edge[0].token--;
	assert_true(key == key_of(2));
	edge[0].nonce = edge[1].to = 0;
	assert_true(key != key_of(2));
}

static void says_all_of_it(void **state)
{
	struct dblock_error err = {0};
	struct dbl_cycle cycle;

	(void)state;
	add(11, 22);
	add(22, 11);
	strcpy(edge[0].name, "a");
	strcpy(edge[1].name, "b");
	strcpy(edge[1].host, "g");
	strcpy(edge[1].app, "shop");
	edge[0].upgrades = true;
	edge[0].held_mode = 1;
	edge[1].mode = edge[1].held_mode = 3;
	edge[1].weight = 2;
	edge[1].held_weight = 4;
	edge[1].capacity = 5;
	edge[1].kind = DBL_EDGE_IN_QUEUE;
	dbl_cycle_find(&edges, 22, &cycle);
	assert_int_equal(dbl_cycle_tell(&cycle, &err), DBLOCK_DEADLOCK);
	assert_int_equal(err.code, DBLOCK_DEADLOCK);
	assert_string_equal(
		strstr(err.message, "anew:"),
		"anew: host g, pid 1, thread 22 (shop) waits for 'b' (2 of 5 permits), "
		"in line behind (4 of 5 permits) host h, pid 1, thread 11, which waits "
		"for 'a' (an upgrade to exclusive), held (shared, token 1022) by host g, "
		"pid 1, thread 22 (shop)");
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(only_the_youngest_finds_it),
		CASE(not_who_waits_for_a_ring),
		CASE(a_chain_that_ends),
		CASE(of_many_rings),
		CASE(one_that_waits_for_itself),
		CASE(not_while_one_of_any_will_be_free),
		CASE(when_all_of_any_are_kept),
		CASE(not_through_one_that_will_be_granted),
		CASE(one_of_any_is_kept_by_another_ring),
		CASE(of_the_same_age),
		CASE(long_ones),
		CASE(the_same_cycle),
		CASE(says_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
