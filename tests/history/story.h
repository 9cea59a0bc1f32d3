/* SPDX-License-Identifier: MIT */
/*
 * The same history, told by call: what the rules are about. A call is one acquire and all that came
 * of it, up to its release; or a release by token alone, of a grant that may be anybody's; or a
 * break.
 *
 * When does a call hold its lock? What is sure is less than what is possible, and each rule takes
 * the one that it needs. For sure: from when its client had received the grant until it began to
 * release it, or was told that it is lost, or somebody else began to take it away by force; but no
 * longer than the handle was seen to be valid. (Of
 * one that was killed meanwhile something may still be on its way to what is protected.) Whatever
 * lies outside, in a reply under way or in a row of the dead, is possible.
 */
#ifndef TESTS_HISTORY_STORY_H
#define TESTS_HISTORY_STORY_H

#include "history/pace.h"

#define NEVER INT64_MAX

/* Events that there were not are NULL. */
struct call {
	const struct event *called, *queued, *canceling, *granted, *declined, *told, *releasing,
		*released, *killed; /* queued: the last time, as a new session gets a new ticket */
	/* Or it is none of these, but takes away what somebody has: */
	const struct event *breaking, *broken;
	/* The first that may have taken its grant away; and the first that need not have waited
	 * until its holder knew (story_breaks.c). */
	const struct event *taken, *forced;
	/* Of the transaction that was fenced last: */
	const struct event *fencing, *fenced, *written, *committing, *committed;
	int outcomes, releases, ends, tellings; /* how many of them there were: one is right */
	int changes, changed; /* upgrades and downgrades, and their ends: as many as there are */
	int client, thread;
	const struct event *first; /* of all its events */
	int64_t valid_until;       /* the latest time that the handle was known to be valid until */
	const struct call *enters; /* the same thread's, whose grant it got again; NULL: none */
};

/* A time in which a call holds its name in one mode, for sure. An upgrade ends one stay and begins
 * another; so does a downgrade, whose stay in the weaker mode begins when it is asked for. */
struct stay {
	struct call *call;
	const struct event *asked, *begins; /* begins: GRANTED, UPGRADED, DOWNGRADING, DOWNGRADED */
	int mode;
	int64_t weight, capacity, token;
	int64_t until; /* its holder relied on it until then */
};

/* An upgrade or a downgrade; `ended` is NULL if that was never heard of. */
struct change {
	struct call *call;
	const struct event *began, *ended;
};

/* All about one name: the calls by when they began, the grants by when they were received, the
 * stays and changes by when they began, and what was presented to what it protects. */
struct lock_story {
	const char *name;
	struct call **calls, **grants;
	struct stay **stays;
	struct change **changes;
	const struct event **presented;
	size_t n_calls, n_grants, n_stays, n_changes, n_presented;
};

struct client_story {
	int id;
	const struct event *opened, *closed, *killed;
	int64_t ttl;
	int64_t row_wait; /* a statement of its may wait for so long for a row */
	bool posts;       /* a release need not wait for the database */
};

/* A time in which a client could not do what it should; 0: nobody could. */
struct trouble {
	int client;
	enum event_kind kind; /* that began it */
	int64_t from, to;
};

struct story {
	const struct history *history;
	struct call *calls; /* by client, then by wait */
	size_t n_calls;
	struct stay *stays;
	struct change *changes;
	size_t n_stays, n_changes;
	struct lock_story *locks; /* by name */
	size_t n_locks;
	struct client_story *clients; /* [id]; those without a history have id 0 */
	size_t n_clients;
	struct trouble *troubles;
	size_t n_troubles;
	struct pace pace;
	int64_t end; /* of the history */
};

/* The history must stay as it is meanwhile. */
void story_tell(struct story *, const struct history *);
void story_free(struct story *);

/* When so much has passed of the time that counts (see pace.h). */
int64_t story_after(const struct story *, int64_t from, int64_t span);

/* NULL: unknown. */
const struct client_story *story_client(const struct story *, int id);

/* When the outcome came: NEVER if none did. */
int64_t call_ended(const struct call *);

/* When its caller stopped to want it, which the library may learn of later. */
int64_t call_left(const struct call *);

/* When its holder stopped to rely on the grant. */
int64_t call_relied_until(const struct call *);

/* By which mode does a call wait? */
int call_mode(const struct call *);

/* Two clients may have it so at one time: by the modes alone; permits have to be added up. */
bool modes_agree(int a, int b);

/* Two stays, or what two calls asked for: neither keeps the other out. */
bool stays_agree(const struct stay *, const struct stay *);

/* It begins with a token of its own. */
bool stay_is_grant(const struct stay *);

/* Did the thread enter again what it held? Then they are one hold. */
bool stays_are_one(const struct stay *, const struct stay *);

/* Somebody who waited between may have been granted it, and have lost it by force before it heard
 * of that: then it waits again. */
bool waiter_may_be_broken(const struct lock_story *, int64_t from, int64_t until);

/* Was the handle good for anything when its holder received it? */
bool call_was_of_use(const struct call *);

#endif
