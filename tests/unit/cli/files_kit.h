/* SPDX-License-Identifier: MIT */
/* Folders and files in the scratch folder, and outcomes. */
#ifndef TESTS_UNIT_CLI_FILES_KIT_H
#define TESTS_UNIT_CLI_FILES_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/migrate_files.h"

enum { KIT_PATH = 512, KIT_TEXT = 4096 };

static char kit_dir[KIT_PATH];
static struct dblock_error kit_err;

static inline void fresh(void)
{
	static int count;
	const char *tmp = getenv("DBLOCK_TEST_TMP");

	assert_non_null(tmp);
	snprintf(kit_dir, sizeof(kit_dir), "%s/files%d", tmp, count++);
	assert_int_equal(mkdir(kit_dir, 0777), 0);
}

/* In one of four places, by turns. */
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

static inline void holds(const char *file, const char *expected)
{
	char text[KIT_TEXT] = "";
	FILE *in = fopen(path_of(file), "r");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	assert_string_equal(text, expected);
}

static inline int count_files(const char *folder)
{
	DIR *all = opendir(folder);
	int n = 0;

	assert_non_null(all);
	for (struct dirent *entry = readdir(all); entry; entry = readdir(all))
		n += entry->d_name[0] != '.';
	closedir(all);
	return n;
}

static inline void done_at(int rc, const char *file, int line)
{
	if (rc) {
		print_error("%s\n", kit_err.message);
		_fail(file, line);
	}
}

static inline void refused_at(int rc, const char *part, const char *file, int line)
{
	if (rc != DBLOCK_E_INVALID || kit_err.code != rc || !strstr(kit_err.message, part)) {
		print_error("%d, %d: no '%s' in '%s'\n", rc, kit_err.code, part, kit_err.message);
		_fail(file, line);
	}
}

#define done(call)          done_at((call), __FILE__, __LINE__)
#define refused(call, part) refused_at((call), (part), __FILE__, __LINE__)

#endif
