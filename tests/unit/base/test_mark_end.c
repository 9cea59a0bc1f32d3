/* SPDX-License-Identifier: MIT */
/* What comes with the end of a process that has a mark: a hint, and a time to settle; and who outlives it,
 * and has closed all that would keep the mark. */
#include "unit/base/mark_kit.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>

#include "base/mark_own.h"
#include "base/str.h"

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

/* ---- who stays ------------------------------------------------------------------------------- */

static void who_stays_keeps_the_mark_whatever_it_closes(void **unused)
{
	char name[DBL_MARK_ID + 1];
	struct dbl_str names = {0};
	struct holder h;

	(void)unused;
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	start(&h, starts_one_that_stays);
	end(&h);
	assert_int_equal(ask(&h), DBL_MARK_ALIVE);
	(void)dbl_mark_list_dead(&names, DBL_NEVER);
	snprintf(name, sizeof(name), "%s", h.citation + 2);
	assert_true(!names.text || !strstr(names.text, name));
	dbl_str_free(&names);
	close(go[1]);
	await_end_of_all(&h);
	while (ask(&h) == DBL_MARK_ALIVE) /* its descriptors go first */
		sched_yield();
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	close(go[0]);
	dbl_mark_remove(h.citation);
}

static int open_file_of(const struct holder *h)
{
	dbl_mark_path file;

	snprintf(file, sizeof(file), DBL_MARK_PATH "%.32s", h->citation + 2);
	return open(file, O_RDWR | O_CLOEXEC);
}

/* The page of a holder, to write what chance would. */
static struct dbl_mark_page *page_of(const struct holder *h)
{
	int fd = open_file_of(h);
	struct dbl_mark_page *page = dbl_mark_map(fd);

	close(fd);
	assert_non_null(page);
	return dbl_mark_touch(page);
}

static void stays(struct dbl_mark *mark)
{
	int fd = dbl_mark_hand_on(mark);

	if (dbl_mark_stay(fd) || dbl_mark_stay(fd)) /* twice is once */
		_exit(9);
	close(fd);
}

/* Naive: a number alone. It may be another process's by now; and is, in another namespace. */
static void a_number_is_not_enough(void **unused)
{
	struct dbl_mark_page *page;
	struct holder h;

	(void)unused;
	start(&h, stays);
	end(&h);
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	page = page_of(&h);
	assert_int_equal(page->stayers[0].pid, h.pid);
	assert_int_equal(page->stayers[1].pid, 0);
	page->stayers[0].pid = getpid();
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	page->namespaces++;
	assert_int_equal(ask(&h), DBL_MARK_NOTHING);
	dbl_mark_unmap(page);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

/* Asks in a child, in a namespace of its own. */
static int ask_apart(const struct holder *h, int kind)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		pid_t inner = unshare(kind) ? -1 : fork();

		if (inner == 0)
			_exit((int)ask(h));
		if (inner < 0 || waitpid(inner, &status, 0) != inner)
			_exit(100);
		_exit(WEXITSTATUS(status));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WEXITSTATUS(status);
}

/* Naive: by another clock it began at another time, and by another /proc it is another process. */
static void who_stays_elsewhere_cannot_be_seen(void **unused)
{
	static const int kinds[] = {CLONE_NEWPID, CLONE_NEWTIME};
	struct holder h;

	(void)unused;
	if (geteuid() != 0) {
		print_message("not run: only root may have namespaces of its own\n");
		skip();
	}
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	start(&h, starts_one_that_stays);
	end(&h);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int word, tries = 0;

		/* Until who stays has become another program, its descriptor can be seen. */
		while ((word = ask_apart(&h, kinds[i])) == DBL_MARK_ALIVE && tries++ < WAIT_MS / 10)
			usleep(10000);
		if (word == 100)
			print_message("not run: there can be no such namespace here\n");
		else
			assert_int_equal(word, DBL_MARK_NOTHING);
	}
	close(go[1]);
	close(go[0]);
	await_end_of_all(&h);
	dbl_mark_remove(h.citation);
}

/* 16 at a time; who has ended makes room. */
static void there_is_room_for_some(void **unused)
{
	struct dbl_mark_page *page;
	struct holder h;
	int fd;

	(void)unused;
	start(&h, stays);
	page = page_of(&h);
	for (int i = 1; i < DBL_MARK_STAYERS; i++) {
		page->stayers[i].began = page->stayers[0].began;
		page->stayers[i].pid = h.pid;
	}
	fd = open_file_of(&h);
	assert_int_equal(dbl_mark_stay(fd), ENOSPC);
	end(&h);
	assert_int_equal(dbl_mark_stay(fd), 0);
	assert_int_equal(ask(&h), DBL_MARK_ALIVE); /* we */
	page->namespaces++;
	assert_int_equal(dbl_mark_stay(fd), EXDEV);
	assert_int_equal(dbl_mark_stay(h.ended), ENOTSUP);
	close(fd);
	dbl_mark_unmap(page);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hint_comes_with_the_end_and_not_before),
		cmocka_unit_test(settles_from_when_it_was_found_dead),
		cmocka_unit_test(who_stays_keeps_the_mark_whatever_it_closes),
		cmocka_unit_test(a_number_is_not_enough),
		cmocka_unit_test(who_stays_elsewhere_cannot_be_seen),
		cmocka_unit_test(there_is_room_for_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
