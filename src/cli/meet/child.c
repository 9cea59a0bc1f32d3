/* SPDX-License-Identifier: MIT */
#include "cli/meet/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. What a `dblock run` around us has set stays true. */
static _Noreturn void become(const struct dbl_cli *cli, const struct dbl_signals *signals,
			     char *const *command, pid_t parent, int tell)
{
	int error = ENOMEM;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(DBL_EXIT_NOT_FOUND);
	if (dbl_cli_set_place(cli) == 0) {
		sigprocmask(SIG_SETMASK, &signals->original, NULL);
		execvp(command[0], command);
		error = errno;
	}
	if (write(tell, &error, sizeof(error)) < 0)
		_exit(DBL_EXIT_CANNOT_RUN);
	_exit(DBL_EXIT_NOT_FOUND);
}

static int not_started(const struct dbl_cli *cli, const char *name, int error)
{
	dbl_cli_error(cli, "%s: %s", name, strerror(error));
	return error == ENOENT ? DBL_EXIT_NOT_FOUND : DBL_EXIT_CANNOT_RUN;
}

/* The terminal sends ^C and ^\ to the whole foreground group, and the command is in ours. */
static bool had_it_too(const siginfo_t *info, pid_t pid)
{
	return info->si_code == SI_KERNEL && getpgid(pid) == getpgrp();
}

static int wait_for(struct dbl_signals *signals, pid_t pid)
{
	sigset_t set = signals->ours;
	siginfo_t info;
	int status;

	sigaddset(&set, SIGCHLD);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		const struct timespec hour = {.tv_sec = 3600};
		int signo = sigtimedwait(&set, &info, &hour);

		if (signo <= 0 || signo == SIGCHLD)
			continue;
		signals->caught = signo;
		if (!had_it_too(&info, pid))
			kill(pid, signo);
	}
	return WIFSIGNALED(status) ? DBL_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int dbl_meet_run(const struct dbl_cli *cli, struct dbl_signals *signals, char *const *command)
{
	pid_t parent = getpid(), pid = -1;
	int ends[2], error, code;

	if (pipe2(ends, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		become(cli, signals, command, parent, ends[1]);
	if (pid < 0) {
		dbl_cli_error(cli, "no process can be started: %m");
		return DBL_EXIT_CANNOT_RUN;
	}
	close(ends[1]);
	if (read(ends[0], &error, sizeof(error)) != sizeof(error))
		error = 0; /* it has become the command */
	close(ends[0]);
	code = wait_for(signals, pid);
	return error ? not_started(cli, command[0], error) : code;
}
