/* SPDX-License-Identifier: MIT */
#include "cli/ui/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/ui/exits.h"
#include "cli/ui/print.h"

static bool is_ignored(int signo)
{
	struct sigaction action;

	return sigaction(signo, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void dbl_signals_block(struct dbl_signals *signals)
{
	static const int enders[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
	sigset_t blocked;

	signals->caught = 0;
	signals->fatal = 0;
	signals->parent = 0;
	sigemptyset(&signals->ours);
	/* Under nohup(1), or behind `&` in a script, some signals are ignored, and stay so. A
	 * blocked signal is kept even if it is ignored, so these must not be blocked. */
	for (size_t i = 0; i < sizeof(enders) / sizeof(enders[0]); i++)
		if (!is_ignored(enders[i]))
			sigaddset(&signals->ours, enders[i]);
	blocked = signals->ours;
	/* If our parent ignored CHLD, we could not learn how our child ended. */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&blocked, SIGCHLD);
	/* A broken connection must not end us while the command runs. */
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, &signals->original);
}

int dbl_signals_wait(struct dbl_signals *signals, int64_t ms)
{
	int64_t end = dbl_now_us() + ms * 1000;
	int signo;

	do {
		int64_t left = end - dbl_now_us();
		struct timespec time = {0, 0};

		if (left > 0)
			time = (struct timespec){(time_t)(left / 1000000), left % 1000000 * 1000};
		signo = sigtimedwait(&signals->ours, NULL, &time);
	} while (signo < 0 && errno == EINTR);
	if (signo > 0)
		signals->caught = signo;
	else if (signals->parent && getppid() != signals->parent)
		signals->caught = SIGTERM;
	return signals->caught;
}

int dbl_signals_pending(void *signals)
{
	return dbl_signals_wait(signals, 0);
}

/* End by this signal, without a core dump of ours: it only tells of the command's end. */
static void end_by(int signo)
{
	sigset_t set;

	fflush(stdout);
	prctl(PR_SET_DUMPABLE, 0);
	signal(signo, SIG_DFL);
	raise(signo);
	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int dbl_signals_end(const struct dbl_signals *signals, int code)
{
	if (signals->fatal && code == DBL_EXIT_SIGNAL + signals->fatal)
		end_by(signals->fatal);
	if (signals->caught && code == DBL_EXIT_SIGNAL + signals->caught)
		end_by(signals->caught);
	return code;
}
