/* SPDX-License-Identifier: MIT */
/* Checks of files' content, and of outcomes. */
#ifndef TESTS_UNIT_CLI_FILES_KIT_H
#define TESTS_UNIT_CLI_FILES_KIT_H

#include <dirent.h>

#include "unit/folder_kit.h"

#include "cli/migrate/files.h"

enum { KIT_TEXT = 4096 };

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
