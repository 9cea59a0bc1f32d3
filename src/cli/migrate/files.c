/* SPDX-License-Identifier: MIT */
#include "cli/migrate/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const dbl_migrate_dialects[] = {"sqlite", "postgresql", "mysql", NULL};

int dbl_migrate_fail(struct dblock_error *err, int code, int native, const char *fmt, ...)
{
	va_list args;

	err->code = code;
	err->native = native;
	err->sqlstate[0] = '\0';
	va_start(args, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	return code;
}

char *dbl_migrate_path(const char *dir, const char *name, struct dblock_error *err)
{
	size_t dir_len = strlen(dir);
	const char *slash = name && dir_len && dir[dir_len - 1] != '/' ? "/" : "";
	size_t size = dir_len + (name ? strlen(name) : 0) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%s", dir, slash, name ? name : "");
	else
		dbl_migrate_fail(err, DBLOCK_E_NOMEM, 0, "out of memory");
	return path;
}

bool dbl_migrate_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
