/* SPDX-License-Identifier: MIT */
#include "engines/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <dblock/error.h>

static int file;

void record_open(const char *path)
{
	file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (file >= 0)
		return;
	perror(path);
	exit(1);
}

int64_t record_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* One write(2) to a file that is appended to: lines do not mix. */
void record(int64_t at, int client, const char *kind, const char *name, int64_t token, int outcome)
{
	char line[200];
	int n = snprintf(line, sizeof(line), "%lld %d %s %s %lld %s\n", (long long)at, client, kind,
			 name, (long long)token, dblock_outcome_name(outcome) + sizeof("DBLOCK"));

	if (write(file, line, (size_t)n) == n)
		return;
	perror("witness: what was seen cannot be written down");
	_exit(1);
}
