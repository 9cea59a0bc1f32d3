/* SPDX-License-Identifier: MIT */
/* A holder whose process has ended is dead at once, to who waits on the same machine: no ttl here is
 * so short that a test could wait for it, but where that is what is tested. */
#include <fcntl.h>

#include "support/kit.h"

/* What a child does: it takes `name`, and then `then`. */
struct holder {
	const char *name;
	enum dblock_mode mode;
	int64_t ttl_ms, settle_ms;
	int alive_fd;
	void (*then)(struct dblock_client *);
};

static int go[2]; /* its end is the word for what a child has left behind */

static int64_t holds(void *arg)
{
	const struct holder *h = arg;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	close(go[1]);
	options.ttl_ms = h->ttl_ms ? h->ttl_ms : DBLOCK_TTL_MAX_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	options.alive_fd = h->alive_fd;
	how.mode = h->mode;
	how.capacity = h->mode == DBLOCK_PERMITS ? 2 : 0;
	how.permits = h->mode == DBLOCK_PERMITS ? 2 : 0;
	how.settle_ms = h->settle_ms;
	if (dblock_open(test_url(), &options, &client, &err) ||
	    dblock_try(client, h->name, &how, &lock, &err)) {
		fprintf(stderr, "child: %s\n", err.message);
		return -1;
	}
	if (h->then)
		h->then(client);
	return dblock_token(lock);
}

static struct child start(struct holder *h)
{
	struct child child;

	assert_int_equal(pipe(go), 0);
	child = child_start(holds, h);
	return child;
}

static void end(struct child *child)
{
	child_kill(child);
	close(go[0]);
	close(go[1]);
}

/* ---- had at once ----------------------------------------------------------------------------- */

struct want {
	struct dblock_client *client;
	enum dblock_mode mode;
	struct dblock_lock *lock;
	int rc;
	struct dblock_error err;
};

static void *wants(void *arg)
{
	struct want *w = arg;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.wait_ms = PLENTY_MS;
	how.mode = w->mode;
	how.capacity = w->mode == DBLOCK_PERMITS ? 2 : 0;
	w->rc = dblock_acquire(w->client, "x", &how, &w->lock, &w->err);
	return NULL;
}

static void has_it(struct want *w)
{
	struct dblock_error err = w->err;

	expect(OK, w->rc);
	give(w->lock);
}

static bool there_is_a_waiter(struct dblock_client *client)
{
	return show(client, "x").h.waiting > 0;
}

static void by_who_waits(enum dblock_mode held, enum dblock_mode wanted)
{
	struct holder h = {.name = "x", .mode = held};
	struct child child = start(&h);
	struct want w = {.client = client_new(0), .mode = wanted};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, wants, &w), 0);
	for (int64_t until = clock_ms() + PLENTY_MS;
	     !there_is_a_waiter(w.client) && clock_ms() < until;)
		sleep_ms(5);
	assert_true(there_is_a_waiter(w.client));
	end(&child);
	pthread_join(thread, NULL);
	has_it(&w);
	dblock_close(w.client);
}

static void whoever_waits_has_it(void **unused)
{
	(void)unused;
	by_who_waits(DBLOCK_EXCLUSIVE, DBLOCK_EXCLUSIVE);
	by_who_waits(DBLOCK_EXCLUSIVE, DBLOCK_SHARED);
	by_who_waits(DBLOCK_SHARED, DBLOCK_EXCLUSIVE);
	by_who_waits(DBLOCK_UPDATE, DBLOCK_UPDATE);
	by_who_waits(DBLOCK_PERMITS, DBLOCK_PERMITS);
}

static void who_comes_later_too(void **unused)
{
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct want w = {.client = NULL};

	(void)unused;
	end(&child);
	w.client = client_new(0);
	wants(&w);
	has_it(&w);
	dblock_close(w.client);
}

static void and_who_only_tries(void **unused)
{
	static const enum dblock_mode modes[] = {DBLOCK_EXCLUSIVE, DBLOCK_SHARED};

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		struct holder h = {.name = "x", .mode = modes[i]};
		struct child child = start(&h);
		struct dblock_client *client = client_new(0);

		busy(client, "x");
		end(&child);
		give(take(client, "x"));
		dblock_close(client);
	}
}

static void of_several_names(void **unused)
{
	static const struct dblock_want names[] = {{.name = "a"}, {.name = "x"}, {.name = "z"}};
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *all;

	(void)unused;
	how.wait_ms = 300;
	expect(TIMEOUT, dblock_acquire_all(client, names, 3, &how, &all, &err));
	end(&child);
	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire_all(client, names, 3, &how, &all, &err));
	give(all);
	dblock_close(client);
}

static void in_steps(void **unused)
{
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	struct dblock_wait *wait;
	int rc;

	(void)unused;
	expect(OK, dblock_acquire_begin(client, "x", NULL, &wait, &err));
	for (int i = 0; i < 20; i++) {
		expect(WAITING, dblock_acquire_step(wait, &lock, &err));
		sleep_ms(5);
	}
	end(&child);
	for (int64_t until = clock_ms() + PLENTY_MS;
	     (rc = dblock_acquire_step(wait, &lock, &err)) == DBLOCK_WAITING && clock_ms() < until;)
		sleep_ms(5);
	expect(OK, rc);
	dblock_acquire_end(wait);
	give(lock);
	dblock_close(client);
}

/* ---- what keeps it --------------------------------------------------------------------------- */

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

static void has_it_soon(struct dblock_client *client)
{
	struct want w = {.client = client};

	wants(&w);
	has_it(&w);
}

static void until_that_has_ended_too(void **unused)
{
	static void (*const ways[])(struct dblock_client *) = {leaves_a_child, starts_a_program};

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		struct holder h = {.name = "x", .then = ways[i]};
		struct child child = start(&h);
		struct dblock_client *client = client_new(0);

		child_kill(&child);
		busy(client, "x");
		close(go[1]);
		has_it_soon(client);
		close(go[0]);
		dblock_close(client);
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
		dblock_close(client);
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
	dblock_close(client);
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
	dblock_close(client);
}

static void the_reaper_is_a_witness_for_others(void **unused)
{
	struct dblock_reap_options local = DBLOCK_REAP_OPTIONS_INIT;
	struct holder h = {.name = "x"};
	struct child child = start(&h);
	struct dblock_client *client = client_new(0);
	struct dblock_reaped reaped;
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
	dblock_close(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_waits_has_it),
		cmocka_unit_test(who_comes_later_too),
		cmocka_unit_test(and_who_only_tries),
		cmocka_unit_test(of_several_names),
		cmocka_unit_test(in_steps),
		cmocka_unit_test(until_that_has_ended_too),
		cmocka_unit_test(else_the_ttl_decides),
		cmocka_unit_test(several_processes_that_are_one),
		cmocka_unit_test(it_may_settle_first),
		cmocka_unit_test(the_reaper_is_a_witness_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
