/* SPDX-License-Identifier: MIT */
/* Where anything is amiss with the file or what cites it, a mark proves nothing. */
#include "unit/base/mark_kit.h"

#include "base/str.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* ---- what proves nothing --------------------------------------------------------------------- */

static void file_of(const struct holder *h, char file[64])
{
	snprintf(file, 64, "/dev/shm/dblock-alive.%.32s", h->citation + 2);
}

/* A dead holder, whose file somebody has done something to: each proves nothing from then on. */
static void copied(const char *file)
{
	char command[400];

	snprintf(command, sizeof(command), "cp -a %s %s.new && mv %s.new %s", file, file, file,
		 file);
	assert_int_equal(system(command), 0);
}

static void removed(const char *file)
{
	assert_int_equal(unlink(file), 0);
}

static void linked(const char *file)
{
	char other[80];

	snprintf(other, sizeof(other), "%s.real", file);
	assert_int_equal(rename(file, other), 0);
	assert_int_equal(symlink(other, file), 0);
}

static void a_fifo(const char *file)
{
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
}

static void a_folder(const char *file)
{
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
}

/* The secret is behind the name and its NUL. */
static void another_secret(const char *file)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);

	assert_int_equal(pwrite(fd, "00000000000000000000000000000000", 32, 33), 32);
	close(fd);
}

static void cut(const char *file)
{
	assert_int_equal(truncate(file, 100), 0);
}

static void what_is_amiss_proves_nothing(void **unused)
{
	static void (*const ways[])(const char *) = {copied,   removed,        linked, a_fifo,
						     a_folder, another_secret, cut};

	(void)unused;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char file[64], command[100];
		struct holder h;

		start(&h, NULL);
		end(&h);
		assert_int_equal(ask(&h), DBL_MARK_DEAD);
		file_of(&h, file);
		ways[i](file);
		assert_int_equal(ask(&h), DBL_MARK_NOTHING);
		dbl_mark_remove(h.citation); /* which is not that file */
		snprintf(command, sizeof(command), "rm -rf %s*", file);
		assert_int_equal(system(command), 0);
		close(h.ended);
	}
}

/* Only the text that the database has is amiss. */
static void a_citation_that_does_not_fit(void **unused)
{
	static const char *const texts[] = {"", "1", "2", "1 ../../../../etc/passwd", "1 ab c 1 1"};
	char longer[DBL_MARK_CITATION + 2], digest[DBL_MARK_CITATION];
	struct holder h;

	(void)unused;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(dbl_mark_ask(texts[i], BEAT, 1), DBL_MARK_NOTHING);
	start(&h, NULL);
	end(&h);
	snprintf(longer, sizeof(longer), "%s1", h.citation); /* another time */
	assert_int_equal(dbl_mark_ask(longer, BEAT, 1), DBL_MARK_NOTHING);
	memcpy(digest, h.citation, sizeof(digest));
	digest[40] = digest[40] == '0' ? '1' : '0';
	assert_int_equal(dbl_mark_ask(digest, BEAT, 1), DBL_MARK_NOTHING);
	/* The row has a beat that is not this process's: another machine's, which was cloned. */
	assert_int_equal(dbl_mark_ask(h.citation, BEAT + 1, 1), DBL_MARK_NOTHING);
	assert_int_equal(dbl_mark_ask(h.citation, 0, 1), DBL_MARK_NOTHING);
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

static void beats_often(struct dbl_mark *mark)
{
	for (int64_t beat = 1; beat <= 16; beat++)
		dbl_mark_note(mark, beat, dbl_now(dbl_env_system()));
}

static void its_last_beats_are_known(void **unused)
{
	struct holder h;

	(void)unused;
	start(&h, beats_often);
	end(&h);
	assert_int_equal(ask(&h), DBL_MARK_NOTHING); /* too long ago */
	for (int64_t beat = 1; beat <= 16; beat++)
		assert_int_equal(dbl_mark_ask(h.citation, beat, 1), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

static bool is_listed(const struct holder *h, int64_t age)
{
	struct dbl_str names = {0};
	bool listed;

	dbl_mark_list_dead(&names, age);
	listed = names.text && strstr(names.text, names.len ? h->citation + 2 : "") != NULL;
	dbl_str_free(&names);
	return listed;
}

/* Those that are dead, by names that are ours; and not those whose last beat was long ago, which go. */
static void the_dead_are_listed(void **unused)
{
	static const char *const others[] = {"/dev/shm/dblock-alive.\377", "/dev/shm/dblock-alive.",
					     "/dev/shm/dblock-alive.0123456789abcdef"};
	struct dbl_str names = {0};
	struct holder h;

	(void)unused;
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		int fd = open(others[i], O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		assert_int_equal(posix_fallocate(fd, 0, 4096), 0);
		close(fd);
	}
	start(&h, NULL);
	h.citation[34] = '\0'; /* "1 " and the name */
	assert_false(is_listed(&h, DBL_NEVER));
	end(&h);
	assert_true(is_listed(&h, DBL_NEVER));
	dbl_mark_list_dead(&names, DBL_NEVER);
	assert_null(strstr(names.text, "\377"));
	assert_int_equal(names.len % 33, 0);
	dbl_str_free(&names);
	assert_true(is_listed(&h, 3600 * INT64_C(1000000)));
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		unlink(others[i]);
	close(h.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_amiss_proves_nothing),
		cmocka_unit_test(a_citation_that_does_not_fit),
		cmocka_unit_test(its_last_beats_are_known),
		cmocka_unit_test(the_dead_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
