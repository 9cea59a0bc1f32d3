/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

enum { PART = 1 << 16 };

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

static int read_text(int fd, char **text, size_t len)
{
	int rc;

	*text = dbl_alloc(len + 1);
	if (!*text)
		return ENOMEM;
	rc = read_all(fd, *text, len);
	if (rc) {
		dbl_free(*text);
		*text = NULL;
	}
	return rc;
}

/* The file is checked before it is opened, because opening a device can have an effect; and again
 * after, because another file may have taken its name. */
static int open_file(const char *path, size_t max, int *fd, struct stat *st)
{
	int rc = stat(path, st) ? errno : judge(st, max);

	if (rc)
		return rc;
	*fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (*fd < 0)
		return errno;
	rc = fstat(*fd, st) ? errno : judge(st, max);
	if (rc)
		close(*fd);
	return rc;
}

int dbl_file_read(const char *path, size_t max, char **text, size_t *len)
{
	struct stat st;
	int fd, rc = open_file(path, max, &fd, &st);

	if (rc)
		return rc;
	*len = (size_t)st.st_size;
	rc = read_text(fd, text, *len);
	close(fd);
	return rc;
}

/* Fill a part, unless the file ends. */
static int fill(int fd, char *part, size_t *len)
{
	ssize_t n;

	*len = 0;
	do {
		n = read(fd, part + *len, PART - *len);
		if (n > 0)
			*len += (size_t)n;
	} while ((n > 0 && *len < PART) || (n < 0 && errno == EINTR));
	return n < 0 ? errno : 0;
}

/* Whether nobody has written the file since it was opened, of which so much was read. */
static int check_whole(int fd, const struct stat *was, size_t done)
{
	struct stat st;

	if (fstat(fd, &st))
		return errno;
	return done == (size_t)was->st_size && st.st_size == was->st_size &&
			       st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
			       st.st_mtim.tv_nsec == was->st_mtim.tv_nsec
		       ? 0
		       : EAGAIN;
}

int dbl_file_parts(const char *path, dbl_part_cb *cb, void *arg)
{
	struct stat st;
	size_t done = 0, len = 0;
	char *part;
	int fd, rc = open_file(path, SIZE_MAX, &fd, &st);

	if (rc)
		return rc;
	part = dbl_alloc(PART);
	rc = part ? 0 : ENOMEM;
	do {
		rc = rc ? rc : fill(fd, part, &len);
		done += len;
		if (rc == 0 && len > 0)
			rc = cb(arg, part, len);
	} while (rc == 0 && len == PART);
	rc = rc ? rc : check_whole(fd, &st, done);
	dbl_free(part);
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
