/* SPDX-License-Identifier: MIT */
/* Datagrams that wake nobody, on every database: whoever knows the socket may send what he likes.
 * The waiter's clock stands still, so that only a datagram can wake it. */
#include "lock/notify/notifier.h"
#include "api/client.h"
#include "base/socket.h"
#include "support/waiting.h"

/* This has the value that lock/notify/notifier.c sends. */
enum { REVOKED = -3 };

struct sender {
	struct dbl_socket *bell;
	char address[DBL_SOCKET_ADDRESS_MAX];
};

static void find_socket(struct sender *sender, struct raw *raw)
{
	sender->bell = dbl_socket_new(true);
	assert_non_null(sender->bell);
	snprintf(sender->address, sizeof(sender->address), "%s",
		 raw_text(raw, "SELECT bell FROM dblock_queue"));
	sender->address[strcspn(sender->address, " ")] = '\0';
}

/* Sends until the datagram arrives: it is refused only while the socket's queue is full. */
static void ring_with(const struct sender *sender, const void *bytes, size_t n)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (!dbl_socket_send(sender->bell, sender->address, bytes, n)) {
		assert_true(clock_ms() < until);
		sleep_ms(1);
	}
}

static void forge(const struct sender *sender, int64_t nonce)
{
	int64_t rings[][3] = {{nonce + 1, 5, 5}, {0, 5, 5},      {-1, -1, -1},
			      {nonce, 0, 5},     {nonce, -5, 5}, {5, nonce, 5}};

	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++)
		ring_with(sender, rings[i], 16);
	rings[0][0] = nonce;
	for (size_t n = 1; n <= 24; n++) {
		if (n != 16)
			ring_with(sender, rings[0], n);
	}
}

static void forged_datagrams_change_nothing(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_without(spy, 0), *other = client_new(0);
	struct dblock_lock *lock = take(other, "x");
	struct raw *raw = raw_open(NULL);
	struct sender sender;
	struct waiting w;

	(void)state;
	spy_freeze(spy);
	waiting_start(&w, client, "x");
	wait_until(spy_snapshots(spy) == 1 &&
		   raw_int(raw, "SELECT count(*) FROM dblock_queue") == 1);
	find_socket(&sender, raw);
	forge(&sender, raw_int(raw, "SELECT nonce FROM dblock_queue"));
	/* Behind the forged datagrams, in the same queue, comes the real one. */
	assert_false(w.done);
	give(lock);
	lock = waiting_join(&w);
	assert_int_equal(dblock_token(lock), raw_int(raw, "SELECT token FROM dblock_lock"));
	give(lock);
	dbl_socket_free(sender.bell);
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

static _Atomic int lost;

static void note_loss(void *arg, struct dblock_lock *lock)
{
	(void)arg;
	(void)lock;
	lost++;
}

/* Sends that a grant is taken away: with the right token, with others, and bytes that are no such
 * datagram. */
static void forge_losses(struct dblock_client *from, int64_t token)
{
	const struct dbl_host *host = dbl_session_host(from->locks->session);
	struct dbl_socket *bell = dbl_socket_new(true);
	const int64_t ring[] = {REVOKED, token, token};

	assert_non_null(bell);
	for (int64_t i = -2; i <= 2; i++)
		dbl_notifier_revoked(from->locks, host->name, host->pid, token + i);
	for (size_t n = 1; n <= sizeof(ring); n++)
		dbl_socket_send_process(bell, host->pid, ring, n);
	dbl_socket_free(bell);
}

/* The holder looks, each time after a tenth of a second, and still has the lock. Its next heartbeat
 * is due in eight hours. Naive: it believes any sender, or looks as often as somebody sends. */
static void a_forged_loss_makes_the_holder_look(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *holder = spy_client(spy, 0), *other = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t begun;

	(void)state;
	options.lost = note_loss;
	expect(OK, dblock_try(holder, "x", &options, &lock, &err));
	spy_reset(spy);
	begun = clock_ms();
	while (spy->runs_of[DBL_OP_heartbeat] < 3 && clock_ms() - begun < PLENTY_MS) {
		forge_losses(other, dblock_token(lock));
		sleep_ms(5);
	}
	assert_true(spy->runs_of[DBL_OP_heartbeat] >= 3);
	assert_true(spy->runs_of[DBL_OP_heartbeat] <= (clock_ms() - begun) / 100 + 1);
	assert_int_equal(spy->runs_of[DBL_OP_revocations], 0);
	assert_true(dblock_valid(lock, 0));
	assert_int_equal(lost, 0);
	busy(other, "x");
	give(lock);
	dblock_close(holder, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forged_datagrams_change_nothing),
		cmocka_unit_test(a_forged_loss_makes_the_holder_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
