/* SPDX-License-Identifier: MIT */
/* A client is closed while a member is silent: that one is left to a thread. */
#include <dirent.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "db/lock/quorum/cluster.h"

/* A member is silent. Naive: whoever closes his client waits for it, until the request that is there is given up. */
static void a_client_of_one_that_is_silent_is_closed(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *client = cluster_client(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_error err = {0};
	int64_t since;

	(void)state;
	wait_until(votes("x") == MEMBERS);
	proxy_set(cluster.proxy[1], PROXY_SILENT);
	give(lock);
	since = clock_ms();
	dblock_close(client, NULL);
	assert_true(clock_ms() - since < PLENTY_MS / 2);
	assert_int_equal(votes("x"), 1);
	/* Nor is a client that cannot be had for another reason, as soon as that is known. */
	raw_exec(cluster.raw[0], "UPDATE dblock_quorum SET members = 5");
	since = clock_ms();
	expect(E_INVALID, dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	assert_true(clock_ms() - since < PLENTY_MS / 2);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	proxy_cut(cluster.proxy[1]);
}

static void no_thread_is_left(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int n = 0;

	while (tasks && readdir(tasks))
		n++;
	_exit(n == 3 ? 0 : 9); /* itself, "." and ".." */
}

/* Tells its parent when it holds a lock, and closes its client when it is told that a member is silent. */
static _Noreturn void be_process(int parent)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *client;
	struct dblock_lock *lock;
	char told = 0;

	atexit(no_thread_is_left);
	options.timeout_ms = SLOWLY_MS(4000);
	if (dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, NULL) ||
	    dblock_try(client, "x", NULL, &lock, NULL) || write(parent, &told, 1) != 1 ||
	    read(parent, &told, 1) != 1)
		_exit(1);
	(void)dblock_close(client, NULL);
	exit(0);
}

/* Naive: exit() frees what the libraries have, with which that thread works. */
static void a_process_ends_after_whom_it_left(void **state)
{
	int ends[2], status;
	char told;
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	fflush(NULL);
	child = fork();
	if (child == 0)
		be_process(ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &told, 1), 1);
	proxy_set(cluster.proxy[1], PROXY_SILENT);
	assert_int_equal(write(ends[0], &told, 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(ends[0]);
	proxy_cut(cluster.proxy[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(a_client_of_one_that_is_silent_is_closed),
		CLUSTER_CASE(a_process_ends_after_whom_it_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
