/* SPDX-License-Identifier: MIT */
/* Fenced transactions: their writes never go back, and nobody is granted the lock meanwhile. */
#include "tape.h"

static void about(struct tape *t, int64_t ms, int client, struct event e, int64_t token)
{
	e.client = client;
	e.wait = 1;
	e.token = token;
	put(t, ms, e);
}

static void fences(struct tape *t, int64_t ms, int client, int64_t token)
{
	about(t, ms, client, (struct event){.kind = EVENT_FENCING}, token);
	about(t, ms, client, (struct event){.kind = EVENT_FENCED}, token);
}

static void writes(struct tape *t, int64_t ms, int client, int64_t token, int64_t before)
{
	about(t, ms, client, (struct event){.kind = EVENT_WRITTEN, .before = before}, token);
}

static void commits(struct tape *t, int64_t ms, int client, int64_t token, int outcome)
{
	about(t, ms, client, (struct event){.kind = EVENT_COMMITTING}, token);
	about(t, ms + 1, client, (struct event){.kind = EVENT_COMMITTED, .outcome = outcome},
	      token);
}

/* Two clients hold the lock, one after the other; the first has token 100, the second 101. */
static struct tape first_has_it(void)
{
	struct tape t = tape_new(2);

	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	calls(&t, 12, 2, 1, FOR_EVER);
	fences(&t, 13, 1, 100);
	return t;
}

static void one_after_the_other(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	writes(&t, 14, 1, 100, 0);
	/* This release is refused, as it should be. */
	begins_release(&t, 15, 1, 1, 100, VALID_MS);
	ends_release(&t, 16, 1, 1, 100, DBLOCK_FENCED);
	commits(&t, 17, 1, 100, DBLOCK_OK);
	gives(&t, 20, 1, 1, 100);
	gets(&t, 21, 2, 1, 101);
	fences(&t, 22, 2, 101);
	writes(&t, 23, 2, 101, 100);
	commits(&t, 24, 2, 101, DBLOCK_OK);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "");
}

static void an_older_one_writes_over_a_newer_one(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	gives_lost(&t, 20, 1, 1, 100);
	gets(&t, 30, 2, 1, 101);
	fences(&t, 31, 2, 101);
	writes(&t, 32, 2, 101, 0);
	commits(&t, 33, 2, 101, DBLOCK_OK);
	/* Client 1 lost the lock long ago, and does not know whether its commit arrived. */
	writes(&t, 35, 1, 100, 101);
	commits(&t, 36, 1, 100, DBLOCK_E_UNSURE);
	gives(&t, 40, 2, 1, 101);
	finds(&t, "fence");
}

static void granted_before_the_commit(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	writes(&t, 14, 1, 100, 0);
	begins_release(&t, 15, 1, 1, 100, 0);
	gets(&t, 16, 2, 1, 101);
	commits(&t, 17, 1, 100, DBLOCK_OK);
	ends_release(&t, 19, 1, 1, 100, DBLOCK_OK);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "fence");
}

/* The transaction may have been rolled back when its server died, and nobody knew. */
static void what_is_not_committed_proves_nothing(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	writes(&t, 14, 1, 100, 0);
	gives(&t, 15, 1, 1, 100);
	gets(&t, 17, 2, 1, 101);
	commits(&t, 18, 1, 100, DBLOCK_E_UNSURE);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "");
}

static void released_in_the_middle_of_it(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	gives(&t, 14, 1, 1, 100);
	writes(&t, 16, 1, 100, 0);
	commits(&t, 17, 1, 100, DBLOCK_OK);
	gets(&t, 19, 2, 1, 101);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "fence");
}

/* The release is part of the commit. */
static void released_in_it(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	writes(&t, 14, 1, 100, 0);
	begins_release(&t, 15, 1, 1, 100, VALID_MS);
	commits(&t, 16, 1, 100, DBLOCK_OK);
	gets(&t, 17, 2, 1, 101);
	ends_release(&t, 18, 1, 1, 100, DBLOCK_OK);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "");
}

/* Client 1 holds the lock, and fences it from `from` to `to`; client 2 waits from 13 on, and client
 * 3, which comes at 2010, is granted it before. */
static void passed_while_it_is_fenced(int64_t from, int64_t to, int outcome, const char *found)
{
	struct tape t = tape_new(3);

	calls(&t, 10, 1, 1, FOR_EVER);
	gets_for(&t, 11, 1, 1, 100, 3000);
	about(&t, from, 1, (struct event){.kind = EVENT_FENCING}, 100);
	about(&t, from + 1, 1, (struct event){.kind = EVENT_FENCED, .outcome = outcome}, 100);
	calls(&t, 13, 2, 1, FOR_EVER);
	if (outcome == DBLOCK_OK)
		commits(&t, to, 1, 100, DBLOCK_OK);
	calls(&t, 2010, 3, 1, FOR_EVER);
	begins_release(&t, 2020, 1, 1, 100, VALID_MS);
	ends_release(&t, 2021, 1, 1, 100, DBLOCK_OK);
	gets(&t, 2022, 3, 1, 101);
	gives(&t, 2030, 3, 1, 101);
	gets(&t, 2032, 2, 1, 102);
	gives(&t, 2040, 2, 1, 102);
	finds(&t, found);
}

/* The lock's row is locked meanwhile, and nobody joins the queue. */
static void who_waits_for_its_end_is_not_in_queue(void **state)
{
	(void)state;
	passed_while_it_is_fenced(12, 2000, DBLOCK_OK, "");
	passed_while_it_is_fenced(600, 2000, DBLOCK_OK, "");
}

static void before_it_was_fenced_and_after_it_is_in_queue(void **state)
{
	(void)state;
	passed_while_it_is_fenced(12, 100, DBLOCK_OK, "line");
	passed_while_it_is_fenced(1600, 2000, DBLOCK_OK, "line");
}

static void a_fence_that_is_refused_has_nothing(void **state)
{
	(void)state;
	passed_while_it_is_fenced(12, 0, DBLOCK_E_UNAVAILABLE, "line");
}

/* Client 1 was told that the lock is lost, and it was not: nobody had taken it, and nobody could.
 */
static void released_in_it_though_it_was_told(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	is_told(&t, 14, 1, 1, 100);
	writes(&t, 15, 1, 100, 0);
	begins_release(&t, 16, 1, 1, 100, 0);
	commits(&t, 17, 1, 100, DBLOCK_OK);
	ends_release(&t, 18, 1, 1, 100, DBLOCK_OK);
	gets(&t, 20, 2, 1, 101);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "");
}

/* The lock was fenced in a transaction, but its commit is no reason for the release to return OK:
 * it came before, or not at all, or had proven nothing. */
static void released_beside_it_though_it_was_told(int64_t commits_at, int fence, int commit,
						  const char *found)
{
	struct tape t = tape_new(2);

	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	about(&t, 13, 1, (struct event){.kind = EVENT_FENCING}, 100);
	about(&t, 14, 1, (struct event){.kind = EVENT_FENCED, .outcome = fence}, 100);
	is_told(&t, 15, 1, 1, 100);
	commits(&t, commits_at, 1, 100, commit);
	begins_release(&t, 20, 1, 1, 100, 0);
	ends_release(&t, 25, 1, 1, 100, DBLOCK_OK);
	finds(&t, found);
}

static void released_beside_it(void **state)
{
	(void)state;
	released_beside_it_though_it_was_told(17, DBLOCK_OK, DBLOCK_OK, "release");
	released_beside_it_though_it_was_told(21, DBLOCK_OK, DBLOCK_E_UNSURE, "release");
	released_beside_it_though_it_was_told(21, DBLOCK_STALE, DBLOCK_OK, "release");
	released_beside_it_though_it_was_told(28, DBLOCK_OK, DBLOCK_OK, "fence release");
}

/* A lock that is held in turns has the row's token from its first fence on: a re-entry returns that
 * one. */
static void entered_again_after_it(int64_t token, const char *found)
{
	struct tape t = tape_new(1);

	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	fences(&t, 13, 1, 164);
	commits(&t, 14, 1, 164, DBLOCK_OK);
	calls(&t, 20, 1, 2, FOR_EVER);
	gets(&t, 21, 1, 2, token);
	gives(&t, 22, 1, 2, token);
	gives(&t, 30, 1, 1, 164);
	finds(&t, found);
}

static void it_has_a_larger_token_after_it(void **state)
{
	(void)state;
	entered_again_after_it(164, "");
	entered_again_after_it(165, "overlap mode release");
}

static void what_was_committed_is_gone(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	writes(&t, 14, 1, 100, 0);
	commits(&t, 15, 1, 100, DBLOCK_OK);
	gives(&t, 20, 1, 1, 100);
	gets(&t, 22, 2, 1, 101);
	fences(&t, 23, 2, 101);
	writes(&t, 24, 2, 101, 0);
	commits(&t, 25, 2, 101, DBLOCK_OK);
	gives(&t, 30, 2, 1, 101);
	finds(&t, "fence");
}

static void the_valid_one_is_refused(void **state)
{
	struct tape t = tape_new(1);
	struct event e = {.kind = EVENT_FENCED, .outcome = DBLOCK_STALE, .until = 500000};

	(void)state;
	calls(&t, 10, 1, 1, FOR_EVER);
	gets(&t, 11, 1, 1, 100);
	about(&t, 12, 1, e, 100);
	gives(&t, 20, 1, 1, 100);
	finds(&t, "fence");
}

/* A release that was refused is not the end: a call that is refused and never releases again is
 * found. */
static void a_refused_release_is_none(void **state)
{
	struct tape t = first_has_it();

	(void)state;
	begins_release(&t, 15, 1, 1, 100, VALID_MS);
	ends_release(&t, 16, 1, 1, 100, DBLOCK_FENCED);
	commits(&t, 17, 1, 100, DBLOCK_OK);
	gets_not(&t, 18, 2, 1, DBLOCK_CANCELED);
	finds(&t, "end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(an_older_one_writes_over_a_newer_one),
		cmocka_unit_test(granted_before_the_commit),
		cmocka_unit_test(what_is_not_committed_proves_nothing),
		cmocka_unit_test(released_in_the_middle_of_it),
		cmocka_unit_test(released_in_it),
		cmocka_unit_test(who_waits_for_its_end_is_not_in_queue),
		cmocka_unit_test(before_it_was_fenced_and_after_it_is_in_queue),
		cmocka_unit_test(a_fence_that_is_refused_has_nothing),
		cmocka_unit_test(released_in_it_though_it_was_told),
		cmocka_unit_test(released_beside_it),
		cmocka_unit_test(it_has_a_larger_token_after_it),
		cmocka_unit_test(what_was_committed_is_gone),
		cmocka_unit_test(the_valid_one_is_refused),
		cmocka_unit_test(a_refused_release_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
