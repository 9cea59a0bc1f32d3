/* SPDX-License-Identifier: MIT */
#include "lock/recipes/bell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "driver/value.h"
#include "lock/core/cancel.h"
#include "lock/handle/state.h"
#include "lock/lock.h"

/* ---- who sleeps ------------------------------------------------------------------------------ */

int dbl_bell_hang(struct dbl_bell *bell, struct dbl_locks *locks, const char *name,
		  struct dblock_error *err)
{
	int64_t nonce = dbl_random_id(locks->env);

	*bell = (struct dbl_bell){.locks = locks, .name = name};
	if (nonce == 0 || dbl_waiter_init(&bell->waiter))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	bell->waiter.is_bell = true;
	dbl_notifier_add(locks, &bell->waiter, nonce);
	return 0;
}

void dbl_bell_take_down(struct dbl_bell *bell)
{
	if (bell->lock)
		(void)dbl_lock_release(bell->lock, NULL);
	dbl_notifier_remove(bell->locks, &bell->waiter);
	dbl_waiter_fini(&bell->waiter);
}

void dbl_bell_value(struct dbl_bell *bell, char value[DBL_BELL_VALUE_MAX])
{
	char address[DBL_WAKE_ADDRESS_MAX];

	dbl_notifier_address(bell->locks, true, NULL, address);
	(void)snprintf(value, DBL_BELL_VALUE_MAX, "%" PRId64 " %s", bell->waiter.nonce, address);
}

static void get_lock(struct dbl_bell *bell)
{
	char value[DBL_BELL_VALUE_MAX];
	struct dbl_acquire_spec spec = {.name = bell->name,
					.value = value,
					.mode = DBLOCK_SHARED,
					.weight = 1,
					.tries = true};

	dbl_bell_value(bell, value);
	if (dbl_lock_try(bell->locks, &spec, &bell->lock, NULL))
		bell->lock = NULL;
}

/* What is rung from now on does not get here. */
static bool is_deaf(struct dbl_bell *bell)
{
	return !bell->lock || dbl_grant_left(bell->lock) == 0;
}

bool dbl_bell_heard(struct dbl_bell *bell)
{
	bool rung;

	dbl_lock(&bell->locks->mutex);
	rung = bell->waiter.granted != 0;
	bell->waiter.granted = 0;
	dbl_unlock(&bell->locks->mutex);
	return rung;
}

bool dbl_bell_attend(struct dbl_bell *bell)
{
	bool was_deaf = is_deaf(bell), rung = dbl_bell_heard(bell);

	if (was_deaf && bell->lock)
		(void)dbl_lock_release(bell->lock, NULL);
	if (was_deaf)
		get_lock(bell);
	return rung || was_deaf;
}

bool dbl_bell_sleep(struct dbl_bell *bell, int64_t until, const struct dbl_acquire_spec *spec)
{
	struct dbl_locks *locks = bell->locks;
	bool rung = false;
	int64_t now;

	while (!rung && (now = dbl_now(locks->env)) < until && !dbl_is_canceled(locks, spec)) {
		if (bell->lock && is_deaf(bell))
			return true;
		if (locks->env->idle)
			locks->env->idle(locks->env->ctx, until);
		dbl_lock(&locks->mutex);
		if (!bell->waiter.granted)
			dbl_notifier_sleep(locks, &bell->waiter,
					   dbl_least(until, now + DBL_ASK_CALLER_US));
		rung = bell->waiter.granted != 0;
		dbl_unlock(&locks->mutex);
	}
	return rung;
}

/* ---- who rings ------------------------------------------------------------------------------- */

static int keep_line(void *ctx, const struct dbl_value *row)
{
	if (row[0].type == DBL_TEXT)
		dbl_str_addf(ctx, "%.*s\n", (int)row[0].len, row[0].text);
	return 0;
}

/* The line is what get_lock() has written, or anybody else, who has taken a lock of that name. */
static void tell(struct dbl_locks *locks, const char *line)
{
	char *address;
	int64_t nonce = strtoll(line, &address, 10);

	if (*address == '#')
		nonce = strtoll(address + 1, &address, 10);
	if (nonce > 0 && *address == ' ')
		dbl_notifier_tell(locks, address + 1, nonce, DBL_NOTIFY_LOOK);
}

int dbl_bell_ring(struct dbl_locks *locks, const char *name, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_str lines = {0};
	struct dbl_value arg = dbl_text(name);
	struct dbl_request request = {.op = DBL_OP_bell_sleepers,
				      .args = DBL_ARG(arg),
				      .row = keep_line,
				      .ctx = &lines,
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);
	char *all = dbl_str_take(&lines), *rest = all, *line;

	/* Where no datagram gets to, that is a statement of its own. */
	while (rc == 0 && rest && (line = strsep(&rest, "\n")))
		tell(locks, line);
	dbl_free(all);
	return rc;
}

struct later {
	struct dbl_tx_part part;
	struct dbl_locks *locks;
	char name[DBL_NAME_MAX + 1];
};

static void ended(struct dbl_tx_part *part, enum dbl_tx_end end)
{
	struct later *later = (struct later *)part;

	if (end == DBL_TX_COMMITTED || end == DBL_TX_ASK)
		(void)dbl_bell_ring(later->locks, later->name, NULL);
	dbl_free(later);
}

static bool is_to_ring(const struct dblock_tx *tx, const char *name)
{
	const struct dbl_tx_part *part = tx->parts;

	while (part &&
	       !(part->ended == ended && strcmp(((const struct later *)part)->name, name) == 0))
		part = part->next;
	return part != NULL;
}

bool dbl_bell_ring_after(struct dblock_tx *tx, struct dbl_locks *locks, const char *name)
{
	struct later *later;

	if (is_to_ring(tx, name))
		return true;
	later = dbl_alloc(sizeof(*later));
	if (!later)
		return false;
	later->part.ended = ended;
	later->locks = locks;
	(void)snprintf(later->name, sizeof(later->name), "%s", name);
	dbl_tx_join(tx, &later->part);
	return true;
}
