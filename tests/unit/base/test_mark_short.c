/* SPDX-License-Identifier: MIT */
/* Each system call that a mark needs fails, one at a time: then there is none, or it proves nothing, and
 * nothing is left behind. (The linker lets the functions below stand for the C library's.) */
#include "unit/base/mark_kit.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/mark_own.h"

/* The call that fails, counted from now on (0: none does), and with what; how many there were. */
static int at, fails_with, n_calls;

static bool refused(void)
{
	if (++n_calls != at)
		return false;
	errno = fails_with;
	return true;
}

/* __real_X() is the C library's function. */
#define STANDS_FOR(type, name, parameters, arguments, failed)                                      \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return refused() ? (failed) : __real_##name arguments;                             \
	}

STANDS_FOR(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), -1)
STANDS_FOR(int, fcntl, (int fd, int command, void *arg), (fd, command, arg), -1)
STANDS_FOR(void *, mmap, (void *to, size_t n, int may, int flags, int fd, off_t from),
	   (to, n, may, flags, fd, from), MAP_FAILED)
STANDS_FOR(int, stat, (const char *path, struct stat *st), (path, st), -1)
STANDS_FOR(int, fstat, (int fd, struct stat *st), (fd, st), -1)
STANDS_FOR(int, fstatfs, (int fd, struct statfs *fs), (fd, fs), -1)
STANDS_FOR(int, posix_fallocate, (int fd, off_t from, off_t n), (fd, from, n), fails_with)
STANDS_FOR(ssize_t, pwrite, (int fd, const void *data, size_t n, off_t to), (fd, data, n, to), -1)
STANDS_FOR(ssize_t, pread, (int fd, void *data, size_t n, off_t from), (fd, data, n, from), -1)
STANDS_FOR(ssize_t, read, (int fd, void *data, size_t n), (fd, data, n), -1)
STANDS_FOR(int, inotify_init1, (int flags), (flags), -1)
STANDS_FOR(int, inotify_add_watch, (int fd, const char *path, uint32_t what), (fd, path, what), -1)

/* The file that got its name last. */
static char named[64];

int __real_linkat(int dir, const char *from, int to_dir, const char *to, int flags);
int __wrap_linkat(int dir, const char *from, int to_dir, const char *to, int flags);
int __wrap_linkat(int dir, const char *from, int to_dir, const char *to, int flags)
{
	if (refused())
		return -1;
	snprintf(named, sizeof(named), "%s", to);
	return __real_linkat(dir, from, to_dir, to, flags);
}

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* What is played, with each of its calls failing in each way. */
typedef void play_fn(void *arg, bool fails);

static void each_fails(play_fn *play, void *arg)
{
	static const int errors[] = {EMFILE, ENOSPC, EACCES, ENOMEM, ENOLCK, EIO};
	int all, descriptors = count_descriptors();

	at = n_calls = 0;
	play(arg, false);
	all = n_calls;
	assert_true(all > 0);
	for (int k = 1; k <= all; k++) {
		for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
			n_calls = 0;
			at = k;
			fails_with = errors[e];
			play(arg, true);
			at = 0;
			assert_int_equal(count_descriptors(), descriptors);
		}
	}
}

static void make(void *made, bool fails)
{
	struct dbl_mark *mark = dbl_mark_new(dbl_env_system());

	at = 0;
	if (!fails)
		assert_non_null(mark);
	if (mark) {
		++*(int *)made;
		assert_int_equal(access(named, F_OK), 0);
		dbl_mark_free(mark, true);
	}
	assert_int_not_equal(access(named, F_OK), 0);
}

static void none_is_made_and_none_is_left(void **unused)
{
	int made = 0;

	(void)unused;
	each_fails(make, &made);
	assert_int_equal(made, 1);
}

static void ask_of(void *arg, bool fails)
{
	enum dbl_mark_word word = ask(arg);

	if (fails)
		assert_int_not_equal(word, DBL_MARK_DEAD);
	else
		assert_int_equal(word, DBL_MARK_ALIVE);
}

static void a_living_one_never_looks_dead(void **unused)
{
	struct holder h;

	(void)unused;
	start(&h, NULL);
	each_fails(ask_of, &h);
	end(&h);
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

static void nor_does_one_that_stays(void **unused)
{
	struct holder h;

	(void)unused;
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	start(&h, starts_one_that_stays);
	end(&h);
	each_fails(ask_of, &h);
	close(go[1]);
	close(go[0]);
	await_end_of_all(&h);
	dbl_mark_remove(h.citation);
}

static void hand_on(void *arg, bool fails)
{
	int fd = dbl_mark_hand_on(arg), rc = fd < 0 ? 0 : dbl_mark_stay(fd);

	at = 0;
	if (!fails)
		assert_true(fd >= 0 && rc == 0);
	if (fd >= 0)
		close(fd);
}

static void watch(void *arg, bool fails)
{
	const struct holder *h = arg;
	int inotify = dbl_mark_watch_new();
	bool watches = inotify >= 0 && dbl_mark_watch(inotify, h->citation);

	at = 0;
	assert_int_equal(watches, !fails);
	if (inotify >= 0)
		close(inotify);
}

static void what_cannot_be_done_says_so(void **unused)
{
	struct dbl_mark *mark = dbl_mark_new(dbl_env_system());
	struct holder h;

	(void)unused;
	each_fails(hand_on, mark);
	dbl_mark_free(mark, true);
	start(&h, NULL);
	each_fails(watch, &h);
	end(&h);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_made_and_none_is_left),
		cmocka_unit_test(a_living_one_never_looks_dead),
		cmocka_unit_test(nor_does_one_that_stays),
		cmocka_unit_test(what_cannot_be_done_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
