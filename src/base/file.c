/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

bool dbl_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_itself_or_above(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int dbl_folder_read(const char *path, dbl_entry_cb *cb, void *arg)
{
	DIR *folder = opendir(path);
	struct dirent *entry = NULL;
	int rc = 0;

	if (!folder)
		return errno;
	do {
		errno = 0;
		entry = readdir(folder);
		if (!entry)
			rc = errno;
		else if (!is_itself_or_above(entry->d_name))
			rc = cb(arg, entry->d_name);
	} while (entry && rc == 0);
	closedir(folder);
	return rc;
}

static int judge(const struct stat *st, size_t max)
{
	if (S_ISDIR(st->st_mode))
		return EISDIR;
	if (!S_ISREG(st->st_mode))
		return ENOTSUP;
	return (size_t)st->st_size > max ? EFBIG : 0;
}

/* Read exactly `len` bytes, and then the end. */
static int read_all(int fd, char *text, size_t len)
{
	size_t done = 0;
	ssize_t n;

	do {
		/* Read one more than there should be, to see that there is none. */
		n = read(fd, text + done, len - done + 1);
		if (n > 0)
			done += (size_t)n;
	} while ((n > 0 && done <= len) || (n < 0 && errno == EINTR));
	if (n < 0)
		return errno;
	text[len] = '\0';
	return done == len ? 0 : EAGAIN;
}

static int read_open(int fd, size_t max, char **text, size_t *len)
{
	struct stat st;
	int rc = fstat(fd, &st) ? errno : judge(&st, max);

	if (rc)
		return rc;
	*len = (size_t)st.st_size;
	*text = dbl_alloc(*len + 1);
	if (!*text)
		return ENOMEM;
	rc = read_all(fd, *text, *len);
	if (rc) {
		dbl_free(*text);
		*text = NULL;
	}
	return rc;
}

/* The file is checked before it is opened, because opening a device can have an effect; and again
 * after, because another file may have taken its name. */
int dbl_file_read(const char *path, size_t max, char **text, size_t *len)
{
	struct stat st;
	int fd, rc = stat(path, &st) ? errno : judge(&st, max);

	if (rc)
		return rc;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	rc = read_open(fd, max, text, len);
	close(fd);
	return rc;
}

int dbl_file_remove(const char *path, const char *const *endings)
{
	char *real = realpath(path, NULL);
	int why = real ? 0 : errno;

	for (; why == 0 && *endings; endings++) {
		struct dbl_str name = {0};

		dbl_str_addf(&name, "%s%s", real, *endings);
		if (name.failed)
			why = ENOMEM;
		else if (unlink(name.text) && errno != ENOENT)
			why = errno;
		dbl_str_free(&name);
	}
	free(real);
	return why;
}
