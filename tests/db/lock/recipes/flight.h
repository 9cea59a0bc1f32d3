/* SPDX-License-Identifier: MIT */
/* Results that many ask for, in tests: who makes one, and when it is done. */
#ifndef TESTS_SUPPORT_FLIGHT_H
#define TESTS_SUPPORT_FLIGHT_H

#include "api/client.h"
#include "lock/recipes/flight.h"
#include "support/queue.h"

/* The state of a function that makes results: it counts its calls, and waits for permission. */
struct kitchen {
	_Atomic int calls, at_once, most_at_once;
	_Atomic bool shut;              /* makes nothing before this is false */
	_Atomic int fails;              /* so many calls fail before one succeeds */
	const struct dblock_error *why; /* their error; NULL: none */
	void (*meanwhile)(void);
};

/* Makes the results "1", "2", ... in this order. */
static inline int cook(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	struct kitchen *k = arg;
	int64_t until = clock_ms() + PLENTY_MS;
	char text[16];
	int n = ++k->calls;
	int now = ++k->at_once;

	if (now > k->most_at_once)
		k->most_at_once = now;
	if (k->meanwhile)
		k->meanwhile();
	while (k->shut && clock_ms() < until)
		sleep_ms(1);
	snprintf(text, sizeof(text), "%d", n);
	k->at_once--;
	if (k->fails > 0) {
		k->fails--;
		if (k->why)
			*err = *k->why;
		return -4711;
	}
	return dblock_result_set(result, text, strlen(text), err);
}

/* A caller, on his own thread. */
struct guest {
	struct dblock_client *client;
	struct kitchen *kitchen;
	int64_t wait_ms, fresh_ms;
	_Atomic bool cancel;
	int64_t token; /* the call's outcome */
	int got;
	struct call call;
};

static inline int guest_is_tired(void *arg)
{
	return ((struct guest *)arg)->cancel;
}

static inline int guest_asks(void *arg, struct dblock_error *err)
{
	struct guest *g = arg;
	struct dblock_flight_options options = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_result *result;
	int rc;

	options.wait_ms = g->wait_ms;
	options.fresh_ms = g->fresh_ms;
	options.deadlock_ms = 20;
	options.canceled = guest_is_tired;
	options.canceled_arg = g;
	rc = dblock_single_flight(g->client, "k", &options, cook, g->kitchen, &result, err);
	g->got = atoi(dblock_result_bytes(result));
	g->token = dblock_result_token(result);
	dblock_result_free(result);
	return rc;
}

static inline void comes(struct guest *g, struct dblock_client *client, struct kitchen *kitchen)
{
	g->client = client;
	g->kitchen = kitchen;
	call_start(&g->call, guest_asks, g);
}

/* The call must end with rc, and with that result if `got` is above 0. */
static inline void leaves(struct guest *g, int rc, int got)
{
	assert_int_equal(call_end(&g->call), rc);
	assert_int_equal(g->got, got);
	assert_true((rc == 0) == (g->token > 0));
}

/* The call failed, and its whole error is passed on. Naive: only the code is passed on. */
static inline void hears(const struct guest *g, int code, const struct dblock_error *why)
{
	assert_int_equal(g->call.err.code, code);
	assert_int_equal(g->call.err.native, why->native);
	assert_string_equal(g->call.err.sqlstate, why->sqlstate);
	assert_string_equal(g->call.err.message, why->message);
}

/* Returns how many threads of that client are in a flight, and in how many flights. */
static inline unsigned aboard_of(struct dblock_client *client, unsigned *flights)
{
	unsigned n = 0;

	*flights = 0;
	dbl_lock(&client->locks->mutex);
	for (struct dbl_flight *f = client->locks->flights; f; f = f->next) {
		n += f->callers;
		++*flights;
	}
	dbl_unlock(&client->locks->mutex);
	return n;
}

static inline unsigned callers(struct dblock_client *client)
{
	unsigned flights;

	return aboard_of(client, &flights);
}

/* Returns how many clients wait in the queue for the lock. (One that was closed while its file was busy may have
 * left its row there.) */
static inline int64_t clients_waiting(struct raw *raw)
{
	return raw_int(
		raw,
		"SELECT count(*) FROM dblock_queue q JOIN dblock_session s ON s.id = q.session "
		"WHERE q.name = 'flight:k' AND q.token IS NULL AND NOT s.dead");
}

#endif
