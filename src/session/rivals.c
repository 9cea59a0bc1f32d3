/* SPDX-License-Identifier: MIT */
/*
 * Several hosts of one URL can be writable at once. Mostly they are one database: a server with two
 * names, the nodes of a cluster, a primary and a replica that nobody has made read-only. But a former
 * primary that has come back, and was not fenced, is another one, and who was never at its successor
 * has no history to know it by: he looks at all hosts, on each new connection of the heartbeat.
 *
 *   the other host                                           we
 *   has our last history, and a later one                    go there: it goes on from ours
 *   has our last history as its own last, and is another     stay, if our beat is to be read there in
 *     server, which nobody has noted yet                       time; else, if we open, go there
 *   has not our last history, and we have its last           stay: ours goes on from there
 *   has not our last history, nor we its last                refuse both
 *
 * In the second case a replica that can be written may only be slow: so the beat gets long to arrive, and
 * who has lived at our host does not leave for that.
 */
#include <string.h>

#include "driver/value.h"
#include "session/internal.h"

/* In a heartbeat other hosts may take so much of the ttl, but no more than that. */
#define LOOK_PART 10
#define LOOK_US   1000000

/* Of the time of who opens a client, so much; and so much may pass until his beat has arrived, for
 * which is asked so often. */
#define OPEN_PART 5
#define WAIT_PART 3
#define PAUSE_US  20000

/* Connect to that host alone. The target is the connection's, and is to live as long. */
static int open_host(const struct dbl_session *session, unsigned host, int64_t by,
		     struct dbl_target *target, struct dbl_db **db)
{
	*target = *dbl_link_target(session->link);
	target->url.only_host = host + 1;
	return dbl_db_open(db, target, by, NULL);
}

/* Is our last beat read there? It may take until then to arrive. What cannot be read at all says
 * nothing. */
static bool has_our_beat(const struct dbl_session *session, struct dbl_db *there, int64_t until)
{
	struct dbl_value id = dbl_text(session->epoch->id);
	bool missed = false;

	while (!missed || dbl_now(session->env) < until) {
		struct dbl_epoch_row own;
		struct dbl_request request = dbl_epoch_row_request(&own, &id, until);

		if (dbl_db_run(there, &request, NULL))
			return !missed;
		if (own.found && own.beat == session->epoch->beat_there)
			return true;
		missed = true;
		dbl_sleep_until(session->env, dbl_now(session->env) + PAUSE_US);
	}
	return false;
}

static int is_known_here(struct dbl_session *session, const char *history, int64_t deadline,
			 bool *known, struct dblock_error *err)
{
	struct dbl_value id = dbl_text(history);
	struct dbl_tip ours;
	struct dbl_request request = dbl_lineage_request(&ours, &id, deadline);
	int rc = dbl_link_run(session->link, &request, err);

	*known = ours.known;
	return rc;
}

/* How one other host is looked at. */
struct look {
	bool opening;     /* a client is being opened */
	int64_t by;       /* for what is asked there */
	int64_t deadline; /* for what is asked here, and for our beat to be there */
};

/* Both have the same last history, and theirs is a server that nobody has noted: is it newer? */
static bool has_left_us(const struct dbl_session *session, struct dbl_db *there,
			const struct look *look)
{
	int64_t now = dbl_now(session->env);

	return look->opening &&
	       !has_our_beat(session, there, now + (look->deadline - now) / WAIT_PART);
}

static int judge(struct dbl_session *session, struct dbl_db *there, const struct look *look,
		 enum dbl_rivalry *is, struct dblock_error *err)
{
	struct dbl_value id = dbl_text(session->lineage.id);
	struct dbl_tip tip;
	struct dbl_request request = dbl_lineage_request(&tip, &id, look->by);
	bool newer = false, known = true;
	int rc = 0;

	if (dbl_db_run(there, &request, NULL) || tip.n == 0)
		return 0;
	if (strcmp(tip.id, session->lineage.id) == 0)
		newer = tip.moved && has_left_us(session, there, look);
	else if (tip.known)
		newer = true;
	else
		rc = is_known_here(session, tip.id, look->deadline, &known, err);
	if (rc == 0)
		*is = newer ? DBL_RIVAL_NEWER : known ? DBL_RIVAL_NONE : DBL_RIVAL_APART;
	return rc;
}

/* A host that cannot be had, or not be written, is no rival. */
static int look_at(struct dbl_session *session, unsigned host, const struct look *look,
		   enum dbl_rivalry *is, struct dblock_error *err)
{
	struct dbl_target target;
	struct dbl_db *there;
	int rc = open_host(session, host, look->by, &target, &there);

	if (rc)
		return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : 0;
	rc = judge(session, there, look, is, err);
	dbl_db_close(there);
	return rc;
}

/* When all others have been looked at; each gets a share of what is left. */
static int64_t end_of_look(const struct dbl_session *session, bool opening, int64_t deadline)
{
	int64_t now = dbl_now(session->env), left = deadline - now;

	return now +
	       (opening ? left / OPEN_PART
			: dbl_least(left, dbl_least(LOOK_US, session->options.ttl / LOOK_PART)));
}

int dbl_rivals_look(struct dbl_session *session, bool opening, int64_t deadline,
		    struct dbl_rival *rival, struct dblock_error *err)
{
	unsigned here, hosts = dbl_link_hosts(session->link, &here), left = hosts - 1;
	int64_t end = end_of_look(session, opening, deadline);
	int rc = 0;

	*rival = (struct dbl_rival){.is = DBL_RIVAL_NONE};
	for (unsigned host = 0; rc == 0 && rival->is == DBL_RIVAL_NONE && host < hosts; host++) {
		int64_t now = dbl_now(session->env);

		if (host == here)
			continue;
		rival->host = host;
		rc = look_at(session, host,
			     &(struct look){opening, now + (end - now) / left--, deadline},
			     &rival->is, err);
	}
	return rc;
}

int dbl_rivals_refuse(struct dbl_session *session, const struct dbl_rival *rival,
		      struct dblock_error *err)
{
	unsigned here;

	(void)dbl_link_hosts(session->link, &here);
	if (rival->is == DBL_RIVAL_NEWER) {
		dbl_link_go(session->link, rival->host);
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE,
				"host %u of the URL is a former primary: host %u goes on from it",
				here + 1, rival->host + 1);
	}
	return dbl_fail(
		err, DBLOCK_E_UNAVAILABLE,
		"hosts %u and %u of the URL can both be written, and are two branches of the "
		"database: neither goes on from the other; keep clients away from the one "
		"that is not the primary, or make it a standby",
		here + 1, rival->host + 1);
}
