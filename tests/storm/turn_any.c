/* SPDX-License-Identifier: MIT */
/* A turn with any one of several names. Which one is known afterwards: so what the call was is told then, as of
 * when it began. */
#include "storm/hand.h"

struct turn {
	struct hand *hand;
	struct spec specs[PARTS];
	int64_t wait;  /* the call of the first name; the others follow */
	int64_t began; /* when it was called, */
	int64_t until; /* and until when it waits; 0: for ever */
	int n;
};

static int part_of(const struct turn *t, const struct dblock_lock *lock)
{
	int i = 0;

	while (strcmp(hand_name_of(t->specs[i].name), dblock_name(lock)) != 0)
		assert_true(++i < t->n);
	return i;
}

static struct event event_of(const struct turn *t, int part, enum event_kind kind)
{
	const struct spec *spec = &t->specs[part];
	struct event e = hand_event_with(t->hand, 0, kind, spec);

	e.wait = t->wait + part;
	snprintf(e.name, sizeof(e.name), "%s", hand_name_of(spec->name));
	return e;
}

static void on_lost(void *arg, struct dblock_lock *lock)
{
	const struct turn *t = arg;
	struct event e = event_of(t, part_of(t, lock), EVENT_TOLD);

	e.mode = (int)dblock_mode_of(lock);
	e.token = dblock_token(lock);
	record(&t->hand->worker->recorder, e);
}

static void tell_called(const struct turn *t, int part, int64_t group)
{
	struct event e = event_of(t, part, EVENT_CALLED);

	e.at = t->began;
	e.until = t->until;
	e.lease = t->specs[part].lease_ms * 1000;
	e.priority = t->specs[0].priority;
	e.group = group;
	record(&t->hand->worker->recorder, e);
}

/* None of them: as a call for all of them would be told. */
static void tell_declined(const struct turn *t, int rc)
{
	int64_t now = event_now();

	for (int i = 0; i < t->n; i++)
		tell_called(t, i, t->wait);
	for (int i = 0; i < t->n; i++) {
		struct event e = event_of(t, i, EVENT_DECLINED);

		e.at = now;
		e.outcome = rc;
		e.group = t->wait;
		record(&t->hand->worker->recorder, e);
	}
}

static int acquire(struct turn *t, struct dblock_lock **lock)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct hand *h = t->hand;
	struct dblock_lock_spec wants[PARTS];
	int64_t wait_ms = t->specs[0].wait_ms;

	for (int i = 0; i < t->n; i++)
		wants[i] = (struct dblock_lock_spec){.name = hand_name_of(t->specs[i].name),
						     .mode = t->specs[i].mode,
						     .permits = t->specs[i].permits,
						     .capacity = t->specs[i].capacity};
	how.wait_ms = wait_ms > 0 ? wait_ms : 0;
	how.lease_ms = t->specs[0].lease_ms;
	how.priority = t->specs[0].priority;
	how.canceled = hand_is_canceled;
	how.canceled_arg = h;
	how.lost = on_lost;
	how.lost_arg = t;
	h->ticket = wait_ms < 0 ? TICKET_NONE : TICKET_UNKNOWN;
	h->owner = 0;
	t->began = event_now();
	if (wait_ms)
		t->until = t->began + (wait_ms > 0 ? wait_ms * 1000 : 0);
	return (wait_ms < 0 ? dblock_try_any : dblock_acquire_any)(
		h->worker->client, wants, (size_t)t->n, &how, lock, &h->err);
}

/* From now on it is as if the hand had called for this one alone. */
static void settle_on(struct turn *t, int part)
{
	struct hand *h = t->hand;

	h->wait = 0;
	h->parts = 1;
	h->name[0] = t->specs[part].name;
	h->wait = t->wait + part;
	tell_called(t, part, 0);
}

void hand_take_any(struct hand *h)
{
	struct turn t = {.hand = h};
	struct dblock_lock *lock;
	int part, rc;

	t.n = hand_choose_names(h, t.specs);
	for (int i = 0; i < t.n; i++) {
		t.specs[i].lease_ms = t.specs[0].lease_ms;
		t.specs[i].at_least_ms = t.specs[i].idle_ms = 0;
	}
	hand_begin_call(h, t.specs, t.n);
	t.wait = h->wait;
	rc = acquire(&t, &lock);
	if (rc == DBLOCK_OK) {
		part = part_of(&t, lock);
		settle_on(&t, part);
		hand_hold(h, &t.specs[part], lock);
	} else {
		tell_declined(&t, rc);
	}
	hand_say_why(h, rc);
}
