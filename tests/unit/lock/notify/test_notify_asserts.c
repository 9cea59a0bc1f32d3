/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/notify. */
#include "unit/lock/asserts_kit.h"

#include "lock/notify/channel.h"
#include "lock/notify/own.h"

static struct dbl_waiter waiter, other;

static void set_up(void)
{
	locks.notifier = dbl_notifier_new();
	locks.notifier->wake_off = ~0U;
	assert_int_equal(dbl_waiter_init(&waiter), 0);
	assert_int_equal(dbl_waiter_init(&other), 0);
}

static void free_it_while_somebody_waits(void)
{
	dbl_notifier_add(&locks, &waiter, 5);
	dbl_notifier_free(locks.notifier);
}

static void free_it_while_it_listens(void)
{
	locks.notifier->socket = (struct dbl_socket *)&waiter;
	dbl_notifier_free(locks.notifier);
}

static void wait_without_a_nonce(void)
{
	dbl_notifier_add(&locks, &waiter, -1);
}

static void wait_in_two_queues(void)
{
	dbl_notifier_add(&locks, &waiter, 5);
	dbl_notifier_add(&locks, &waiter, 6);
}

static void tell_those_in_no_line(void)
{
	(void)dbl_notifier_tell_own(&locks, 0, 7, DBL_WAY_THREAD);
}

static void tell_of_no_token(void)
{
	(void)dbl_notifier_tell_own(&locks, 5, 0, DBL_WAY_THREAD);
}

static void first_without_the_mutex(void)
{
	(void)dbl_notifier_first(&locks);
}

static void wake_all_without_the_mutex(void)
{
	dbl_notifier_wake_all(&locks);
}

static void open_a_second_socket(void)
{
	locks.notifier->socket = (struct dbl_socket *)&waiter;
	(void)dbl_notifier_listen(&locks);
}

static void open_a_second_doorbell(void)
{
	char text[DBL_WAKE_ADDRESS_MAX];

	locks.notifier->channel = (struct dbl_channel *)&waiter;
	dbl_notifier_address(&locks, true, NULL, text);
}

/* The channel's thread waits until it is needed. */
static struct dbl_channel *channel(void)
{
	struct dbl_channel *d = dbl_channel_new(&locks, false);

	assert_non_null(d);
	return d;
}

static void free_a_doorbell_that_goes_on(void)
{
	dbl_channel_free(channel());
}

static void works_without_the_mutex(void)
{
	(void)dbl_channel_works(channel());
}

static void needed_without_the_mutex(void)
{
	dbl_channel_needed(channel());
}

static const struct death deaths[] = {
	{"dbl_notifier_free", "!notify->waiting", free_it_while_somebody_waits},
	{"dbl_notifier_free", "!notify->socket && !notify->channel", free_it_while_it_listens},
	{"dbl_notifier_add", "nonce > 0", wait_without_a_nonce},
	{"dbl_notifier_add", "waiter->nonce == 0", wait_in_two_queues},
	{"dbl_notifier_tell_own", "nonce != 0", tell_those_in_no_line},
	{"dbl_notifier_tell_own", "token > 0", tell_of_no_token},
	{"dbl_notifier_first", "== dbl_thread_id()", first_without_the_mutex},
	{"dbl_notifier_wake_all", "== dbl_thread_id()", wake_all_without_the_mutex},
	{"dbl_have_socket", "listens || !locks->notifier->socket", open_a_second_socket},
	{"have_channel", "channel_tried || !locks->notifier->channel", open_a_second_doorbell},
	{"dbl_channel_free", "d->stopping", free_a_doorbell_that_goes_on},
	{"dbl_channel_works", "== dbl_thread_id()", works_without_the_mutex},
	{"dbl_channel_needed", "== dbl_thread_id()", needed_without_the_mutex},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
