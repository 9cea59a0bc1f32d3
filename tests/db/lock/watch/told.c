/* SPDX-License-Identifier: MIT */
/* A grant is taken away: its holder is told before anybody else is let in. */
#include <poll.h>

#include "lock/watch/revoked.h"
#include "support/call.h"
#include "support/raw.h"
#include "support/waiting.h"

/* Such a session does not end by itself while a busy machine plays a scene. */
#define TTL_MS 6000

struct holder {
	struct dblock_client *client;
	struct dblock_lock *lock;
	bool lets_go; /* the callback releases the lock */
	_Atomic int calls;
	_Atomic bool was_valid;
	struct dblock_loss loss;
};

static void lost(void *arg, struct dblock_lock *lock)
{
	struct holder *h = arg;

	h->was_valid = dblock_valid(lock, 0);
	h->loss = (struct dblock_loss)DBLOCK_LOSS_INIT;
	(void)dblock_loss_of(lock, &h->loss);
	if (h->lets_go)
		(void)dblock_release(lock, NULL);
	h->calls++;
}

static struct dblock_client *client_without(unsigned wake_off)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = TTL_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	TUNE(options, .wake_off = wake_off);
	return client_with(&options);
}

static void hold_with(struct holder *h, struct dblock_client *client,
		      struct dblock_acquire_options *how)
{
	struct dblock_error err = {0};

	h->client = client;
	how->lost = lost;
	how->lost_arg = h;
	expect(OK, dblock_try(client, "x", how, &h->lock, &err));
}

static void hold(struct holder *h, struct dblock_client *client)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	hold_with(h, client, &how);
}

static int break_it(void *arg, struct dblock_error *err)
{
	return dblock_break(arg, "x", NULL, err);
}

static bool is_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static int revocations(struct raw *raw)
{
	return (int)raw_int(raw, "SELECT count(*) FROM dblock_revocation");
}

/* The holder is told by datagram, long before a heartbeat is due, and the lock is free only when he
 * has let go. Naive: the lock is freed at once, and two clients believe that they hold it. */
static void on_the_same_machine_at_once(void **state)
{
	struct dblock_client *a = client_new(SLOWLY_MS(30000)), *b = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct holder h = {.calls = 0};
	struct call breaks;
	int64_t begun;
	int fd;

	(void)state;
	hold(&h, a);
	expect(OK, dblock_lost_fd(h.lock, &fd, &err));
	begun = clock_ms();
	call_start(&breaks, break_it, b);
	wait_until(h.calls == 1);
	/* The holder's heartbeat is due after a third of its ttl. */
	assert_true(clock_ms() - begun < SLOWLY_MS(9000));
	assert_false(h.was_valid);
	assert_true(is_readable(fd));
	assert_false(dblock_valid(h.lock, 0));
	assert_int_equal(h.loss.cause, DBLOCK_LOSS_BROKEN);
	assert_int_equal(h.loss.pid, getpid());
	assert_non_null(strstr(h.loss.text, "it was broken by host "));
	busy(b, "x");
	assert_false(breaks.done);
	expect(LOST, dblock_release(h.lock, &err));
	message_has("it was broken by host ");
	assert_int_equal(call_end(&breaks), DBLOCK_OK);
	is_free(b, "x");
	wait_until(revocations(raw) == 0);
	assert_int_equal(h.calls, 1);
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The client seems to be on another machine: it learns only by its heartbeat. */
static void elsewhere_with_the_next_heartbeat(void **state)
{
	struct dblock_client *a = client_without(DBLOCK_WAKE_SOCKET), *b = client_new(0);
	struct holder h = {.lets_go = true};
	struct dblock_error err = {0};

	(void)state;
	hold(&h, a);
	expect(OK, dblock_break(b, "x", NULL, &err));
	assert_int_equal(h.calls, 1);
	assert_false(h.was_valid);
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* A holder who never lets go is waited for no longer than a ttl. */
static void at_the_latest_after_a_ttl(void **state)
{
	struct dblock_client *a = client_without(0), *b = client_new(0);
	struct holder h = {.calls = 0};
	struct dblock_error err = {0};
	int64_t begun;

	(void)state;
	hold(&h, a);
	begun = clock_ms();
	expect(OK, dblock_break(b, "x", NULL, &err));
	assert_true(clock_ms() - begun >= TTL_MS);
	assert_int_equal(h.calls, 1);
	is_free(b, "x");
	expect(LOST, dblock_release(h.lock, &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_the_same_machine_at_once),
		cmocka_unit_test(elsewhere_with_the_next_heartbeat),
		cmocka_unit_test(at_the_latest_after_a_ttl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
