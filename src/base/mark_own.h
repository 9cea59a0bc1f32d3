/* SPDX-License-Identifier: MIT */
/* What mark.c, of our own process, and mark_ask.c, of others, share: the file. */
#ifndef DBL_BASE_MARK_OWN_H
#define DBL_BASE_MARK_OWN_H

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mark.h"

#define DBL_MARK_FOLDER "/dev/shm/"
#define DBL_MARK_PREFIX "dblock-alive."
#define DBL_MARK_PATH   DBL_MARK_FOLDER DBL_MARK_PREFIX

enum { DBL_MARK_ID = 32, DBL_MARK_BEATS = 16, DBL_MARK_STAYERS = 16, DBL_MARK_SIZE = 4096 };

/* The bytes of the file that are locked, for nobody else to read: the first by the process that the mark
 * is of, each of the others by whatever has a descriptor that was handed on. Who asks locks all of
 * them, to read: so he needs not open the file to write, which would wake those who watch it. */
enum { DBL_MARK_LIFE, DBL_MARK_HANDED_ON, DBL_MARK_LOCKS = 4096 };

/* A process that keeps the mark with no descriptor of it (mark_stay.c). pid 0: none. */
struct dbl_mark_stayer {
	_Atomic int64_t pid, began; /* in clock ticks since the boot */
};

struct dbl_mark_page {
	char name[DBL_MARK_ID + 1], secret[DBL_MARK_ID + 1];
	_Atomic int64_t settle;   /* us */
	_Atomic int64_t noted_at; /* when the last beat was, on CLOCK_BOOTTIME */
	_Atomic int64_t gone_at;  /* when somebody first found it dead; 0: nobody has */
	_Atomic int64_t beats[DBL_MARK_BEATS];
	atomic_uint n_beats;
	_Atomic uint64_t namespaces; /* of those who stay: by their inodes; 0: nobody does */
	struct dbl_mark_stayer stayers[DBL_MARK_STAYERS];
};

_Static_assert(sizeof(struct dbl_mark_page) <= DBL_MARK_SIZE, "a page");

typedef char dbl_mark_path[sizeof(DBL_MARK_PATH) + DBL_MARK_ID];

/* The same open file at a number that is not for input or output, and not 0, which means none. */
static inline int dbl_mark_above(int fd)
{
	int above =
		fd >= 0 && fd <= STDERR_FILENO ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : fd;

	if (above != fd)
		close(fd);
	return above;
}

/* fcntl()'s; for F_OFD_GETLK 1: somebody has it locked. */
static inline int dbl_mark_lock(int fd, int command, short type, int from, int bytes)
{
	struct flock range = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = bytes};
	int rc = fcntl(fd, command, &range);

	return rc == 0 && command == F_OFD_GETLK ? range.l_type != F_UNLCK : rc;
}

/* NULL: errno. */
static inline struct dbl_mark_page *dbl_mark_map(int fd)
{
	void *page = mmap(NULL, DBL_MARK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* Before the page is written: it is read, lest it is not there. To bring it in by writing would change
 * the file's change time, by which it is cited. */
static inline struct dbl_mark_page *dbl_mark_touch(struct dbl_mark_page *page)
{
	(void)*(volatile const char *)page->name;
	return page;
}

static inline void dbl_mark_unmap(struct dbl_mark_page *page)
{
	munmap(page, DBL_MARK_SIZE);
}

/* Is it a file as we make them? Only tmpfs is this machine's alone, and ends with it. */
bool dbl_mark_is_fit(int fd, struct stat *);

/* What those who stay say of a mark that nobody has locked: DBL_MARK_DEAD if all have ended. */
enum dbl_mark_word dbl_mark_of_stayers(const struct dbl_mark_page *);

/* When it got its name, in ns: the last change of what the file is, but for its bytes by mapping. */
static inline int64_t dbl_mark_named_at(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

#endif
