/* SPDX-License-Identifier: MIT */
/* What the kernel says of a process by its mark: alive as long as it lives, whatever it does to its
 * descriptors and namespaces; dead however it ends, and only with what it has left behind. */
#include "unit/base/mark_kit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* ---- alive, and then dead -------------------------------------------------------------------- */

static char nothing[] = "true";
static char *const nothing_to_do[] = {nothing, NULL};

static void closes_all(struct dbl_mark *mark)
{
	(void)mark;
	closefrom(3);
}

static void closes_a_range(struct dbl_mark *mark)
{
	(void)mark;
	close_range(3, ~0U, 0);
}

static void forks(struct dbl_mark *mark)
{
	pid_t child = fork();

	(void)mark;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void *spawns(void *unused)
{
	extern char **environ;
	pid_t child;

	(void)unused;
	if (posix_spawnp(&child, "true", NULL, NULL, nothing_to_do, environ) == 0)
		waitpid(child, NULL, 0);
	return NULL;
}

static void spawns_in_a_thread(struct dbl_mark *mark)
{
	pthread_t thread;

	(void)mark;
	if (pthread_create(&thread, NULL, spawns, NULL) == 0)
		pthread_join(thread, NULL);
}

static void unshares(struct dbl_mark *mark)
{
	(void)mark;
	(void)unshare(CLONE_FILES | CLONE_FS);
	if (unshare(CLONE_NEWNS) == 0) /* as root */
		(void)mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL);
}

/* As root: into the mount namespace of another process, as nsenter(1) does. */
static void joins_a_namespace(struct dbl_mark *mark)
{
	char path[64];
	pid_t child = fork();
	int ns;

	(void)mark;
	if (child == 0) {
		(void)unshare(CLONE_NEWNS);
		(void)raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, NULL, WUNTRACED);
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)child);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	(void)unshare(CLONE_FS);
	(void)setns(ns, CLONE_NEWNS);
	close(ns);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void another_mark_goes(struct dbl_mark *mark)
{
	(void)mark;
	dbl_mark_free(dbl_mark_new(dbl_env_system()), true);
}

static void lives_whatever_it_does(void **unused)
{
	static act_fn *const acts[] = {
		NULL,     closes_all,        closes_a_range,   forks, spawns_in_a_thread,
		unshares, joins_a_namespace, another_mark_goes};

	(void)unused;
	for (unsigned i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		struct holder h;

		start(&h, acts[i]);
		assert_cited(&h);
		assert_int_equal(ask(&h), DBL_MARK_ALIVE);
		kill(h.pid, SIGSTOP);
		assert_int_equal(ask(&h), DBL_MARK_ALIVE);
		end(&h);
		assert_int_equal(ask(&h), DBL_MARK_DEAD);
		assert_int_equal(ask(&h), DBL_MARK_DEAD); /* to ask changes nothing */
		dbl_mark_remove(h.citation);
		assert_int_equal(ask(&h), DBL_MARK_NOTHING);
		close(h.ended);
	}
}

/* ---- ways to end ----------------------------------------------------------------------------- */

static void await_word(void)
{
	char c;

	(void)!read(go[0], &c, 1);
}

static void *crashes(void *unused)
{
	(void)unused;
	await_word();
	raise(SIGSEGV);
	return NULL;
}

static void crashes_in_a_thread(struct dbl_mark *mark)
{
	pthread_t thread;

	(void)mark;
	(void)pthread_create(&thread, NULL, crashes, NULL);
}

/* In a thread, as the main one says that it is there. */
static void *aborts(void *unused)
{
	(void)unused;
	await_word();
	abort();
}

static void aborts_later(struct dbl_mark *mark)
{
	pthread_t thread;

	(void)mark;
	(void)pthread_create(&thread, NULL, aborts, NULL);
}

static void *exits(void *unused)
{
	(void)unused;
	await_word();
	_exit(0);
}

static void exits_later(struct dbl_mark *mark)
{
	pthread_t thread;

	(void)mark;
	(void)pthread_create(&thread, NULL, exits, NULL);
}

static void *becomes(void *unused)
{
	(void)unused;
	await_word();
	execlp("true", "true", (char *)NULL);
	return NULL;
}

static void becomes_another_program(struct dbl_mark *mark)
{
	pthread_t thread;

	(void)mark;
	(void)pthread_create(&thread, NULL, becomes, NULL);
}

static void dead_however_it_ends(void **unused)
{
	static act_fn *const acts[] = {crashes_in_a_thread, aborts_later, exits_later,
				       becomes_another_program};

	(void)unused;
	for (unsigned i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		struct holder h;

		assert_int_equal(pipe2(go, O_CLOEXEC), 0);
		start(&h, acts[i]);
		assert_int_equal(ask(&h), DBL_MARK_ALIVE);
		close(go[1]);
		assert_int_equal(waitpid(h.pid, NULL, 0), h.pid);
		assert_int_equal(ask(&h), DBL_MARK_DEAD);
		dbl_mark_remove(h.citation);
		close(h.ended);
		close(go[0]);
	}
	go[1] = -1;
}

static void frees(struct dbl_mark *mark)
{
	dbl_mark_free(mark, true);
}

static void leaves_it(struct dbl_mark *mark)
{
	dbl_mark_free(mark, false);
}

static void left_it_is_a_proof(void **unused)
{
	struct holder h;

	(void)unused;
	start(&h, leaves_it);
	assert_int_equal(ask(&h),
			 DBL_MARK_DEAD); /* what it was of is over, though the process lives */
	dbl_mark_remove(h.citation);
	end(&h);
	close(h.ended);
}

static void given_up_it_is_gone(void **unused)
{
	struct holder h;

	(void)unused;
	start(&h, frees);
	assert_cited(&h);
	assert_int_equal(ask(&h), DBL_MARK_NOTHING);
	end(&h);
	assert_int_equal(ask(&h), DBL_MARK_NOTHING);
	close(h.ended);
}

/* ---- what keeps it --------------------------------------------------------------------------- */

static void leaves_a_child(struct dbl_mark *mark)
{
	(void)mark;
	if (fork() == 0) {
		close(2);
		await_word();
		_exit(0);
	}
}

static void hands_it_on(struct dbl_mark *mark)
{
	int fd = dbl_mark_hand_on(mark);

	if (fd >= 0 && fork() == 0) {
		close(2);
		fcntl(fd, F_SETFD, 0);
		fcntl(go[0], F_SETFD, 0);
		dup2(go[0], 0);
		execlp("cat", "cat", (char *)NULL);
	}
	close(fd);
}

static void kept_by_what_came_from_it(void **unused)
{
	static act_fn *const acts[] = {leaves_a_child, hands_it_on};

	(void)unused;
	for (unsigned i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		struct holder h;

		assert_int_equal(pipe2(go, O_CLOEXEC), 0);
		start(&h, acts[i]);
		end(&h);
		assert_int_equal(ask(&h), DBL_MARK_ALIVE);
		close(go[1]);
		await_end_of_all(&h);
		for (int ms = 0; ask(&h) == DBL_MARK_ALIVE && ms < WAIT_MS; ms++)
			usleep(1000);
		assert_int_equal(ask(&h), DBL_MARK_DEAD);
		dbl_mark_remove(h.citation);
		close(go[0]);
	}
	go[1] = -1;
}

static void a_descriptor_keeps_it_as_well(void **unused)
{
	int fd = dbl_mark_open(dbl_env_system()), handed_on;
	struct dbl_mark *mark = dbl_mark_adopt(fd);
	char citation[DBL_MARK_CITATION];

	(void)unused;
	assert_non_null(mark);
	dbl_mark_note(mark, BEAT, dbl_now(dbl_env_system()));
	snprintf(citation, sizeof(citation), "%s", dbl_mark_citation(mark));
	assert_false(dbl_mark_is_handed_on(fd));
	handed_on = dbl_mark_hand_on_fd(fd);
	assert_true(handed_on >= 0);
	assert_true(fcntl(handed_on, F_GETFD) & FD_CLOEXEC);
	assert_true(dbl_mark_is_handed_on(fd));
	close(fd);
	assert_int_equal(dbl_mark_ask(citation, BEAT, 1), DBL_MARK_ALIVE);
	close(handed_on);
	assert_int_equal(dbl_mark_ask(citation, BEAT, 1), DBL_MARK_ALIVE); /* the mapping */
	dbl_mark_free(mark, true);
	assert_null(dbl_mark_adopt(open("/dev/null", O_RDWR | O_CLOEXEC)));
	assert_int_equal(dbl_mark_hand_on(NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives_whatever_it_does),
		cmocka_unit_test(dead_however_it_ends),
		cmocka_unit_test(given_up_it_is_gone),
		cmocka_unit_test(left_it_is_a_proof),
		cmocka_unit_test(kept_by_what_came_from_it),
		cmocka_unit_test(a_descriptor_keeps_it_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
