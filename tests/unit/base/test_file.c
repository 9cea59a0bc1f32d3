/* SPDX-License-Identifier: MIT */
/* Files and folders are checked before they are read. The tests of unit/migrate/set/test_set_dir.c
 * have sets of migrations, FIFOs, devices and links. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

static const char *scratch(void)
{
	const char *path = getenv("DBLOCK_TEST_TMP");

	assert_non_null(path);
	return path;
}

static void is_read(const char *path, const char *text, size_t len)
{
	char *read = NULL;
	size_t n = 99;

	assert_int_equal(dbl_file_read(path, len, &read, &n), 0);
	assert_int_equal(n, len);
	assert_memory_equal(read, text, len);
	assert_int_equal(read[len], '\0');
	dbl_free(read);
}

static void files(void **unused)
{
	char path[512], *text = NULL;
	size_t len;
	FILE *out;

	(void)unused;
	snprintf(path, sizeof(path), "%s/file", scratch());
	assert_int_equal(dbl_file_read(path, 99, &text, &len), ENOENT);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
	is_read(path, "", 0);
	out = fopen(path, "w");
	assert_non_null(out);
	fwrite("a\0b", 1, 3, out);
	assert_int_equal(fclose(out), 0);
	is_read(path, "a\0b", 3);
	assert_int_equal(dbl_file_read(path, 2, &text, &len), EFBIG);
	assert_int_equal(dbl_file_read(scratch(), 99, &text, &len), EISDIR);
	assert_int_equal(dbl_file_read("/dev/null", 99, &text, &len), ENOTSUP);
	/* This file says that it is empty, and then is not. */
	assert_int_equal(dbl_file_read("/proc/self/status", 99, &text, &len), EAGAIN);
	assert_null(text);
}

static int collect(void *arg, const char *name)
{
	strcat(arg, name);
	return strcmp(name, "stop") == 0 ? -7 : 0;
}

static void touch(const char *folder, const char *file)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
}

static void folders(void **unused)
{
	char names[512] = "";

	(void)unused;
	assert_true(dbl_is_folder(scratch()));
	assert_false(dbl_is_folder("/dev/null"));
	assert_false(dbl_is_folder("/no such folder"));
	assert_int_equal(dbl_folder_read("/no such folder", collect, names), ENOENT);
	assert_int_equal(dbl_folder_read("/dev/null", collect, names), ENOTDIR);
	assert_string_equal(names, "");
	touch(scratch(), "stop");
	assert_int_equal(dbl_folder_read(scratch(), collect, names), -7);
	assert_non_null(strstr(names, "stop"));
}

/* Naive: a link's own name is removed, or the first that is missing ends it. */
static void removing(void **unused)
{
	static const char *const endings[] = {"-a", "-b", "", NULL};
	char path[512], link[512];

	(void)unused;
	touch(scratch(), "base");
	touch(scratch(), "base-b");
	touch(scratch(), "base-c");
	snprintf(path, sizeof(path), "%s/base", scratch());
	snprintf(link, sizeof(link), "%s/link", scratch());
	assert_int_equal(symlink("base", link), 0);
	assert_int_equal(dbl_file_remove(link, endings), 0);
	assert_int_equal(access(path, F_OK), -1);
	strcat(path, "-b");
	assert_int_equal(access(path, F_OK), -1);
	path[strlen(path) - 1] = 'c';
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(dbl_file_remove(link, endings), ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(folders),
		cmocka_unit_test(removing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
