/* SPDX-License-Identifier: MIT */
/* A call waits though nobody is in its way. */
#include "modes.h"

/* Client 1 reads from 10 to `to`. */
static struct tape somebody_reads(int64_t to)
{
	struct tape t = tape_new(3);

	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	for (int64_t at = 500; at < to; at += 500) {
		presents(&t, at, 1, 1, 100, 100, true, VALID_MS);
		t.history.events[t.history.n - 1].mode = S;
	}
	gives(&t, to, 1, 1, 100);
	return t;
}

static void comes(struct tape *t, int64_t asked, int64_t granted, int client, int mode,
		  int64_t token)
{
	asks(t, asked, client, 1, mode);
	has(t, granted, client, 1, mode, token);
	gives(t, granted + 10, client, 1, token);
}

static void a_reader_waits_for_a_reader(void **state)
{
	struct tape t = somebody_reads(4000);

	(void)state;
	comes(&t, 100, 1700, 2, S, 101);
	finds(&t, "crowd");
}

static void a_reader_waits_for_a_while(void **state)
{
	struct tape t = somebody_reads(4000);

	(void)state;
	comes(&t, 100, 1500, 2, S, 101);
	finds(&t, "");
}

static void a_writer_waits_for_a_reader(void **state)
{
	struct tape t = somebody_reads(4000);

	(void)state;
	comes(&t, 100, 4002, 2, X, 101);
	finds(&t, "");
}

/* The reader must not pass the writer. */
static void a_reader_waits_for_a_waiting_writer(void **state)
{
	struct tape t = somebody_reads(4000);

	(void)state;
	comes(&t, 100, 4002, 2, X, 101);
	comes(&t, 200, 4013, 3, S, 102);
	finds(&t, "");
}

static void the_writer_gives_up(void **state, int64_t ms, const char *found)
{
	struct tape t = somebody_reads(4000);

	(void)state;
	asks(&t, 100, 2, 1, X);
	gets_not(&t, ms, 2, 1, DBLOCK_TIMEOUT);
	comes(&t, 200, 3900, 3, S, 102);
	finds(&t, found);
}

static void the_writer_gives_up_early(void **state)
{
	the_writer_gives_up(state, 2000, "crowd");
}

static void the_writer_gives_up_late(void **state)
{
	the_writer_gives_up(state, 3000, "");
}

/* Client 2 dies while it waits, and must be declared dead before others get the lock. */
static void the_writer_is_killed(void **state)
{
	struct tape t = somebody_reads(6000);

	(void)state;
	asks(&t, 100, 2, 1, X);
	befalls(&t, 1000, 2, EVENT_KILLED);
	comes(&t, 200, 3000, 3, S, 102);
	finds(&t, "");
}

static void an_upgrade_is_in_its_way(void **state)
{
	struct tape t = tape_new(3);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	for (int64_t at = 500; at < 3000; at += 500) {
		presents(&t, at, 1, 1, 100, 100, true, VALID_MS);
		t.history.events[t.history.n - 1].mode = S;
	}
	upgrades(&t, 20, 3000, 1, 1, 100, DBLOCK_TIMEOUT);
	comes(&t, 100, 3002, 2, S, 101);
	gives(&t, 3100, 1, 1, 100);
	finds(&t, "");
}

static void it_goes_on_as_a_reader(void **state)
{
	struct tape t = tape_new(2);

	(void)state;
	asks(&t, 10, 1, 1, X);
	has(&t, 11, 1, 1, X, 100);
	downgrades(&t, 20, 30, 1, 1, S, 100);
	for (int64_t at = 500; at < 3000; at += 500) {
		presents(&t, at, 1, 1, 100, 100, true, VALID_MS);
		t.history.events[t.history.n - 1].mode = S;
	}
	gives(&t, 3000, 1, 1, 100);
	comes(&t, 15, 2000, 2, S, 101);
	finds(&t, "crowd");
}

static void permits_wait(int64_t held, int64_t wanted, const char *found)
{
	struct tape t = tape_new(2);

	asks_for(&t, 10, 1, 1, held);
	has_permits(&t, 11, 1, 1, held, 100);
	for (int64_t at = 500; at < 3000; at += 500) {
		presents(&t, at, 1, 1, 100, 100, true, VALID_MS);
		t.history.events[t.history.n - 1].mode = P;
	}
	gives(&t, 3000, 1, 1, 100);
	asks_for(&t, 20, 2, 1, wanted);
	has_permits(&t, 3002, 2, 1, wanted, 101);
	gives(&t, 3010, 2, 1, 101);
	finds(&t, found);
}

static void there_are_enough_permits(void **state)
{
	(void)state;
	permits_wait(2, 2, "crowd");
}

static void there_are_too_few_permits(void **state)
{
	(void)state;
	permits_wait(2, 3, "");
}

/* ---- what is left of who shared it ----------------------------------------------------------- */

/* Client 1 dies as a reader, among others; the writer has to watch it itself. */
static void a_reader_died_long_ago(void **state, int64_t granted, const char *found)
{
	struct tape t = tape_new(4);

	(void)state;
	asks(&t, 10, 1, 1, S);
	has(&t, 11, 1, 1, S, 100);
	befalls(&t, 20, 1, EVENT_KILLED);
	takes(&t, 12, 100, 2, 1, S, 101);
	takes(&t, 90, 3000, 4, 1, S, 102);
	comes(&t, 3100, granted, 3, X, 103);
	finds(&t, found);
}

static void it_is_buried_first(void **state)
{
	a_reader_died_long_ago(state, 5000, "");
}

static void it_is_not_buried(void **state)
{
	a_reader_died_long_ago(state, 5700, "forgotten");
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* A group waits from 10 on, for another name; this name is kept free for it. Then a reader comes.
 */
static void a_reader_stands_behind_a_group(int64_t left, const char *found)
{
	struct tape t = tape_new(2);

	asks(&t, 10, 1, 1, S);
	t.history.events[t.history.n - 1].group = 7;
	gets_not(&t, left, 1, 1, DBLOCK_TIMEOUT);
	comes(&t, 20, 4000, 2, S, 100);
	finds(&t, found);
}

static void it_is_kept_free_for_a_group(void **state)
{
	(void)state;
	a_reader_stands_behind_a_group(3000, "");
}

static void it_was_kept_free_for_a_group(void **state)
{
	(void)state;
	a_reader_stands_behind_a_group(2000, "forgotten crowd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_waits_for_a_reader),
		cmocka_unit_test(a_reader_waits_for_a_while),
		cmocka_unit_test(a_writer_waits_for_a_reader),
		cmocka_unit_test(a_reader_waits_for_a_waiting_writer),
		cmocka_unit_test(the_writer_gives_up_early),
		cmocka_unit_test(the_writer_gives_up_late),
		cmocka_unit_test(the_writer_is_killed),
		cmocka_unit_test(an_upgrade_is_in_its_way),
		cmocka_unit_test(it_goes_on_as_a_reader),
		cmocka_unit_test(there_are_enough_permits),
		cmocka_unit_test(there_are_too_few_permits),
		cmocka_unit_test(it_is_buried_first),
		cmocka_unit_test(it_is_not_buried),
		cmocka_unit_test(it_is_kept_free_for_a_group),
		cmocka_unit_test(it_was_kept_free_for_a_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
