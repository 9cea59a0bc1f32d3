/* SPDX-License-Identifier: MIT */
#include "cli/run/guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct process {
	pid_t pid;
	pid_t parent;
};

struct processes {
	struct process *list;
	size_t count, room;
};

/* Read /proc/PID/stat; false: the process is gone, or a zombie. The second field is the program's
 * name in brackets, and may have brackets in it. */
static bool read_process(const char *pid, struct process *process)
{
	char path[64], line[1024];
	int threads = 0, parent = 0;
	const char *rest;
	char state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	rest = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	if (!rest || sscanf(rest + 1,
			    " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
			    &state, &parent, &threads) != 3)
		return false;
	process->pid = (pid_t)strtol(pid, NULL, 10);
	process->parent = (pid_t)parent;
	/* A process is a zombie if no thread runs: the first thread alone may have ended. */
	return (state != 'Z' && state != 'X') || threads > 1;
}

static bool add(struct processes *all, const struct process *process)
{
	if (all->count == all->room) {
		size_t room = all->room ? 2 * all->room : 256;
		struct process *list = realloc(all->list, room * sizeof(*list));

		if (!list)
			return false;
		all->list = list;
		all->room = room;
	}
	all->list[all->count++] = *process;
	return true;
}

static bool read_all(struct processes *all)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct process process;

	if (!proc)
		return false;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    read_process(entry->d_name, &process) && !add(all, &process))
			break;
	closedir(proc);
	return true;
}

static void swap(struct process *a, struct process *b)
{
	struct process c = *a;

	*a = *b;
	*b = c;
}

/* Move the processes below `top` to the front of the list; returns how many there are. */
static size_t gather(struct processes *all, pid_t top)
{
	size_t found = 0;

	for (size_t at = 0; at <= found; at++) {
		pid_t parent = at ? all->list[at - 1].pid : top;

		for (size_t i = found; i < all->count; i++)
			if (all->list[i].parent == parent)
				swap(&all->list[i], &all->list[found++]);
	}
	return found;
}

int dbl_tree_signal(pid_t top, int signo, pid_t *spared)
{
	struct processes all = {0};
	size_t found;
	int sent = 0;

	*spared = 0;
	if (!read_all(&all))
		return -1;
	found = gather(&all, top);
	for (size_t i = 0; i < found; i++) {
		if (kill(all.list[i].pid, signo) == 0)
			sent++;
		else if (errno == EPERM)
			*spared = all.list[i].pid;
	}
	free(all.list);
	return sent;
}

void dbl_tree_end(pid_t *spared)
{
	const struct timespec a_while = {0, 5000000};

	/* A process that was started meanwhile is seen the next time: its parent is dead by then,
	 * and it is our child. */
	while (dbl_tree_signal(getpid(), SIGKILL, spared) > 0) {
		nanosleep(&a_while, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}
