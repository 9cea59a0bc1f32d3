/* SPDX-License-Identifier: MIT */
#include "cli/migrate/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const dbl_migrate_dialects[] = {"sqlite", "postgresql", "mysql", NULL};

int dbl_migrate_refuse(struct dblock_error *err, const char *fmt, ...)
{
	va_list args;

	*err = (struct dblock_error){.code = DBLOCK_E_INVALID};
	va_start(args, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	return err->code;
}

int dbl_migrate_no_memory(struct dblock_error *err)
{
	dbl_migrate_refuse(err, "out of memory");
	return err->code = DBLOCK_E_NOMEM;
}

int dbl_migrate_cannot(struct dblock_error *err, const char *file, const char *done)
{
	int error = errno;

	dbl_migrate_refuse(err, "%s: cannot be %s: %s", file, done, strerror(error));
	err->native = error;
	return err->code;
}

int dbl_migrate_check_dialect(const char *dialect, struct dblock_error *err)
{
	for (const char *const *d = dbl_migrate_dialects; *d; d++)
		if (strcmp(*d, dialect) == 0)
			return 0;
	return dbl_migrate_refuse(err,
				  "'%.80s' is no kind of database; there are sqlite, postgresql "
				  "and mysql",
				  dialect);
}

char *dbl_migrate_path(const char *dir, const char *name, struct dblock_error *err)
{
	size_t len = strlen(dir);
	char *path;

	if (asprintf(&path, "%s%s%s", dir, len && dir[len - 1] != '/' ? "/" : "", name) >= 0)
		return path;
	dbl_migrate_no_memory(err);
	return NULL;
}

bool dbl_migrate_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool dbl_migrate_is_identifier(const char *text, size_t len)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				      "0123456789";

	return len > 0 && strspn(text, allowed) >= len && (*text < '0' || *text > '9');
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return fsync(fd);
}

int dbl_migrate_make_file(const char *path, const char *text, size_t len, const char *made,
			  struct dblock_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), rc = 0;

	if (fd < 0)
		return dbl_migrate_cannot(err, path, made);
	if (write_all(fd, text, len))
		rc = dbl_migrate_cannot(err, path, "written");
	if (close(fd) && rc == 0)
		rc = dbl_migrate_cannot(err, path, "written");
	if (rc)
		unlink(path);
	return rc;
}

int dbl_migrate_replace_file(const char *file, const char *text, size_t len,
			     struct dblock_error *err)
{
	char *temporary;
	int rc;

	if (asprintf(&temporary, "%s.%ld.tmp", file, (long)getpid()) < 0)
		return dbl_migrate_no_memory(err);
	rc = dbl_migrate_make_file(temporary, text, len, "written", err);
	if (rc == 0 && rename(temporary, file)) {
		rc = dbl_migrate_cannot(err, file, "written");
		unlink(temporary);
	}
	free(temporary);
	return rc;
}
