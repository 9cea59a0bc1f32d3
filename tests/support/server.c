/* SPDX-License-Identifier: MIT */
#include "support/server.h"

#include <dirent.h>

#include "support/raw.h"

/* Runs tests/servers/<database> with a verb. */
static void run_script(const char *verb)
{
	char command[2048];

	snprintf(command, sizeof(command), "'%s/tests/servers/%s' %s '%s/server'",
		 test_env("DBLOCK_SOURCE_DIR"), test_env("DBLOCK_TEST_DATABASE"), verb,
		 test_env("DBLOCK_TEST_TMP"));
	if (system(command)) /* NOLINT */
		fail_msg("%s failed", command);
}

/* Returns what the script wrote into its state folder. It is good until the next call. */
static const char *read_state(const char *name)
{
	static char line[1024];
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/server/%s", test_env("DBLOCK_TEST_TMP"), name);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

const char *server_url(void)
{
	static char url[1200];

	if (on_backend("postgresql"))
		snprintf(url, sizeof(url), "postgresql://postgres@%s/postgres", read_state("tcp"));
	else
		snprintf(url, sizeof(url), "mysql://root@%s/own", read_state("tcp"));
	return url;
}

void server_start(void)
{
	struct raw *raw;
	char url[1200];

	run_script("start");
	if (on_backend("mysql")) {
		snprintf(url, sizeof(url), "mysql://root@%s/mysql", read_state("tcp"));
		raw = raw_open_url(url, NULL);
		raw_exec(raw, "CREATE DATABASE own");
		raw_close(raw);
	}
	dblock_close(server_client(0), NULL);
}

void server_restart(void)
{
	run_script("restart");
}

void server_follow(void)
{
	run_script("follow");
}

void server_unfollow(void)
{
	run_script("unfollow");
}

const char *server_standby(void)
{
	return read_state("standby_tcp");
}

struct dblock_client *server_client(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	expect(OK, dblock_open(server_url(), &options, &client, &err));
	return client;
}

/* Returns the parent's number, or 0 if there is no such process. */
static int parent_of(int pid)
{
	char path[64], line[512];
	const char *after;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	after = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	if (after)
		parent = atoi(after + 4); /* after ") S " */
	fclose(file);
	return parent;
}

/* The children come first: those of a dead process could not be found. A stopped parent makes no
 * new ones. */
void server_signal(int signal)
{
	int server = atoi(read_state("pid"));
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	assert_non_null(proc);
	assert_int_equal(kill(server, SIGSTOP), 0);
	while ((entry = readdir(proc))) {
		int pid = atoi(entry->d_name);

		if (pid > 0 && parent_of(pid) == server)
			kill(pid, signal);
	}
	closedir(proc);
	kill(server, signal);
}

/* PostgreSQL's fast shutdown: SIGTERM would wait for the clients. */
void server_shut_down(void)
{
	int server = atoi(read_state("pid"));
	int64_t until = clock_ms() + PLENTY_MS;

	assert_int_equal(kill(server, on_backend("postgresql") ? SIGINT : SIGTERM), 0);
	while (kill(server, 0) == 0 && parent_of(server) && clock_ms() < until)
		sleep_ms(10);
}

/* A test may have failed while the server stood still. */
void server_stop(void)
{
	if (kill(atoi(read_state("pid")), 0) == 0)
		server_signal(SIGCONT);
	run_script("stop");
}
