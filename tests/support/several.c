/* SPDX-License-Identifier: MIT */
#include "support/several.h"

#include <sys/stat.h>

#include "support/server.h"

/* Processes that get a signal take it before anything else that they do; this is for those that wait for a core. */
enum { HEED_MS = 50 };

static struct {
	struct several all[SEVERAL_MAX];
	char urls[SEVERAL_MAX][1200], folders[SEVERAL_MAX][600], base[512];
	int n;
} s;

const char *several_third_kind(void)
{
	const char *mysql = getenv("DBLOCK_MYSQL");

	return mysql && *mysql ? "mysql" : "postgresql";
}

/* What server.h does is done to this one, until leave(). */
static void enter(int i)
{
	bool is_postgresql = strcmp(s.all[i].kind, "postgresql") == 0;

	setenv("DBLOCK_TEST_TMP", s.folders[i], 1);
	setenv("DBLOCK_TEST_DATABASE", s.all[i].kind, 1);
	setenv("DBLOCK_TEST_BACKEND", is_postgresql ? "postgresql" : "mysql", 1);
	if (s.all[i].preload)
		setenv("LD_PRELOAD", s.all[i].preload, 1);
}

static void leave(void)
{
	setenv("DBLOCK_TEST_TMP", s.base, 1);
	setenv("DBLOCK_TEST_DATABASE", "none", 1);
	setenv("DBLOCK_TEST_BACKEND", "none", 1);
	unsetenv("LD_PRELOAD");
}

/* In a process of its own, as each takes seconds. */
static pid_t begin_start(int i)
{
	pid_t pid;

	snprintf(s.folders[i], sizeof(s.folders[i]), "%s/%d.%s", s.base, i + 1, s.all[i].kind);
	assert_int_equal(mkdir(s.folders[i], 0777), 0);
	enter(i);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		server_start();
		_exit(0);
	}
	leave();
	return pid;
}

void several_start(const struct several *all, int n)
{
	pid_t pids[SEVERAL_MAX];
	int status;

	assert_true(n <= SEVERAL_MAX);
	memcpy(s.all, all, (size_t)n * sizeof(*all));
	s.n = n;
	snprintf(s.base, sizeof(s.base), "%s", test_env("DBLOCK_TEST_TMP"));
	for (int i = 0; i < n; i++)
		pids[i] = begin_start(i);
	for (int i = 0; i < n; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
		enter(i);
		snprintf(s.urls[i], sizeof(s.urls[i]), "%s", server_url());
		leave();
	}
}

void several_stop(void)
{
	for (int i = 0; i < s.n; i++) {
		enter(i);
		server_stop();
		leave();
	}
}

const char *several_url(int i)
{
	return s.urls[i];
}

const char *several_folder(int i)
{
	return s.folders[i];
}

void several_signal(int i, int signal)
{
	enter(i);
	server_signal(signal);
	leave();
	sleep_ms(SLOWLY_MS(HEED_MS));
}

void several_restart(int i)
{
	enter(i);
	server_restart();
	leave();
}
