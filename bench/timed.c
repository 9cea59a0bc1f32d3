/* SPDX-License-Identifier: MIT */
/* Runs a command, and writes what it took into a file: seconds, seconds of CPU, and the most memory that it
 * had at a time, in KiB: timed FILE COMMAND [ARG...]. The exit code is the command's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int tell(const char *path, double took, const struct rusage *used)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return -1;
	fprintf(out, "%.3f %.3f %ld\n", took, seconds(used->ru_utime) + seconds(used->ru_stime),
		used->ru_maxrss);
	return fclose(out);
}

int main(int argc, char **argv)
{
	double begun = now();
	struct rusage used;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: timed FILE COMMAND [ARG...]\n");
		return 64;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "timed: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	while (wait4(pid, &status, 0, &used) < 0) {
		if (errno != EINTR)
			return 1;
	}
	if (tell(argv[1], now() - begun, &used))
		fprintf(stderr, "timed: %s: %s\n", argv[1], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
