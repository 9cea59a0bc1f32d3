/* SPDX-License-Identifier: MIT */
/* Other users, other namespaces, and what is short prove nothing; there, no mark is made. */
#include "unit/base/mark_kit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* ---- other users and namespaces, as root ----------------------------------------------------- */

/* In a child: what does it come to? */
static int in_child(int (*what)(const struct holder *), const struct holder *h)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(what(h));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

enum { CANNOT = 100 };

static int ask_as_nobody(const struct holder *h)
{
	return setgid(NOBODY) || setuid(NOBODY) ? CANNOT : (int)ask(h);
}

static void becomes_nobody(struct dbl_mark *mark)
{
	(void)mark;
	if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
		return;
	_exit(CANNOT);
}

static void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("not run: only root may be another user\n");
	skip();
}

static void another_user_proves_nothing(void **unused)
{
	struct holder h;

	(void)unused;
	need_root();
	start(&h, NULL);
	assert_int_equal(in_child(ask_as_nobody, &h), DBL_MARK_NOTHING);
	end(&h);
	assert_int_equal(in_child(ask_as_nobody, &h), DBL_MARK_NOTHING);
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

static void who_has_changed_its_user_is_known(void **unused)
{
	struct holder h;

	(void)unused;
	need_root();
	start(&h, becomes_nobody);
	assert_int_equal(ask(&h), DBL_MARK_ALIVE);
	end(&h);
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

/* A /dev/shm of our own, as `type` with these options. */
static int other_shm(const char *type, unsigned long flags, const char *options)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return CANNOT;
	return mount(type, "/dev/shm", type, flags, options) ? CANNOT : 0;
}

static int ask_elsewhere(const struct holder *h)
{
	int rc = other_shm("tmpfs", 0, NULL);

	return rc ? rc : (int)ask(h);
}

static int makes_one(void)
{
	return dbl_mark_new(dbl_env_system()) ? 1 : 0;
}

static int make_elsewhere(const struct holder *h)
{
	int rc = other_shm("tmpfs", 0, NULL);

	(void)h;
	return rc ? rc : makes_one();
}

static int make_on_ramfs(const struct holder *h)
{
	int rc = other_shm("ramfs", 0, NULL);

	(void)h;
	return rc ? rc : makes_one();
}

static int make_read_only(const struct holder *h)
{
	int rc = other_shm("tmpfs", MS_RDONLY, NULL);

	(void)h;
	return rc ? rc : makes_one();
}

static int make_on_full(const struct holder *h)
{
	int rc = other_shm("tmpfs", 0, "size=4k"), fd;

	(void)h;
	fd = open("/dev/shm/fill", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (rc || posix_fallocate(fd, 0, 4096))
		return CANNOT;
	return makes_one();
}

static int make_without_folder(const struct holder *h)
{
	int rc = other_shm("tmpfs", 0, NULL);

	(void)h;
	return rc || mount("tmpfs", "/dev", "tmpfs", 0, NULL) ? CANNOT : makes_one();
}

static int make_without_right(const struct holder *h)
{
	int rc = other_shm("tmpfs", 0, "mode=0700");

	(void)h;
	return rc || setgid(NOBODY) || setuid(NOBODY) ? CANNOT : makes_one();
}

static int make_without_descriptors(const struct holder *h)
{
	(void)h;
	while (dup(0) >= 0)
		;
	return errno == EMFILE ? makes_one() : CANNOT;
}

static int ask_without_descriptors(const struct holder *h)
{
	while (dup(0) >= 0)
		;
	return errno == EMFILE ? (int)ask(h) : CANNOT;
}

static void no_descriptor_proves_nothing(void **unused)
{
	struct holder h;

	(void)unused;
	start(&h, NULL);
	end(&h);
	assert_int_equal(in_child(make_without_descriptors, NULL), 0);
	assert_int_equal(in_child(ask_without_descriptors, &h), DBL_MARK_NOTHING);
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

static void another_folder_proves_nothing(void **unused)
{
	static int (*const none[])(const struct holder *) = {make_on_ramfs, make_read_only,
							     make_on_full, make_without_folder,
							     make_without_right};
	struct holder h;

	(void)unused;
	need_root();
	if (in_child(make_elsewhere, NULL) == CANNOT) {
		print_message("not run: no mount namespace may be made here\n");
		skip();
	}
	assert_int_equal(in_child(make_elsewhere, NULL), 1);
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(in_child(none[i], NULL), 0);
	start(&h, NULL);
	end(&h);
	assert_int_equal(in_child(ask_elsewhere, &h), DBL_MARK_NOTHING);
	assert_int_equal(ask(&h), DBL_MARK_DEAD);
	dbl_mark_remove(h.citation);
	close(h.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_user_proves_nothing),
		cmocka_unit_test(who_has_changed_its_user_is_known),
		cmocka_unit_test(another_folder_proves_nothing),
		cmocka_unit_test(no_descriptor_proves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
