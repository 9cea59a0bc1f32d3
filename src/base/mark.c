/* SPDX-License-Identifier: MIT */
#include "base/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mark_own.h"
#include "base/mem.h"
#include "base/sha256.h"

struct dbl_mark {
	struct dbl_mark_page *page;
	char citation[DBL_MARK_CITATION];
};

/* Nothing is written to it but by mapping from here on, so that its change time stays. */
static int fill(int fd, const struct dbl_mark_page *page)
{
	int rc = posix_fallocate(fd, 0, DBL_MARK_SIZE); /* a full tmpfs shows here, not by SIGBUS */

	if (rc == 0 && pwrite(fd, page, sizeof(*page), 0) != (ssize_t)sizeof(*page))
		rc = errno ? errno : ENOSPC;
	return rc;
}

static int complete(int fd, const struct dbl_mark_page *page)
{
	struct stat st;
	int rc = fill(fd, page);

	if (rc == 0 && !dbl_mark_is_fit(fd, &st))
		rc = ENOTSUP;
	if (rc == 0 && dbl_mark_lock(fd, F_OFD_SETLK, F_WRLCK, DBL_MARK_LIFE, 1))
		rc = errno;
	return rc;
}

/* It has no name before it is adopted, so that nothing is left where no client comes to be opened. */
int dbl_mark_open(const struct dbl_env *env)
{
	struct dbl_mark_page page = {.n_beats = 0};
	int fd, rc;

	errno = EIO;
	if (dbl_random_hex(env, page.name) || dbl_random_hex(env, page.secret))
		return -1;
	fd = dbl_mark_above(
		open(DBL_MARK_FOLDER, O_RDWR | O_TMPFILE | O_CLOEXEC, S_IRUSR | S_IWUSR));
	if (fd < 0)
		return -1;
	rc = complete(fd, &page);
	if (rc == 0)
		return fd;
	close(fd);
	errno = rc;
	return -1;
}

static void cite(struct dbl_mark *mark, const struct stat *st)
{
	char digest[DBL_SHA256_HEX + 1];

	dbl_sha256_hex(mark->page->secret, DBL_MARK_ID, digest);
	snprintf(mark->citation, sizeof(mark->citation), "1 %s %s %" PRIu64 " %" PRId64,
		 mark->page->name, digest, (uint64_t)st->st_ino, dbl_mark_named_at(st));
}

/* Gives the file its name, by which it is cited. */
static int name_it(int fd, struct dbl_mark *mark)
{
	char from[40];
	dbl_mark_path to;
	struct stat st;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	snprintf(to, sizeof(to), DBL_MARK_PATH "%.*s", DBL_MARK_ID, mark->page->name);
	if (linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW))
		return errno;
	if (fstat(fd, &st)) {
		int rc = errno;

		unlink(to);
		return rc;
	}
	cite(mark, &st);
	return 0;
}

struct dbl_mark *dbl_mark_adopt(int fd)
{
	bool fit;
	struct stat st;
	struct dbl_mark *mark = dbl_alloc(sizeof(*mark));
	int rc = ENOMEM;

	if (!mark)
		return NULL;
	fit = dbl_mark_is_fit(fd, &st);
	mark->page = fit ? dbl_mark_map(fd) : NULL;
	if (mark->page)
		rc = name_it(fd, mark);
	else if (!fit)
		rc = ENOTSUP;
	if (rc == 0)
		return mark;
	if (mark->page)
		dbl_mark_unmap(mark->page);
	dbl_free(mark);
	errno = rc;
	return NULL;
}

struct dbl_mark *dbl_mark_new(const struct dbl_env *env)
{
	int fd = dbl_mark_open(env);
	struct dbl_mark *mark = fd < 0 ? NULL : dbl_mark_adopt(fd);

	if (fd >= 0)
		close(fd);
	return mark;
}

void dbl_mark_free(struct dbl_mark *mark, bool over)
{
	dbl_mark_path file;

	if (!mark)
		return;
	snprintf(file, sizeof(file), DBL_MARK_PATH "%.*s", DBL_MARK_ID, mark->page->name);
	if (over)
		unlink(file);
	dbl_mark_unmap(mark->page);
	dbl_free(mark);
}

const char *dbl_mark_citation(const struct dbl_mark *mark)
{
	return mark ? mark->citation : "";
}

void dbl_mark_note(struct dbl_mark *mark, int64_t beat, int64_t now)
{
	struct dbl_mark_page *page = mark ? dbl_mark_touch(mark->page) : NULL;

	if (!page)
		return;
	page->beats[page->n_beats++ % DBL_MARK_BEATS] = beat;
	page->noted_at = now;
}

void dbl_mark_settle(struct dbl_mark *mark, int64_t us)
{
	struct dbl_mark_page *page = mark ? dbl_mark_touch(mark->page) : NULL;
	int64_t longest = page ? atomic_load(&page->settle) : 0;

	while (page && us > longest && !atomic_compare_exchange_weak(&page->settle, &longest, us))
		;
}
