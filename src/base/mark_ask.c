/* SPDX-License-Identifier: MIT */
#include "base/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/file.h"
#include "base/mark_own.h"
#include "base/sha256.h"
#include "base/str.h"

/* What a citation says. */
struct cited {
	char name[DBL_MARK_ID + 1], digest[DBL_SHA256_HEX + 1];
	uint64_t inode;
	int64_t named; /* ns */
};

bool dbl_mark_is_fit(int fd, struct stat *st)
{
	struct statfs fs;

	return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_size == DBL_MARK_SIZE &&
	       fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

static bool read_citation(const char *text, struct cited *cited)
{
	int end = 0;

	return sscanf(text, "1 %32[0-9a-f] %64[0-9a-f] %" SCNu64 " %" SCNd64 "%n", cited->name,
		      cited->digest, &cited->inode, &cited->named, &end) == 4 &&
	       text[end] == '\0' && strlen(cited->name) == DBL_MARK_ID;
}

static bool is_cited(int fd, const struct cited *cited)
{
	struct stat st;

	return dbl_mark_is_fit(fd, &st) && st.st_ino == cited->inode &&
	       dbl_mark_named_at(&st) == cited->named;
}

/* Whoever has made the file knew the secret. */
static bool has_secret(const struct dbl_mark_page *page, const char *digest)
{
	char real[DBL_SHA256_HEX + 1];

	dbl_sha256_hex(page->secret, DBL_MARK_ID, real);
	return strcmp(real, digest) == 0;
}

static int open_file(const char *file)
{
	return open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Is it locked by nobody? Else errno. */
static bool is_unlocked(int fd)
{
	return dbl_mark_lock(fd, F_OFD_SETLK, F_RDLCK, DBL_MARK_LIFE, DBL_MARK_LOCKS) == 0;
}

/* The same file once more, to write. */
static int open_again(int fd)
{
	char file[40];

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	return dbl_mark_above(open(file, O_RDWR | O_CLOEXEC));
}

/* The file that is cited, opened; -1: there is none that we may open. */
static int open_cited(const char *citation, struct cited *cited)
{
	dbl_mark_path file;
	int fd;

	if (!read_citation(citation, cited))
		return -1;
	snprintf(file, sizeof(file), DBL_MARK_PATH "%s", cited->name);
	fd = open_file(file);
	if (fd >= 0 && !is_cited(fd, cited)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool has_beat(const struct dbl_mark_page *page, int64_t beat)
{
	bool has = false;

	for (unsigned i = 0; i < DBL_MARK_BEATS && !has; i++)
		has = beat != 0 && page->beats[i] == beat;
	return has;
}

/* Notes that it was found dead now, if nobody has by then. Returns when it was. */
static int64_t note_gone(int fd, int64_t now)
{
	int again = open_again(fd);
	struct dbl_mark_page *page = again < 0 ? NULL : dbl_mark_map(again);
	int64_t gone_at = 0;

	if (again >= 0)
		close(again);
	if (!page)
		return now;
	page = dbl_mark_touch(page);
	if (!atomic_compare_exchange_strong(&page->gone_at, &gone_at, now) && gone_at > now)
		page->gone_at = now;
	dbl_mark_unmap(page);
	return gone_at && gone_at <= now ? gone_at : now;
}

/* Has it been dead for so long that what it had sent has arrived? Counted from when somebody first
 * found it dead; that is not after now, but by the clock of another time namespace. */
static bool has_settled(int fd, const struct dbl_mark_page *page, int64_t now)
{
	int64_t gone_at = page->gone_at;

	if (page->settle == 0)
		return true;
	if (gone_at == 0 || gone_at > now)
		gone_at = note_gone(fd, now);
	return now - gone_at >= page->settle;
}

/* The file is locked by us, and so by nobody else. */
static enum dbl_mark_word judge(int fd, const char *digest, int64_t beat, int64_t now)
{
	struct dbl_mark_page page;
	enum dbl_mark_word word;

	if (pread(fd, &page, sizeof(page), 0) != sizeof(page) || !has_secret(&page, digest) ||
	    !has_beat(&page, beat))
		return DBL_MARK_NOTHING;
	word = dbl_mark_of_stayers(&page);
	if (word == DBL_MARK_DEAD && !has_settled(fd, &page, now))
		return DBL_MARK_ALIVE;
	return word;
}

enum dbl_mark_word dbl_mark_ask(const char *citation, int64_t beat, int64_t now)
{
	enum dbl_mark_word word = DBL_MARK_NOTHING;
	struct cited cited;
	int fd = open_cited(citation, &cited);

	if (fd < 0)
		return word;
	if (is_unlocked(fd))
		word = judge(fd, cited.digest, beat, now);
	else if (errno == EAGAIN || errno == EACCES)
		word = DBL_MARK_ALIVE;
	close(fd);
	return word;
}

void dbl_mark_remove(const char *citation)
{
	struct cited cited;
	dbl_mark_path file;
	int fd = open_cited(citation, &cited);

	if (fd < 0)
		return;
	if (is_unlocked(fd)) {
		snprintf(file, sizeof(file), DBL_MARK_PATH "%s", cited.name);
		unlink(file);
	}
	close(fd);
}

/* ---- all of this machine --------------------------------------------------------------------- */

struct dead_list {
	struct dbl_str *names;
	unsigned n;
	int64_t now, age; /* whose last beat was longer ago is removed */
};

static bool is_name(const char *name)
{
	size_t prefix = sizeof(DBL_MARK_PREFIX) - 1;

	return strncmp(name, DBL_MARK_PREFIX, prefix) == 0 &&
	       strlen(name + prefix) == DBL_MARK_ID &&
	       strspn(name + prefix, "0123456789abcdef") == DBL_MARK_ID;
}

/* Is it a mark that nobody keeps, and when was its last beat? */
static bool is_dead_file(const char *file, int64_t *noted_at)
{
	struct dbl_mark_page page;
	struct stat st;
	int fd = open_file(file);
	bool dead = fd >= 0 && dbl_mark_is_fit(fd, &st) && is_unlocked(fd) &&
		    pread(fd, &page, sizeof(page), 0) == sizeof(page) &&
		    dbl_mark_of_stayers(&page) == DBL_MARK_DEAD;

	*noted_at = dead ? page.noted_at : 0;
	if (fd >= 0)
		close(fd);
	return dead;
}

static int add_if_dead(void *arg, const char *name)
{
	struct dead_list *list = arg;
	dbl_mark_path file;
	int64_t noted_at;

	if (!is_name(name))
		return 0;
	snprintf(file, sizeof(file), DBL_MARK_FOLDER "%s", name);
	if (!is_dead_file(file, &noted_at))
		return 0;
	if (list->now - noted_at > list->age) {
		unlink(file);
		return 0;
	}
	dbl_str_add(list->names, " ");
	dbl_str_add(list->names, name + sizeof(DBL_MARK_PREFIX) - 1);
	list->n++;
	return 0;
}

unsigned dbl_mark_list_dead(struct dbl_str *names, int64_t age_us)
{
	struct dead_list list = {
		.names = names, .now = dbl_clock_read(CLOCK_BOOTTIME), .age = age_us};

	(void)dbl_folder_read(DBL_MARK_FOLDER, add_if_dead, &list);
	return list.n;
}

/* ---- handed on ------------------------------------------------------------------------------- */

/* An open file of its own, with a lock of its own, since what has it must not depend on ours. */
static int hand_on(int fd)
{
	int byte = DBL_MARK_HANDED_ON;

	while (fd >= 0 && dbl_mark_lock(fd, F_OFD_SETLK, F_WRLCK, byte, 1)) {
		if ((errno == EAGAIN || errno == EACCES) && ++byte < DBL_MARK_LOCKS)
			continue;
		close(fd);
		fd = -1;
	}
	return fd;
}

int dbl_mark_hand_on_fd(int fd)
{
	return hand_on(open_again(fd));
}

int dbl_mark_hand_on(const struct dbl_mark *mark)
{
	struct cited cited;
	int fd = open_cited(dbl_mark_citation(mark), &cited), again;

	if (fd < 0) {
		errno = ENOENT;
		return -1;
	}
	again = hand_on(open_again(fd));
	close(fd);
	return again;
}

bool dbl_mark_is_handed_on(int fd)
{
	return dbl_mark_lock(fd, F_OFD_GETLK, F_RDLCK, DBL_MARK_HANDED_ON,
			     DBL_MARK_LOCKS - DBL_MARK_HANDED_ON) > 0;
}

/* ---- watched --------------------------------------------------------------------------------- */

int dbl_mark_watch_new(void)
{
	return dbl_mark_above(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
}

bool dbl_mark_watch(int watch, const char *citation)
{
	struct cited cited;
	dbl_mark_path file;

	if (!read_citation(citation, &cited))
		return false;
	snprintf(file, sizeof(file), DBL_MARK_PATH "%s", cited.name);
	return inotify_add_watch(watch, file, IN_CLOSE_WRITE | IN_DONT_FOLLOW | IN_ONESHOT) >= 0;
}
