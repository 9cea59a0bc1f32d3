/* SPDX-License-Identifier: MIT */
#include "storm/quorum/members.h"

#include <sys/stat.h>

#include <dblock/quorum.h>

#include "storm/storm.h"
#include "support/raw.h"
#include "support/server.h"

/* Processes that get a signal take it before anything else that they do; this is for those that wait for a core. */
enum { HEED_MS = 50 };

static char urls[MEMBERS][1200], base[512];

static const char *kind_of(int m)
{
	const char *mysql = getenv("DBLOCK_MYSQL");

	if (m == RESTORED)
		return mysql && *mysql ? "mysql" : "postgresql";
	return m == AHEAD ? "postgresql" : "mariadb";
}

static bool is_postgresql(int m)
{
	return strcmp(kind_of(m), "postgresql") == 0;
}

static void folder_of(int m, char *folder, size_t size)
{
	snprintf(folder, size, "%s/%d.%s", base, m + 1, kind_of(m));
}

/* What support/server.h does is done to this member, until leave(). */
static void enter(int m)
{
	char folder[600];

	if (!base[0])
		snprintf(base, sizeof(base), "%s", test_env("DBLOCK_TEST_TMP"));
	folder_of(m, folder, sizeof(folder));
	setenv("DBLOCK_TEST_TMP", folder, 1);
	setenv("DBLOCK_TEST_DATABASE", kind_of(m), 1);
	setenv("DBLOCK_TEST_BACKEND", is_postgresql(m) ? "postgresql" : "mysql", 1);
	if (m == AHEAD)
		setenv("LD_PRELOAD", DAY_AHEAD, 1);
}

static void leave(void)
{
	setenv("DBLOCK_TEST_TMP", base, 1);
	setenv("DBLOCK_TEST_DATABASE", "none", 1);
	setenv("DBLOCK_TEST_BACKEND", "none", 1);
	unsetenv("LD_PRELOAD");
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* In a process of its own, as each takes seconds. */
static pid_t begin_start(int m)
{
	char folder[600];
	pid_t pid;

	enter(m);
	folder_of(m, folder, sizeof(folder));
	assert_int_equal(mkdir(folder, 0777), 0);
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

/* Without which the test would prove nothing about clocks. */
static void expect_ahead(void)
{
	struct raw *raw = raw_open_url(urls[AHEAD], NULL);
	int64_t there = raw_int(raw, "SELECT extract(epoch FROM clock_timestamp())::bigint");

	raw_close(raw);
	assert_true(there - time(NULL) > 23 * 3600);
}

static void make_cluster(void)
{
	const char *all[MEMBERS] = {urls[0], urls[1], urls[2]};
	struct dblock_quorum_options cluster = DBLOCK_QUORUM_OPTIONS_INIT;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.timeout_ms = PLENTY_MS;
	options.ttl_ms = cluster.max_ttl_ms = TTL_MS;
	cluster.allow_forgetful = true;
	expect(OK, dblock_quorum_init(all, MEMBERS, "storm", &cluster, &options, &err));
}

void members_start(void)
{
	pid_t pids[MEMBERS];
	int status;

	for (int m = 0; m < MEMBERS; m++)
		pids[m] = begin_start(m);
	for (int m = 0; m < MEMBERS; m++) {
		assert_int_equal(waitpid(pids[m], &status, 0), pids[m]);
		assert_int_equal(status, 0);
		enter(m);
		snprintf(urls[m], sizeof(urls[m]), "%s", server_url());
		leave();
	}
	expect_ahead();
	make_cluster();
}

void members_stop(void)
{
	for (int m = 0; m < MEMBERS; m++) {
		enter(m);
		server_stop();
		leave();
	}
}

/* ---- one of them ----------------------------------------------------------------------------- */

const char *member_url(int m)
{
	return urls[m];
}

void member_signal(int m, int signal)
{
	enter(m);
	server_signal(signal);
	leave();
	sleep_ms(SLOWLY_MS(HEED_MS));
}

void member_restart(int m)
{
	enter(m);
	server_restart();
	leave();
}

/* ---- the one that is restored ---------------------------------------------------------------- */

static void run_in_folder(const char *command)
{
	char line[2048];

	snprintf(line, sizeof(line), "set -e; cd \"$(cat '%s/%d.%s/server/folder')\"; %s", base,
		 RESTORED + 1, kind_of(RESTORED), command);
	if (system(line)) /* NOLINT */
		fail_msg("%s failed", line);
}

void member_copy(void)
{
	run_in_folder("rm -rf copy; cp -a data copy");
}

/* PostgreSQL begins another timeline after a recovery from an archive, here an empty one. MySQL's number of the
 * server is no part of its backups. */
void member_restore(void)
{
	run_in_folder("rm -rf data; cp -a copy data");
	if (is_postgresql(RESTORED))
		run_in_folder(
			"cp -p data/PG_VERSION data/recovery.signal; rm -f data/postmaster.pid; "
			"echo \"restore_command = 'false'\" >>data/postgresql.conf");
	else
		run_in_folder("rm data/auto.cnf");
}

void member_replace(void)
{
	const char *all[MEMBERS] = {urls[0], urls[1], urls[2]};
	struct dblock_replace_options replace = DBLOCK_REPLACE_OPTIONS_INIT;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.timeout_ms = PLENTY_MS;
	options.ttl_ms = TTL_MS;
	replace.allow_forgetful = true;
	expect(OK, dblock_quorum_replace(all, MEMBERS, RESTORED + 1, &replace, &options, &err));
}
