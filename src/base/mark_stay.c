/* SPDX-License-Identifier: MIT */
/* Processes that close whatever keeps a mark, and keep it all the same: they are in its page, by their
 * number and by when they began, as numbers are used again. (proc(5), /proc/PID/stat.) */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mark_own.h"

/* The fields of the file, by their number in the manual page. */
enum { STATE = 3, THREADS = 20, BEGAN = 22 };

/* Only what may be done between fork and exec: no stdio but for the path. */
static bool read_stat(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, line, size - 1);

	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The second one, the program's name, is in brackets, and may have anything in it. */
static const char *field_of(const char *line, int number)
{
	const char *at = strrchr(line, ')');

	for (int i = 2; at && i < number; i++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : "";
}

static int64_t number_in(const char *line, int number)
{
	return strtoll(field_of(line, number), NULL, 10);
}

/* A zombie has ended, unless only its first thread has. */
static bool has_ended(const char *line)
{
	char state = *field_of(line, STATE);

	return (state == 'Z' || state == 'X') && number_in(line, THREADS) <= 1;
}

static bool lives(int64_t pid, int64_t began)
{
	char path[40], line[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_stat(path, line, sizeof(line)))
		return number_in(line, BEGAN) == began && !has_ended(line);
	return kill((pid_t)pid, 0) == 0 || errno != ESRCH; /* or there is no /proc */
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* The numbers are those of one pid namespace, and the times of one time namespace. 0: it cannot be told, or
 * /proc is another pid namespace's, where our numbers are other processes'. */
static uint64_t namespaces(void)
{
	char line[1024];

	if (!read_stat("/proc/self/stat", line, sizeof(line)) ||
	    strtoll(line, NULL, 10) != getpid())
		return 0;
	return inode_of("/proc/self/ns/pid") << 32 | (uint32_t)inode_of("/proc/self/ns/time");
}

static bool enter(struct dbl_mark_page *page, int64_t pid, int64_t began)
{
	for (int i = 0; i < DBL_MARK_STAYERS; i++) {
		struct dbl_mark_stayer *stayer = &page->stayers[i];
		int64_t former = stayer->pid;

		if (former && former != pid && lives(former, stayer->began))
			continue;
		if (!atomic_compare_exchange_strong(&stayer->pid, &former, pid))
			continue;
		stayer->began = began;
		return true;
	}
	return false;
}

/* Are the page's namespaces ours, which they become if it has none yet? */
static bool is_of_ours(struct dbl_mark_page *page)
{
	uint64_t ours = namespaces(), theirs = 0;

	return ours != 0 &&
	       (atomic_compare_exchange_strong(&page->namespaces, &theirs, ours) || theirs == ours);
}

int dbl_mark_stay(int fd)
{
	char line[1024];
	struct stat st;
	struct dbl_mark_page *page;
	bool can = dbl_mark_is_fit(fd, &st) && read_stat("/proc/self/stat", line, sizeof(line));
	int rc = 0;

	if (!can || !(page = dbl_mark_map(fd)))
		return ENOTSUP;
	page = dbl_mark_touch(page);
	if (!is_of_ours(page))
		rc = EXDEV;
	else if (!enter(page, getpid(), number_in(line, BEGAN)))
		rc = ENOSPC;
	dbl_mark_unmap(page);
	return rc;
}

enum dbl_mark_word dbl_mark_of_stayers(const struct dbl_mark_page *page)
{
	if (page->namespaces == 0)
		return DBL_MARK_DEAD;
	if (page->namespaces != namespaces())
		return DBL_MARK_NOTHING;
	for (int i = 0; i < DBL_MARK_STAYERS; i++) {
		if (page->stayers[i].pid && lives(page->stayers[i].pid, page->stayers[i].began))
			return DBL_MARK_ALIVE;
	}
	return DBL_MARK_DEAD;
}
