/* SPDX-License-Identifier: MIT */
/* Every loss has a cause: dblock_loss_of() tells it, the callback, and the error of the call that
 * finds the lock lost. */
#include "lock/watch/reconcile.h"
#include "support/raw.h"
#include "support/waiting.h"

/* What the callback was told. */
struct news {
	_Atomic int calls;
	struct dblock_loss loss;
};

static void lost(void *arg, struct dblock_lock *lock)
{
	struct news *news = arg;

	news->loss = (struct dblock_loss)DBLOCK_LOSS_INIT;
	assert_int_equal(dblock_loss_of(lock, &news->loss), DBLOCK_LOST);
	news->calls++;
}

static struct dblock_lock *take_telling(struct dblock_client *client, int64_t lease_ms,
					struct news *news)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = lease_ms;
	options.lost = lost;
	options.lost_arg = news;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	return lock;
}

static int64_t wall_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The holder was told the cause, and hears the same from its release. */
static void was_lost_by(struct news *news, struct dblock_lock *lock, enum dblock_loss_cause cause,
			const char *text)
{
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_error err = {0};

	wait_until(news->calls > 0);
	assert_int_equal(news->loss.cause, cause);
	assert_int_equal(dblock_loss_of(lock, &loss), DBLOCK_LOST);
	assert_int_equal(loss.cause, cause);
	assert_int_equal(loss.size, sizeof(loss));
	assert_string_equal(loss.text, news->loss.text);
	assert_true(loss.at_us > wall_us() - 60 * 60 * 1000000LL && loss.at_us <= wall_us());
	expect(LOST, dblock_release(lock, &err));
	message_has(text);
	message_has(loss.text);
}

static void what_is_held_is_not_lost(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_loss none = {.size = 3};

	(void)state;
	loss.cause = DBLOCK_LOSS_LEASE;
	assert_int_equal(dblock_loss_of(lock, &loss), DBLOCK_OK);
	assert_int_equal(loss.cause, DBLOCK_LOSS_NONE);
	assert_string_equal(loss.text, "");
	assert_int_equal(dblock_loss_of(NULL, &loss), DBLOCK_E_INVALID);
	assert_int_equal(dblock_loss_of(lock, NULL), DBLOCK_E_INVALID);
	assert_int_equal(dblock_loss_of(lock, &none), DBLOCK_E_INVALID);
	give(lock);
	dblock_close(client, NULL);
}

/* A caller that was built against an older header has fewer members. */
static void a_shorter_struct_is_not_written_past_its_end(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_loss loss = {.size = offsetof(struct dblock_loss, host)};

	(void)state;
	memset(loss.host, 'x', sizeof(loss.host));
	assert_int_equal(dblock_loss_of(lock, &loss), DBLOCK_OK);
	assert_int_equal(loss.host[0], 'x');
	assert_int_equal(loss.size, offsetof(struct dblock_loss, host));
	give(lock);
	dblock_close(client, NULL);
}

static void a_lease_was_over(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, 300, &news);

	(void)state;
	was_lost_by(&news, lock, DBLOCK_LOSS_LEASE, "its lease was over at 20");
	dblock_close(client, NULL);
}

/* Declares the session dead as a waiter does. Naive: every end of a session has the same cause. */
static void its_session_was_declared_dead(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, 0, &news);
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "UPDATE dblock_session SET dead = true, ended = {now}");
	dbl_session_hurry(client->locks->session);
	was_lost_by(&news, lock, DBLOCK_LOSS_DECLARED_DEAD, "its session was declared dead");
	raw_close(raw);
	dblock_close(client, NULL);
}

static void its_session_was_forgotten(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, 0, &news);
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_session");
	dbl_session_hurry(client->locks->session);
	was_lost_by(&news, lock, DBLOCK_LOSS_FORGOTTEN, "the database has forgotten it");
	raw_close(raw);
	dblock_close(client, NULL);
}

static void its_grant_was_forgotten(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, 0, &news);
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = 'x'");
	dbl_reconcile_soon(client->locks);
	was_lost_by(&news, lock, DBLOCK_LOSS_FORGOTTEN, "the database has forgotten it");
	raw_close(raw);
	dblock_close(client, NULL);
}

/* An extension finds the loss: the lock is lost from then on. */
static void an_extension_that_finds_nothing_says_so(void **state)
{
	struct dblock_client *client = client_new(0);
	struct news news = {.calls = 0};
	struct dblock_lock *lock = take_telling(client, PLENTY_MS, &news);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	raw_exec(raw, "UPDATE dblock_lock SET expires = NULL, nonce = 0 WHERE name = 'x'");
	expect(LOST, dblock_extend(lock, PLENTY_MS, &err));
	message_has("had been lost before: the database says that it is not held by this grant");
	was_lost_by(&news, lock, DBLOCK_LOSS_UNKNOWN, "the database says");
	raw_close(raw);
	dblock_close(client, NULL);
}

/* A child may not ask about the parent's handles: it could wait for ever for the parent's threads.
 */
static void in_a_child_it_is_not_known(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct dblock_loss loss = DBLOCK_LOSS_INIT;

		_exit(dblock_loss_of(lock, &loss) == DBLOCK_E_FORKED ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	give(lock);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_held_is_not_lost),
		cmocka_unit_test(a_shorter_struct_is_not_written_past_its_end),
		cmocka_unit_test(a_lease_was_over),
		cmocka_unit_test(its_session_was_declared_dead),
		cmocka_unit_test(its_session_was_forgotten),
		cmocka_unit_test(its_grant_was_forgotten),
		cmocka_unit_test(an_extension_that_finds_nothing_says_so),
		cmocka_unit_test(in_a_child_it_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
