/* SPDX-License-Identifier: MIT */
/* These stand in the place of the C library's, also for SQLite: the program that includes this
 * opens and closes thousands of clients, and nothing that they write has to survive a power cut. */
#ifndef TESTS_SUPPORT_NOSYNC_H
#define TESTS_SUPPORT_NOSYNC_H

__attribute__((visibility("default"))) int fsync(int fd);
__attribute__((visibility("default"))) int fdatasync(int fd);

int fsync(int fd)
{
	(void)fd;
	return 0;
}

int fdatasync(int fd)
{
	(void)fd;
	return 0;
}

#endif
