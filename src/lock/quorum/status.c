/* SPDX-License-Identifier: MIT */
#include "lock/quorum/status.h"

#include <string.h>

#include "base/workers.h"
#include "lock/quorum/own.h"
#include "session/lineage.h"

/* ---- looking --------------------------------------------------------------------------------- */

struct look {
	struct dbl_job job; /* first */
	void (*look)(void *ctx, unsigned i);
	void *ctx;
	unsigned i;
};

static void run_look(struct dbl_job *job)
{
	struct look *look = (struct look *)job;

	look->look(look->ctx, look->i);
}

void dbl_quorum_look(const struct dbl_env *env, unsigned n, void (*look)(void *ctx, unsigned i),
		     void *ctx)
{
	struct dbl_workers *workers[DBL_QUORUM_MAX];
	struct look looks[DBL_QUORUM_MAX];

	for (unsigned i = 0; i < n; i++) {
		looks[i] =
			(struct look){.job = {.run = run_look}, .look = look, .ctx = ctx, .i = i};
		workers[i] = dbl_workers_new(env);
		if (workers[i])
			dbl_workers_add(workers[i], &looks[i].job);
	}
	/* For which there is no thread: one by one, while the others are looked at. */
	for (unsigned i = 0; i < n; i++) {
		if (!workers[i])
			look(ctx, i);
	}
	for (unsigned i = 0; i < n; i++)
		dbl_workers_free(workers[i]);
}

void dbl_quorum_see(struct dbl_locks *locks, struct dbl_seen *seen)
{
	struct dbl_value none = dbl_text("");
	struct dbl_tip tip;
	struct dbl_request request = dbl_lineage_request(&tip, &none, dbl_locks_deadline(locks));

	seen->rc = dbl_link_run(locks->link, &request, &seen->why);
	if (seen->rc == 0)
		seen->rc = dbl_membership_read(locks->link, dbl_locks_deadline(locks), &seen->is,
					       &seen->why);
	/* Who looks writes nothing: another history is to begin, which the next client does that
	 * may write it. */
	if (seen->rc == 0 && tip.moved)
		seen->is.newest[0] = '\0';
}

/* ---- who votes ------------------------------------------------------------------------------- */

static enum dblock_member_state state_of(const struct dbl_seen *seen)
{
	if (seen->rc)
		return DBLOCK_MEMBER_UNKNOWN;
	if (!seen->is.cluster[0])
		return DBLOCK_MEMBER_NONE;
	if (dbl_membership_is_copy(&seen->is))
		return DBLOCK_MEMBER_COPY;
	if (seen->is.state == DBL_MEMBER_NEW)
		return DBLOCK_MEMBER_NEW;
	return seen->is.state == DBL_MEMBER_CLOSED ? DBLOCK_MEMBER_CLOSED : DBLOCK_MEMBER_VOTES;
}

/* Its word of what the cluster is counts, whether it votes or not. */
static bool has_a_say(const struct dbl_seen *m)
{
	return m->state == DBLOCK_MEMBER_VOTES || m->state == DBLOCK_MEMBER_CLOSED;
}

/* How many say that they are of the cluster that this one is of. */
static unsigned of_one_cluster(const struct dbl_seen seen[], unsigned n,
			       const struct dbl_membership *is)
{
	unsigned all = 0;

	for (unsigned i = 0; i < n; i++)
		all += has_a_say(&seen[i]) && strcmp(seen[i].is.identity, is->identity) == 0;
	return all;
}

/* The cluster that most are of, by the newest word of any of these; as cluster.c has it. */
static const struct dbl_membership *newest(const struct dbl_seen seen[], unsigned n)
{
	const struct dbl_membership *found = NULL;
	unsigned most = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct dbl_membership *is = &seen[i].is;
		unsigned all = has_a_say(&seen[i]) ? of_one_cluster(seen, n, is) : 0;

		if (all > most || (found && all && strcmp(is->identity, found->identity) == 0 &&
				   dbl_membership_era(is) > dbl_membership_era(found))) {
			most = all;
			found = is;
		}
	}
	return found;
}

/* Why one that says that it votes does not: 0: it does. */
static enum dblock_member_state refuse(const struct dbl_seen seen[], unsigned i,
				       const struct dbl_sight *sight, struct dblock_error *err)
{
	const struct dbl_membership *is = &seen[i].is;

	if (strcmp(is->identity, sight->cluster->identity) != 0) {
		(void)dbl_membership_refuse(is, err);
		return DBLOCK_MEMBER_OTHER;
	}
	if (is->members != sight->n) {
		(void)dbl_fail(err, DBLOCK_E_INVALID,
			       "the cluster '%s' has %lld members, and %u were given", is->cluster,
			       (long long)is->members, sight->n);
		return DBLOCK_MEMBER_OTHER;
	}
	if (!dbl_roster_has(sight->cluster->roster, is->number, is->history)) {
		(void)dbl_fail(err, DBLOCK_E_INVALID,
			       "it was member %lld of the cluster '%s', and another database %s in "
			       "its place",
			       (long long)is->number, is->cluster,
			       dbl_roster_marked(sight->cluster->roster) == is->number
				       ? "is being put"
				       : "is");
		return DBLOCK_MEMBER_REPLACED;
	}
	for (unsigned j = 0; j < i; j++) {
		if (seen[j].state != DBLOCK_MEMBER_VOTES || seen[j].is.number != is->number)
			continue;
		(void)dbl_fail(err, DBLOCK_E_INVALID,
			       "it is member %lld of the cluster '%s', as URL %u is: each is to be "
			       "given once",
			       (long long)is->number, is->cluster, j + 1);
		return DBLOCK_MEMBER_OTHER;
	}
	return DBLOCK_MEMBER_VOTES;
}

static void judge_members(struct dbl_seen seen[], struct dbl_sight *sight)
{
	for (unsigned i = 0; i < sight->n; i++) {
		struct dbl_seen *m = &seen[i];

		m->state = state_of(m);
		sight->answering += m->rc == 0;
		if (m->rc == 0 && m->state != DBLOCK_MEMBER_VOTES)
			(void)dbl_membership_refuse(&m->is, &m->why);
	}
	sight->cluster = newest(seen, sight->n);
	for (unsigned i = 0; i < sight->n; i++) {
		struct dbl_seen *m = &seen[i];

		if (m->state == DBLOCK_MEMBER_VOTES)
			m->state = refuse(seen, i, sight, &m->why);
		m->tells = m->state == DBLOCK_MEMBER_VOTES ||
			   (m->state == DBLOCK_MEMBER_CLOSED &&
			    strcmp(m->is.identity, sight->cluster->identity) == 0 &&
			    dbl_roster_has(sight->cluster->roster, m->is.number, m->is.history));
		sight->voting += m->state == DBLOCK_MEMBER_VOTES;
		sight->telling += m->tells;
	}
}

/* ---- and for whom ---------------------------------------------------------------------------- */

static bool votes_for(const struct dbl_seen *m, const struct dbl_seen *holder)
{
	return m->tells && m->host && strcmp(m->host, holder->host) == 0 && m->pid == holder->pid;
}

/* As ballot.c has it: of the votes in order, the token that completes a majority, if a majority has
 * it or a larger one; that of a lease is the largest. */
static int64_t token_of(const struct dbl_seen seen[], const struct dbl_sight *sight)
{
	int64_t tokens[DBL_QUORUM_MAX], token;
	unsigned n = 0, enough = 0;

	for (unsigned i = 0; i < sight->n; i++) {
		if (votes_for(&seen[i], sight->holder))
			dbl_rank(tokens, &n, seen[i].token);
	}
	if (n < sight->majority)
		return 0;
	token = tokens[sight->holder->is_lease ? n - 1 : sight->majority - 1];
	for (unsigned i = 0; i < n; i++)
		enough += tokens[i] >= token;
	return enough >= sight->majority ? token : 0;
}

static void judge_lock(const struct dbl_seen seen[], struct dbl_sight *sight)
{
	for (unsigned i = 0; i < sight->n; i++) {
		unsigned votes = 0;

		for (unsigned j = 0; j < sight->n && votes_for(&seen[i], &seen[i]); j++)
			votes += votes_for(&seen[j], &seen[i]);
		if (votes > sight->granted) {
			sight->granted = votes;
			sight->holder = &seen[i];
		}
	}
	if (sight->holder)
		sight->token = token_of(seen, sight);
}

void dbl_quorum_judge(struct dbl_seen seen[], unsigned n, struct dbl_sight *sight)
{
	*sight = (struct dbl_sight){.n = n, .majority = n / 2 + 1};
	judge_members(seen, sight);
	judge_lock(seen, sight);
}
