/* SPDX-License-Identifier: MIT */
/* One process of the crowd: it serves customers, with or without the lock. */
#include "red_packet.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <dblock/dblock.h>

#include "shop.h"

enum { THINK_MS = 1, DRAW_MS = 100, LONG_S = 60 };

static const char lock_name[] = "red packet";

_Noreturn static void fail(const char *what, const struct dblock_error *err)
{
	shop_fail(what, err->message);
}

/* A real shop computes a price here, or asks somebody. It is what makes the race wide. */
static void think(void)
{
	nanosleep(&(struct timespec){.tv_nsec = THINK_MS * 1000000L}, NULL);
}

/* The shop's own code, the same in every way: check, think, act. Two processes that check at the
 * same time give the same gift to two customers. */
static void draw(const struct seat *seat, struct shop *shop)
{
	int64_t left = shop_left(shop, seat->bonus);

	if (left > 0) {
		think();
		shop_give(shop, seat->bonus, left, seat->number);
	}
	atomic_fetch_add(&seat->board->draws, 1);
}

static struct dblock_lock *acquire(struct dblock_client *client)
{
	struct dblock_lock *lock;
	struct dblock_error err;

	if (dblock_acquire(client, lock_name, NULL, &lock, &err))
		fail("acquire", &err);
	return lock;
}

/* All that dblock adds: nobody else is between check and act.
 *
 * dblock_valid() says that no other can be let in for DRAW_MS more. A process that is stopped right
 * behind it, for longer than its lock lives, still acts late when it wakes. Only the guarded thing
 * itself can refuse that, by its fencing token: see docs/guarantees.md. */
static void guarded_draw(const struct seat *seat, struct shop *shop, struct dblock_client *client)
{
	struct dblock_error err;
	bool drawn;

	do {
		struct dblock_lock *lock = acquire(client);

		drawn = dblock_valid(lock, DRAW_MS);
		if (drawn)
			draw(seat, shop);
		if (dblock_release(lock, &err))
			fprintf(stderr, "red_packet: release: %s\n", err.message);
	} while (!drawn);
}

static void say_ready(const struct seat *seat)
{
	if (write(seat->ready[1], "", 1) != 1)
		exit(EXIT_FAILURE);
	close(seat->ready[1]);
}

/* Get as far as the middle of a draw: the lock is held, the check is done, nothing is written. */
static void stop_in_mid_draw(const struct seat *seat, struct shop *shop,
			     struct dblock_client *client)
{
	acquire(client);
	if (shop_left(shop, seat->bonus) > 0) {
		say_ready(seat);
		sleep(LONG_S); /* the kill comes here */
	}
	exit(EXIT_FAILURE);
}

static struct dblock_client *open_client(const struct seat *seat)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.ttl_ms = seat->way->ttl_ms;
	if (dblock_open(seat->plan->url, &options, &client, &err))
		fail("open", &err);
	return client;
}

static void wait_for_start(const struct seat *seat)
{
	char none;

	if (read(seat->start[0], &none, 1) != 0)
		exit(EXIT_FAILURE);
}

int draw_gifts(const struct seat *seat)
{
	struct shop *shop = shop_open(seat->plan->url);
	struct dblock_client *client = seat->way->locked ? open_client(seat) : NULL;

	if (seat->victim)
		stop_in_mid_draw(seat, shop, client);
	say_ready(seat);
	wait_for_start(seat);
	while (atomic_fetch_sub(&seat->board->customers, 1) > 0)
		if (client)
			guarded_draw(seat, shop, client);
		else
			draw(seat, shop);
	dblock_close(client);
	shop_close(shop);
	return EXIT_SUCCESS;
}
