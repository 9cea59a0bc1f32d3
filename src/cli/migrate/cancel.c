/* SPDX-License-Identifier: MIT */
/* A thread waits for the signals, so that no handler has to find the flag. */
#include <string.h>
#include <unistd.h>

#include "cli/migrate/call.h"

enum { A_LONG_WHILE_MS = 3600 * 1000 };

static void *watch(void *arg)
{
	struct dbl_cancel *cancel = arg;

	for (;;) {
		int was;

		cancel->signals.caught = 0;
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &was);
		if (!dbl_signals_wait(&cancel->signals, A_LONG_WHILE_MS))
			continue;
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
		if (cancel->flag) {
			/* The second signal ends the process as if it were not caught. */
			pthread_sigmask(SIG_SETMASK, &cancel->signals.original, NULL);
			kill(getpid(), cancel->signals.caught);
		}
		cancel->flag = true;
		dbl_cli_note(cancel->cli,
			     "%s: stopping before the next statement; once more ends "
			     "it at once",
			     strsignal(cancel->signals.caught));
	}
	return NULL;
}

void dbl_cancel_begin(struct dbl_cancel *cancel, const struct dbl_cli *cli)
{
	cancel->cli = cli;
	dbl_signals_block(&cancel->signals);
	cancel->started = pthread_create(&cancel->thread, NULL, watch, cancel) == 0;
	/* Without the thread, signals can at least end the process. */
	if (!cancel->started)
		pthread_sigmask(SIG_SETMASK, &cancel->signals.original, NULL);
}

int dbl_cancel_asked(void *arg)
{
	return ((struct dbl_cancel *)arg)->flag;
}

void dbl_cancel_end(struct dbl_cancel *cancel)
{
	if (!cancel->started)
		return;
	cancel->started = false;
	pthread_cancel(cancel->thread);
	pthread_join(cancel->thread, NULL);
}
