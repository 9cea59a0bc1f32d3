/* SPDX-License-Identifier: MIT */
#include "cli/run/signal_name.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

static const struct {
	const char *name;
	int number;
} names[] = {
	{"HUP", SIGHUP},   {"INT", SIGINT},     {"QUIT", SIGQUIT}, {"ABRT", SIGABRT},
	{"KILL", SIGKILL}, {"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},
	{"ALRM", SIGALRM}, {"TERM", SIGTERM},   {"CHLD", SIGCHLD}, {"CONT", SIGCONT},
	{"STOP", SIGSTOP}, {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU},
	{"URG", SIGURG},   {"XCPU", SIGXCPU},   {"XFSZ", SIGXFSZ}, {"VTALRM", SIGVTALRM},
	{"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"PWR", SIGPWR},
};

static int by_number(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	return *end == '\0' && number > 0 && number <= SIGRTMAX ? (int)number : 0;
}

int dbl_signal_number(const char *text)
{
	if (*text >= '0' && *text <= '9')
		return by_number(text);
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcasecmp(text, names[i].name) == 0)
			return names[i].number;
	}
	return 0;
}
