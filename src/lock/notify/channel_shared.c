/* SPDX-License-Identifier: MIT */
/* A channel without a connection of its own: while no request uses the work connection, this thread has
 * it, and hears what is said there. Who wants it rings, and has it. (PostgreSQL's alone: to sleep in SQL
 * needs another connection to be interrupted by.) */
#include "base/event.h"
#include "lock/notify/channel_own.h"

/* One wait at most; the pause after another one wanted the connection, as more requests may follow it; and
 * after it could not be had. */
#define LISTEN_US 60000000
#define YIELD_US  1000
#define RETRY_US  2000000

static void rest(struct dbl_channel *d, int64_t us)
{
	d->retry_at = dbl_now(d->locks->env) + dbl_jitter(d->locks->env, us);
}

/* This connection does not listen yet: what was granted before it does is read. */
static int begin(struct dbl_channel *d, struct dbl_db *db, uint64_t serial)
{
	int rc = dbl_db_listen(db, d->channel, dbl_channel_deadline(d), NULL);

	dbl_channel_set_works(d, rc == 0);
	d->serial = rc == 0 ? serial : 0;
	return rc ? rc : dbl_channel_read_granted(d, db);
}

static int hear(struct dbl_channel *d, struct dbl_db *db)
{
	const char *said;
	int rc;

	while ((rc = dbl_db_hear(db, d->channel, LISTEN_US, 0, d->stop_event, &said, NULL)) > 0)
		dbl_channel_heard(d, said);
	return rc;
}

void dbl_channel_attend_shared(struct dbl_channel *d)
{
	struct dbl_link *link = d->locks->link;
	struct dbl_db *db;
	uint64_t serial;
	int rc = dbl_link_idle(link, d->stop_event, dbl_channel_deadline(d), &db, &serial);

	if (rc == 0) {
		rc = serial == d->serial ? 0 : begin(d, db, serial);
		if (rc == 0)
			rc = hear(d, db);
		dbl_link_idle_end(link);
	}
	dbl_event_clear(d->stop_event);
	rest(d, rc == 0 ? YIELD_US : RETRY_US);
	if (rc)
		dbl_channel_set_works(d, false);
}
