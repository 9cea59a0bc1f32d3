/* SPDX-License-Identifier: MIT */
/* Folders and files in the scratch folder. */
#ifndef TESTS_UNIT_FOLDER_KIT_H
#define TESTS_UNIT_FOLDER_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"

enum { KIT_PATH = 512 };

static char kit_dir[KIT_PATH]; /* the present folder */
static struct dblock_error kit_err;

/* Makes a new, empty folder the present one. */
static inline void fresh(void)
{
	static int count;
	const char *tmp = getenv("DBLOCK_TEST_TMP");

	assert_non_null(tmp);
	snprintf(kit_dir, sizeof(kit_dir), "%s/folder%d", tmp, count++);
	assert_int_equal(mkdir(kit_dir, 0777), 0);
}

/* Returns the path in one of four buffers, in turns. */
static inline const char *path_of(const char *file)
{
	static char paths[4][2 * KIT_PATH];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", kit_dir, file);
	return path;
}

static inline void put_bytes(const char *file, const char *text, size_t len)
{
	FILE *out = fopen(path_of(file), "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
}

static inline void put(const char *file, const char *text)
{
	put_bytes(file, text, strlen(text));
}

static inline void make_folder(const char *name)
{
	assert_int_equal(mkdir(path_of(name), 0777), 0);
}

#endif
