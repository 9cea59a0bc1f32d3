/* SPDX-License-Identifier: MIT */
/* A holder that the kernel kills since its memory has run out is dead at once, to who waits on the same
 * machine. */
#include "support/killed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { MEMORY = 384 << 20, PIECE = 1 << 20 };

/* A cgroup with little memory (cgroups(7)), of either version. */
static char group[100];

static bool set(const char *name, const char *value)
{
	char file[200];
	int fd;
	bool well;

	snprintf(file, sizeof(file), "%s/%s", group, name);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	well = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
	if (fd >= 0)
		close(fd);
	return well;
}

static bool make_group(void)
{
	static const struct {
		const char *folder, *limit;
	} versions[] = {{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
			{"/sys/fs/cgroup", "memory.max"}};
	char most[20];

	snprintf(most, sizeof(most), "%d", MEMORY);
	for (int i = 0; i < 2; i++) {
		snprintf(group, sizeof(group), "%s/dblock-test.%d", versions[i].folder, getpid());
		if (mkdir(group, 0700))
			continue;
		if (set(versions[i].limit, most)) {
			(void)set("memory.swap.max", "0");
			return true;
		}
		rmdir(group);
	}
	return false;
}

/* Told to go, it takes memory until it is killed. */
static void *take_all(void *arg)
{
	char c, *piece;

	(void)!read(go[0], &c, 1);
	while ((piece = malloc(PIECE)))
		memset(piece, 1, PIECE);
	return arg;
}

static void will_take_all(struct dblock_client *client)
{
	pthread_t thread;
	char self[20];

	(void)client;
	snprintf(self, sizeof(self), "%d", getpid());
	if (!set("cgroup.procs", self) || pthread_create(&thread, NULL, take_all, NULL))
		_exit(1);
}

static void no_memory_is_an_end_like_others(void **unused)
{
	struct holder h = {.name = "x", .then = will_take_all};
	struct want w = {.client = NULL};
	struct child child;
	pthread_t thread;
	int status;

	(void)unused;
	if (!make_group()) {
		print_message("not run: no memory cgroup may be made here\n");
		skip();
	}
	child = start(&h);
	w.client = client_new(0);
	busy(w.client, "x");
	assert_int_equal(pthread_create(&thread, NULL, wants, &w), 0);
	close(go[1]);
	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	pthread_join(thread, NULL);
	has_it(&w);
	close(go[0]);
	dblock_close(w.client, NULL);
	while (rmdir(group) && errno == EBUSY)
		sleep_ms(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_memory_is_an_end_like_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
