/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exits.h"

enum { NAME_ROOM = DBLOCK_NAME_MAX + sizeof("DBLOCK_NAME="), TOKEN_ROOM = 48 };

/* Our environment with two more variables in it: a copy, for setenv() would race with the getenv()
 * of the library's thread. */
struct environment {
	char name[NAME_ROOM];
	char token[TOKEN_ROOM];
	char **list;
};

static bool is_ours(const char *variable)
{
	return strncmp(variable, "DBLOCK_NAME=", sizeof("DBLOCK_NAME=") - 1) == 0 ||
	       strncmp(variable, "DBLOCK_TOKEN=", sizeof("DBLOCK_TOKEN=") - 1) == 0;
}

static bool fill_environment(struct environment *env, const char *name, int64_t token)
{
	size_t n = 0;

	while (environ[n])
		n++;
	env->list = calloc(n + 3, sizeof(*env->list));
	if (!env->list)
		return false;
	snprintf(env->name, sizeof(env->name), "DBLOCK_NAME=%s", name);
	snprintf(env->token, sizeof(env->token), "DBLOCK_TOKEN=%" PRId64, token);
	n = 0;
	for (char **variable = environ; *variable; variable++)
		if (!is_ours(*variable))
			env->list[n++] = *variable;
	env->list[n++] = env->name;
	env->list[n] = env->token;
	return true;
}

/* In the child: only what is safe after the fork of a process with threads. */
static _Noreturn void become(const struct dbl_signals *signals, char *const *command,
			     char *const *environment, int failure)
{
	ssize_t ignored;
	int error;

	sigprocmask(SIG_SETMASK, &signals->original, NULL);
	execvpe(command[0], command, environment);
	error = errno;
	ignored = write(failure, &error, sizeof(error));
	(void)ignored;
	_exit(DBL_EXIT_NOT_FOUND);
}

/* Start it; the pipe closes by itself when the command is executed, or tells why it was not.
 * Returns 0 or an errno. */
static int start(const struct dbl_signals *signals, char *const *command, char *const *environment,
		 pid_t *pid)
{
	int failure[2], error = 0;

	if (pipe2(failure, O_CLOEXEC))
		return errno;
	*pid = fork();
	if (*pid == 0)
		become(signals, command, environment, failure[1]);
	if (*pid < 0)
		error = errno;
	close(failure[1]);
	while (*pid > 0 && read(failure[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(failure[0]);
	if (*pid > 0 && error)
		waitpid(*pid, NULL, 0);
	return error;
}

/* ^C and ^\ go to the whole foreground group: the command has got them already. */
static bool had_it_too(const siginfo_t *info, pid_t pid)
{
	return info->si_code == SI_KERNEL && getpgid(pid) == getpgrp() &&
	       (info->si_signo == SIGINT || info->si_signo == SIGQUIT);
}

/* Until the command has ended; passes on what comes. */
static int wait_for(const struct dbl_signals *signals, pid_t pid)
{
	sigset_t set = signals->ours;
	siginfo_t info;
	int status;

	sigaddset(&set, SIGCHLD);
	while (waitpid(pid, &status, WNOHANG) != pid) {
		int signo = sigwaitinfo(&set, &info);

		if (signo > 0 && signo != SIGCHLD && !had_it_too(&info, pid))
			kill(pid, signo);
	}
	return WIFSIGNALED(status) ? DBL_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int dbl_child_run(const struct dbl_cli *cli, const struct dbl_signals *signals,
		  char *const *command, const char *name, int64_t token)
{
	struct environment env;
	pid_t pid = 0;
	int error = ENOMEM;

	if (fill_environment(&env, name, token)) {
		error = start(signals, command, env.list, &pid);
		free(env.list);
	}
	if (!error)
		return wait_for(signals, pid);
	dbl_cli_error(cli, "%s: %s", command[0], strerror(error));
	if (pid <= 0)
		return DBL_EXIT_INTERNAL;
	return error == ENOENT ? DBL_EXIT_NOT_FOUND : DBL_EXIT_CANNOT_RUN;
}
