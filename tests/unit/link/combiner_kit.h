/* SPDX-License-Identifier: MIT */
/* Guests come to a combiner's queue, each on a thread, by the test's own clock. */
#ifndef TESTS_UNIT_LINK_SEAT_KIT_H
#define TESTS_UNIT_LINK_SEAT_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <cmocka.h>

#include "driver/value.h"
#include "link/combiner.h"

enum { GUESTS = 8, TURN_US = 400, SOON_US = 10, WINDOW_US = TURN_US / 2 };

static _Atomic int64_t clock_us;

static inline int64_t tell_time(void *ctx)
{
	(void)ctx;
	return clock_us;
}

static const struct dbl_env env = {.now = tell_time};
static const struct dbl_dialect dialect = {.batch = DBL_BATCH_ARRAYS};
static const struct dbl_target target = {.env = &env, .dialect = &dialect};

struct guest {
	struct dbl_combiner *combiner;
	struct dbl_sender sender;
	struct dbl_request request;
	struct dbl_value args[3];
	char name[8];
	int64_t until;
	pthread_t thread;
	_Atomic int is; /* enum dbl_send_state; -1: the guest waits */
};

static struct guest guests[GUESTS];

static inline void *take(void *arg)
{
	struct guest *guest = arg;

	guest->is = (int)dbl_combiner_take(guest->combiner, &guest->sender, guest->until);
	return NULL;
}

static inline void pause_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

static inline unsigned in_queue(struct dbl_combiner *combiner)
{
	unsigned n;

	dbl_lock(&combiner->mutex);
	n = combiner->n_waiting;
	dbl_unlock(&combiner->mutex);
	return n;
}

/* The guest comes, and has the connection, or waits in the queue. */
static inline void comes_as(struct dbl_combiner *combiner, int i, int64_t until, bool urgent)
{
	struct guest *guest = &guests[i];
	unsigned before = in_queue(combiner);

	guest->combiner = combiner;
	guest->until = until;
	guest->is = -1;
	guest->name[0] = (char)('a' + i);
	guest->args[0] = dbl_text(guest->name);
	guest->args[1] = guest->args[2] = dbl_int(1);
	guest->request = (struct dbl_request){.op = DBL_OP_release,
					      .args = DBL_ARGS(guest->args),
					      .deadline = clock_us + 100000000};
	guest->sender = (struct dbl_sender){.member.request = urgent ? NULL : &guest->request,
					    .urgent = urgent};
	assert_int_equal(pthread_create(&guest->thread, NULL, take, guest), 0);
	while (guest->is < 0 && in_queue(combiner) == before)
		pause_a_little();
}

static inline void comes_by(struct dbl_combiner *combiner, int i, int64_t until)
{
	comes_as(combiner, i, until, false);
}

static inline void comes(struct dbl_combiner *combiner, int i)
{
	comes_by(combiner, i, DBL_NEVER);
}

static inline void becomes(int i, enum dbl_send_state what)
{
	while (guests[i].is < 0)
		pause_a_little();
	assert_int_equal(guests[i].is, what);
	pthread_join(guests[i].thread, NULL);
}

#endif
