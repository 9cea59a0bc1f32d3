/* SPDX-License-Identifier: MIT */
/* What came from a killed holder keeps its lock; and where nothing is known of it time decides. */
#include "support/killed.h"

static void leaves_a_child(struct dblock_client *client)
{
	char c;

	(void)client;
	if (fork() == 0) {
		(void)!read(go[0], &c, 1);
		_exit(0);
	}
}

static void starts_a_program(struct dblock_client *client)
{
	int fd = dblock_alive_fd(client);

	if (fd >= 0 && fork() == 0) {
		fcntl(fd, F_SETFD, 0);
		dup2(go[0], 0);
		execlp("cat", "cat", (char *)NULL);
		_exit(1);
	}
	close(fd);
}

/* Of which it keeps nothing but that it stays. */
static void starts_one_that_closes_it(struct dblock_client *client)
{
	int fd = dblock_alive_fd(client);

	if (fd >= 0 && fork() == 0) {
		dup2(go[0], 0);
		if (dblock_alive_stay(fd) == 0)
			execlp("cat", "cat", (char *)NULL);
		_exit(1);
	}
	close(fd);
}

static void has_it_soon(struct dblock_client *client)
{
	struct want w = {.client = client};

	wants(&w);
	has_it(&w);
}

static void until_that_has_ended_too(void **unused)
{
	static void (*const ways[])(struct dblock_client *) = {leaves_a_child, starts_a_program,
							       starts_one_that_closes_it};

	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		struct holder h = {.name = "x", .then = ways[i]};
		struct child child = start(&h);
		struct dblock_client *client = client_new(0);

		child_kill(&child);
		busy(client, "x");
		close(go[1]);
		has_it_soon(client);
		close(go[0]);
		dblock_close(client, NULL);
	}
}

/* Without a mark, or with one that is kept, time decides: who waits watches for a whole ttl. */
static void else_the_ttl_decides(void **unused)
{
	struct holder ways[] = {{.alive_fd = -1}, {.then = leaves_a_child}};

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		struct dblock_client *client;
		struct child child;
		int64_t began;

		ways[i].name = "x";
		ways[i].ttl_ms = SLOWLY_MS(1000);
		child = start(&ways[i]);
		client = client_new(0);
		child_kill(&child);
		began = clock_ms();
		has_it_soon(client);
		assert_true(clock_ms() - began >= SLOWLY_MS(1000));
		close(go[0]);
		close(go[1]);
		dblock_close(client, NULL);
	}
}

static void several_processes_that_are_one(void **unused)
{
	struct holder h = {.name = "x"};
	struct dblock_client *client;
	struct child child;
	pid_t other;

	(void)unused;
	h.alive_fd = dblock_alive_new();
	assert_true(h.alive_fd > 0);
	child = start(&h);
	other = fork(); /* it has that descriptor, and nothing else */
	if (other == 0) {
		for (;;)
			pause();
	}
	close(h.alive_fd);
	client = client_new(0);
	end(&child);
	busy(client, "x");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	has_it_soon(client);
	assert_int_equal(dblock_alive_fd(NULL), -1);
	dblock_close(client, NULL);
}

static void it_may_settle_first(void **unused)
{
	struct holder h = {.name = "x", .settle_ms = 700};
	struct child child = start(&h);
	struct dblock_client *client = client_new(0);
	int64_t began;

	(void)unused;
	end(&child);
	began = clock_ms();
	busy(client, "x");
	has_it_soon(client);
	assert_true(clock_ms() - began >= 700);
	dblock_close(client, NULL);
}

static void the_reaper_is_a_witness_for_others(void **unused)
{
	struct dblock_reap_options local = DBLOCK_REAP_OPTIONS_INIT;
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct dblock_client *client = client_new(0);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	(void)unused;
	local.local = 1;
	expect(OK, dblock_reap(client, &local, &reaped, &err));
	assert_int_equal(reaped.sessions_buried, 0);
	assert_int_equal(show(client, "x").h.process, DBLOCK_PROCESS_LIVES);
	end(&child);
	assert_true(dblock_alive_ended() > 0);
	assert_int_equal(show(client, "x").h.process, DBLOCK_PROCESS_ENDED);
	expect(OK, dblock_reap(client, &local, &reaped, &err));
	assert_int_equal(reaped.sessions_buried, 1);
	assert_int_equal(reaped.locks_freed, 1);
	assert_int_equal(show(client, "x").h.hold, DBLOCK_HOLD_FREE);
	expect(OK, dblock_reap(client, &local, &reaped, &err));
	assert_int_equal(reaped.sessions_buried, 0);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(until_that_has_ended_too),
		cmocka_unit_test(else_the_ttl_decides),
		cmocka_unit_test(several_processes_that_are_one),
		cmocka_unit_test(it_may_settle_first),
		cmocka_unit_test(the_reaper_is_a_witness_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
