/* SPDX-License-Identifier: MIT */
/* One thread, one client, one loop with poll(2), and a hundred requests that all want one name. */
#include "support/steps.h"

enum { REQUESTS = 100 };

enum stage { ACQUIRES, EXTENDS, RELEASES, OVER };

struct request {
	enum stage stage;
	struct dblock_wait *wait;
	struct dblock_lock *lock;
};

struct loop {
	struct dblock_client *client;
	struct request requests[REQUESTS];
	struct pollfd fds[REQUESTS];
	int inside, most, over;
	int64_t token; /* the last one */
};

static void watch(struct loop *l, int i)
{
	l->fds[i] = (struct pollfd){.fd = wait_fd(l->requests[i].wait), .events = POLLIN};
}

/* The request has what it waited for: what it does next. */
static void go_on(struct loop *l, int i)
{
	struct request *r = &l->requests[i];
	struct dblock_error err = {0};

	dblock_wait_end(r->wait);
	switch (r->stage++) {
	case ACQUIRES:
		l->inside++;
		l->most = l->inside > l->most ? l->inside : l->most;
		assert_true(dblock_token(r->lock) > l->token);
		l->token = dblock_token(r->lock);
		expect(OK, dblock_extend_begin(r->lock, 2 * PLENTY_MS, &r->wait, &err));
		watch(l, i);
		break;
	case EXTENDS:
		assert_true(dblock_valid(r->lock, 0));
		l->inside--;
		expect(OK, dblock_release_begin(r->lock, &r->wait, &err));
		watch(l, i);
		break;
	default:
		l->fds[i].fd = -1;
		l->over++;
		break;
	}
}

static void step(struct loop *l, int i)
{
	struct request *r = &l->requests[i];
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc = dblock_wait_step(r->wait, &lock, &err);

	if (rc == DBLOCK_WAITING)
		return;
	expect(OK, rc);
	assert_true((r->stage == ACQUIRES) == (lock != NULL));
	if (lock)
		r->lock = lock;
	go_on(l, i);
}

static void run(struct loop *l)
{
	int64_t until = clock_ms() + 2 * PLENTY_MS;

	while (l->over < REQUESTS) {
		assert_true(clock_ms() < until);
		assert_true(poll(l->fds, REQUESTS, PLENTY_MS) > 0);
		for (int i = 0; i < REQUESTS; i++) {
			if (l->fds[i].revents)
				step(l, i);
		}
	}
}

/* Naive: all belong to the loop's thread, and have the lock together. */
static void no_two_requests_have_it_at_once(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct loop *l = calloc(1, sizeof(*l));

	(void)state;
	l->client = client_new(0);
	options.lease_ms = PLENTY_MS;
	for (int i = 0; i < REQUESTS; i++) {
		l->requests[i].wait = wait_begin_with(l->client, "x", &options);
		watch(l, i);
	}
	run(l);
	assert_int_equal(l->most, 1);
	assert_int_equal(l->inside, 0);
	is_free(l->client, "x");
	dblock_close(l->client, NULL);
	free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_requests_have_it_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
