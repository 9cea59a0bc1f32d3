/* SPDX-License-Identifier: MIT */
/* What src/lock/notify asserts, broken on purpose. */
#include "unit/lock/asserts_kit.h"

#include "lock/notify/channel.h"
#include "lock/notify/own.h"

static struct dbl_waiter waiter, other;

static void set_up(void)
{
	locks.notify = dbl_notify_new();
	locks.notify->wake_off = ~0U;
	assert_int_equal(dbl_waiter_init(&waiter), 0);
	assert_int_equal(dbl_waiter_init(&other), 0);
}

static void free_it_while_somebody_waits(void)
{
	dbl_bells_add(&locks, &waiter, 5);
	dbl_notify_free(locks.notify);
}

static void free_it_while_it_listens(void)
{
	locks.notify->bell = (struct dbl_bell *)&waiter;
	dbl_notify_free(locks.notify);
}

static void wait_without_a_nonce(void)
{
	dbl_bells_add(&locks, &waiter, -1);
}

static void wait_in_two_lines(void)
{
	dbl_bells_add(&locks, &waiter, 5);
	dbl_bells_add(&locks, &waiter, 6);
}

static void tell_those_in_no_line(void)
{
	(void)dbl_bells_tell(&locks, 0, 7);
}

static void tell_of_no_token(void)
{
	(void)dbl_bells_tell(&locks, 5, 0);
}

static void first_without_the_mutex(void)
{
	(void)dbl_bells_first(&locks);
}

static void wake_all_without_the_mutex(void)
{
	dbl_bells_wake_all(&locks);
}

static void open_a_second_socket(void)
{
	locks.notify->bell = (struct dbl_bell *)&waiter;
	(void)dbl_bells_listen(&locks);
}

static void open_a_second_doorbell(void)
{
	char text[DBL_BELL_TEXT_MAX];

	locks.notify->doorbell = (struct dbl_doorbell *)&waiter;
	dbl_bells_address(&locks, true, text);
}

/* Its thread waits until it is needed. */
static struct dbl_doorbell *doorbell(void)
{
	struct dbl_doorbell *d = dbl_doorbell_new(&locks);

	assert_non_null(d);
	return d;
}

static void free_a_doorbell_that_goes_on(void)
{
	dbl_doorbell_free(doorbell());
}

static void works_without_the_mutex(void)
{
	(void)dbl_doorbell_works(doorbell());
}

static void needed_without_the_mutex(void)
{
	dbl_doorbell_needed(doorbell());
}

static const struct death deaths[] = {
	{"dbl_notify_free", "!notify->waiting", free_it_while_somebody_waits},
	{"dbl_notify_free", "!notify->bell && !notify->doorbell", free_it_while_it_listens},
	{"dbl_bells_add", "nonce > 0", wait_without_a_nonce},
	{"dbl_bells_add", "waiter->nonce == 0", wait_in_two_lines},
	{"dbl_bells_tell", "nonce != 0", tell_those_in_no_line},
	{"dbl_bells_tell", "token > 0", tell_of_no_token},
	{"dbl_bells_first", "== dbl_thread_id()", first_without_the_mutex},
	{"dbl_bells_wake_all", "== dbl_thread_id()", wake_all_without_the_mutex},
	{"have_socket", "listens || !locks->notify->bell", open_a_second_socket},
	{"have_doorbell", "doorbell_tried || !locks->notify->doorbell", open_a_second_doorbell},
	{"dbl_doorbell_free", "d->stopping", free_a_doorbell_that_goes_on},
	{"dbl_doorbell_works", "== dbl_thread_id()", works_without_the_mutex},
	{"dbl_doorbell_needed", "== dbl_thread_id()", needed_without_the_mutex},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
