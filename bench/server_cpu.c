/* SPDX-License-Identifier: MIT */
#include "server_cpu.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* Reads /proc/PID/stat, in ticks; the process's name in it may contain anything. */
static bool read_times(long pid, long *parent, long long *own, long long *ended_children)
{
	char path[64], text[1024];
	long long user, system, child_user, child_system;
	const char *after;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	after = strrchr(text, ')');
	if (!after ||
	    sscanf(after + 1, " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld",
		   parent, &user, &system, &child_user, &child_system) != 5)
		return false;
	*own = user + system;
	*ended_children = child_user + child_system;
	return true;
}

/* Reads the time of a child with one thread that has used less than a tick, as a hundred of them
 * may have. */
static int64_t read_child_us(long pid, int64_t ticks_us)
{
	char path[64];
	long long ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/schedstat", pid);
	f = fopen(path, "r");
	if (!f)
		return ticks_us;
	if (fscanf(f, "%lld", &ns) != 1)
		ns = ticks_us * 1000;
	fclose(f);
	return ns / 1000;
}

int64_t bench_server_cpu_us(const char *server)
{
	char *text = bench_read_state(server, "pid");
	long pid = text ? atol(text) : 0, parent, tick_us = 1000000 / sysconf(_SC_CLK_TCK);
	long long own, ended;
	int64_t us = 0;
	struct dirent *entry;
	DIR *all;

	free(text);
	all = pid > 0 ? opendir("/proc") : NULL;
	if (!all)
		return 0;
	while ((entry = readdir(all))) {
		long one = isdigit((unsigned char)entry->d_name[0]) ? atol(entry->d_name) : 0;

		if (one <= 0 || !read_times(one, &parent, &own, &ended))
			continue;
		if (one == pid)
			us += (own + ended) * tick_us;
		else if (parent == pid)
			us += read_child_us(one, own * tick_us);
	}
	closedir(all);
	return us;
}
