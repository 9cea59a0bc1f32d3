/* SPDX-License-Identifier: MIT */
/* Tests that an assertion of the library fails: a child breaks it, and must end by it. */
#ifndef TESTS_SUPPORT_DEATH_H
#define TESTS_SUPPORT_DEATH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* One way to break an assertion. The text is its condition, or a part of it, as it stands in the
 * source. */
struct death {
	const char *function, *condition;
	void (*breaks)(void);
};

static inline void death_of_child(int out, void (*breaks)(void))
{
	const struct rlimit no_core = {0};

	/* The child ends by signals that cmocka would catch. */
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	dup2(out, STDERR_FILENO);
	breaks();
	_exit(0);
}

/* Reads what the child has said, and returns how it ended. */
static inline int death_see(void (*breaks)(void), char *text, size_t size)
{
	int out[2], status = 0;
	size_t len = 0;
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(out), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		death_of_child(out[1], breaks);
	close(out[1]);
	while (len < size - 1 && (n = read(out[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(out[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static inline void assert_death(const struct death *d)
{
	char text[4000], said[400];
	int status = death_see(d->breaks, text, sizeof(text));

	print_message("%s", text);
	snprintf(said, sizeof(said), " %s(): assertion failed: ", d->function);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(text, said) ||
	    !strstr(strstr(text, said), d->condition))
		fail_msg("%s() did not assert '%s'", d->function, d->condition);
}

/* Checks each entry of a table, which ends with an empty one. */
static inline void assert_deaths(const struct death *deaths)
{
#ifdef DBLOCK_ASSERT
	for (; deaths->breaks; deaths++)
		assert_death(deaths);
#else
	(void)deaths;
	print_message("not run: assertions are not built in (-DDBLOCK_ASSERT=ON)\n");
	skip();
#endif
}

#endif
