/* SPDX-License-Identifier: MIT */
/* What comes with the end of a process that has a mark: a hint, and a time to settle. */
#include "unit/base/mark_kit.h"

#include <poll.h>

static void closes_all(struct dbl_mark *mark)
{
	(void)mark;
	closefrom(3);
}

static void settles(struct dbl_mark *mark)
{
	dbl_mark_settle(mark, 500);
	dbl_mark_settle(mark, 20); /* the longest counts */
}

static void settles_from_when_it_was_found_dead(void **unused)
{
	struct holder h;

	(void)unused;
	start(&h, settles);
	assert_int_equal(dbl_mark_ask(h.citation, BEAT, 1000), DBL_MARK_ALIVE);
	end(&h);
	assert_int_equal(dbl_mark_ask(h.citation, BEAT, 9000), DBL_MARK_ALIVE); /* found now */
	assert_int_equal(dbl_mark_ask(h.citation, BEAT, 9499), DBL_MARK_ALIVE);
	assert_int_equal(dbl_mark_ask(h.citation, BEAT, 9500), DBL_MARK_DEAD);
	/* Another time namespace's clock is behind: it waits for all of it once more. */
	assert_int_equal(dbl_mark_ask(h.citation, BEAT, 2000), DBL_MARK_ALIVE);
	assert_int_equal(dbl_mark_ask(h.citation, BEAT, 2500), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

static bool is_hinted(int watch, int ms)
{
	struct pollfd it = {.fd = watch, .events = POLLIN};

	return poll(&it, 1, ms) == 1;
}

/* Naive: who asks opens the file to write, and so hints all others with each question. */
static void a_hint_comes_with_the_end_and_not_before(void **unused)
{
	int watch = dbl_mark_watch_new();
	struct holder h;

	(void)unused;
	assert_true(watch >= 0);
	start(&h, closes_all);
	assert_true(dbl_mark_watch(watch, h.citation));
	for (int i = 0; i < 3; i++)
		assert_int_equal(ask(&h), DBL_MARK_ALIVE);
	kill(h.pid, SIGSTOP);
	assert_false(is_hinted(watch, 50));
	end(&h);
	assert_true(is_hinted(watch, WAIT_MS));
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	assert_false(dbl_mark_watch(watch, "1 no citation"));
	dbl_mark_remove(h.citation);
	assert_false(dbl_mark_watch(watch, h.citation));
	close(watch);
	close(h.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hint_comes_with_the_end_and_not_before),
		cmocka_unit_test(settles_from_when_it_was_found_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
