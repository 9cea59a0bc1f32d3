/* SPDX-License-Identifier: MIT */
/**
 * @file quorum.h  One lock over several independent databases: held as long as a majority of them votes for it.
 *
 * A client of a cluster is opened by the URLs of its members, and its locks are acquired, held and released by
 * the calls of any client: dblock_try(), dblock_acquire(), dblock_valid(), dblock_token(), dblock_extend(),
 * dblock_release(), `lost`, dblock_lost_fd(), dblock_loss_of(), dblock_stats_of(), dblock_shutdown(),
 * dblock_close(). What else there is (other modes, several names at once, transactions, fences, elections, waits in
 * steps, listings) is DBLOCK_E_INVALID on it. docs/user/quorum.md says what such a lock promises, and when a
 * synchronous standby is the better choice.
 */
#ifndef DBLOCK_QUORUM_H
#define DBLOCK_QUORUM_H

#include <dblock/admin.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most members that a cluster may have. */
#define DBLOCK_QUORUM_MAX 9

/** Bytes of a cluster's name. */
#define DBLOCK_CLUSTER_MAX 63

/** Options of dblock_quorum_init(). Zero means the default, everywhere. */
struct dblock_quorum_options {
	size_t size;        /**< sizeof(struct dblock_quorum_options), set by the initialiser */
	int64_t max_ttl_ms; /**< the longest ttl_ms of its clients, which is that if it would be longer by
				 default, and the longest lease_ms of their locks; default 300 000. A
				 member that is replaced votes after that time. From
				 DBLOCK_TTL_MIN_MS to DBLOCK_TTL_MAX_MS */
	bool allow_forgetful; /**< members may be servers that forget what they have committed when
				   their machine crashes (fsync = off, innodb_flush_log_at_trx_commit
				   other than 1): two could hold one lock then; for tests */
};

#define DBLOCK_QUORUM_OPTIONS_INIT                                                                 \
	{                                                                                          \
		sizeof(struct dblock_quorum_options), 0, false                                     \
	}

/**
 * Make databases the members of a cluster, which they are until one is replaced: on all of them or none. If this
 * is broken off half way, doing it again completes it; once it is complete, doing it again changes nothing.
 *
 * @param urls     of each member's database, a PostgreSQL, MySQL or MariaDB server with dblock's tables: in an
 *                 order that stays, since it numbers them
 * @param n        how many: 3, 5, 7 or 9
 * @param cluster  what to call it: 1 to DBLOCK_CLUSTER_MAX bytes of UTF-8 without control characters
 * @param options  NULL for defaults
 * @param clients  how to connect, as for dblock_open(); NULL for defaults
 * @retval DBLOCK_OK         each of them votes now
 * @retval DBLOCK_E_INVALID  an argument is wrong; or a database is a member of another cluster, or as another
 *                           number, or was given twice, or may forget votes; err says which
 * Else as dblock_open(), of the first member that failed: then none of them votes, or err says that it has to be
 * done again. Blocks: for each member at most some timeout_ms. Four round trips each.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_quorum_init(const char *const urls[], size_t n,
						   const char *cluster,
						   const struct dblock_quorum_options *options,
						   const struct dblock_client_options *clients,
						   struct dblock_error *err);

/** Options of dblock_quorum_replace(). Zero means the default, everywhere. */
struct dblock_replace_options {
	size_t size; /**< sizeof(struct dblock_replace_options), set by the initialiser */
	void (*waits)(void *arg,
		      int64_t ms); /**< is told when the wait begins, and how long it takes */
	void *waits_arg;           /**< goes to it */
	bool allow_forgetful; /**< as in dblock_quorum_options, of the one that takes the place */
};

#define DBLOCK_REPLACE_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_replace_options), NULL, NULL, false                           \
	}

/**
 * Put another database in a member's place: a blank one in that of a server that is gone, or one that was restored
 * from a backup, or failed over, in its own, as it has forgotten votes. The others have to be reachable, at
 * least a majority of all without that member. What is held by votes of others stays; what the member
 * that goes has voted for does not count any more. While this lasts, max_ttl_ms of the cluster, nothing new is granted.
 *
 * It is a person's act: nothing does it by itself. If it is broken off, at whatever point, doing it again goes on,
 * with the same database or another one; once it is complete, doing it again changes nothing. Clients go on; those that
 * were opened with the URL of the database that was there before should be opened anew with this one's.
 *
 * @param urls     of all members, in the order of their numbers; that of `member` is of the database which takes its
 *                 place: it has dblock's tables, and is a member of no other cluster
 * @param n        how many there are
 * @param member   the number of the one that is replaced, from 1
 * @param options  NULL for defaults
 * @param clients  how to connect, as for dblock_open(); NULL for defaults
 * @retval DBLOCK_OK           it is a member, and votes
 * @retval DBLOCK_E_INVALID    an argument is wrong; a database is of another cluster, or has another number, or was
 *                             given twice, or may forget votes; or another member is being replaced, which has to
 *                             be completed first
 * @retval DBLOCK_E_CONFLICT   somebody else replaces a member at this moment
 * Else as dblock_open(), of the member that failed. Blocks for max_ttl_ms and at most some timeout_ms for each
 * member. Some ten round trips each.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_quorum_replace(const char *const urls[], size_t n,
						      unsigned member,
						      const struct dblock_replace_options *options,
						      const struct dblock_client_options *clients,
						      struct dblock_error *err);

/**
 * Open a client of a cluster: of at least a majority of its members; the others are opened as soon as they answer.
 *
 * A lock is asked for on all members at once, and is held once a majority has granted it, at one token that
 * is larger than that of any earlier holder. A member that is slow, or down, is not waited for after the
 * first time. While a lock is held each member's session is kept alive by a heartbeat of its own; the lock is lost,
 * and its holder told, before a majority lets others in. Who waits stands in line at the first member that
 * answers.
 *
 * @param urls     of all members, in the order of dblock_quorum_init(); copied
 * @param n        how many there are; not only those that are up
 * @param options  of each member's client; NULL for defaults. DBLOCK_RELAXED, `observe`, `state_changed`
 *                 and a descriptor `alive_fd` are refused. dblock_tuning's local_turns and post_releases are
 *                 passed over. `trace` is told of the caller's calls and holds, and not of heartbeats
 * @param client   the new client, to be closed with dblock_close(); NULL on failure
 * @retval DBLOCK_OK         a majority is open
 * @retval DBLOCK_E_INVALID  an argument is wrong; a member is one of another cluster or of another number of
 *                           members, or was given twice; or so many are none, or restored, failed over or replaced
 *                           since they became one, that no majority is left; SQLite. err says which member
 * Else as dblock_open(), of the first member that is in the way of a majority.
 * Blocks, at most 2 * timeout_ms. Threads: one, and for each member what dblock_open() starts and 1 to 4 more.
 * Two connections to each member. Any number of threads may use the client.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_quorum_open(const char *const urls[], size_t n,
						   const struct dblock_client_options *options,
						   struct dblock_client **client,
						   struct dblock_error *err);

/** What a database is in a cluster. */
enum dblock_member_state {
	DBLOCK_MEMBER_UNKNOWN = 0, /**< it could not be looked at */
	DBLOCK_MEMBER_VOTES = 1,
	DBLOCK_MEMBER_NONE = 2, /**< a member of no cluster */
	DBLOCK_MEMBER_NEW = 3,  /**< dblock_quorum_init() was broken off, and is to be done again */
	DBLOCK_MEMBER_CLOSED = 4, /**< a member is being replaced */
	DBLOCK_MEMBER_COPY = 5, /**< restored, or failed over, since it became a member: it may have
				       forgotten votes, and does not vote */
	DBLOCK_MEMBER_REPLACED = 6, /**< another database is in its place, or is being put there */
	DBLOCK_MEMBER_OTHER =
		7 /**< it votes, but not with the others: in another cluster; or it was
					 given twice */
};

/** One member, as it was looked at. Strings live until the callback returns; "" where unknown. */
struct dblock_quorum_member {
	size_t size;   /**< sizeof(struct dblock_quorum_member) of the library */
	int64_t given; /**< which of the URLs, from 1 */
	enum dblock_member_state
		state;       /**< all that follows, up to `newest`, is unknown if this is */
	const char *why;     /**< why it does not vote; "" if it does */
	int64_t code;        /**< DBLOCK_MEMBER_UNKNOWN: the outcome, as of dblock_open() */
	const char *cluster; /**< "": it is in none */
	int64_t number;      /**< that it has in its cluster; it should be `given` */
	int64_t members;     /**< so many the cluster has */
	int64_t epoch;       /**< grows with each member that is replaced */
	int64_t max_ttl_ms;
	const char *history; /**< of its database, when it became a member, */
	const char *newest;  /**< and now; "": another one is to begin */
	/** Who has its vote for the lock, by the lock's own name, or had it last; NULL: no lock was asked for,
	 *  it does not know the name, or it could not be looked at. */
	const struct dblock_holder *holder;
};

/** All of them. */
struct dblock_quorum_state {
	size_t size; /**< sizeof(struct dblock_quorum_state), set by the initialiser */
	char cluster[DBLOCK_CLUSTER_MAX + 1]; /**< that most of them are of; "": none is */
	int64_t epoch, max_ttl_ms;            /**< of that cluster, by its newest word */
	int64_t majority;                     /**< so many are needed, */
	int64_t answering;                    /**< so many could be looked at, */
	int64_t voting;                       /**< and so many vote, together */
	int64_t telling; /**< and so many can tell who has a lock: those, and the ones that are closed,
			      whose grants stay */
	int64_t granted; /**< of the latter, the most that have one holder of the lock; 0: nobody has it */
	char host[256]; /**< of that holder, */
	int64_t pid;    /**< and which process there */
	int64_t token; /**< at which a majority has granted him the lock; 0: none has, or it has yet to
			      agree on one */
	int64_t waiting; /**< so many wait for the lock, in the lines of all members */
};

#define DBLOCK_QUORUM_STATE_INIT                                                                   \
	{                                                                                          \
		sizeof(struct dblock_quorum_state), "", 0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0           \
	}

/** Called for each member, in the order of the URLs. Not 0 ends the call, which then returns that number. */
typedef int dblock_quorum_member_cb(void *arg, const struct dblock_quorum_member *member);

/**
 * Look at the members of a cluster, and at one lock, if it is named. All are asked at once, so that those that do
 * not answer cost the time of one; nothing is written. No snapshot of one moment: of a lock that changes hands
 * meanwhile one member may tell of one holder, and one of the next.
 *
 * @param urls     of all members, in the order of dblock_quorum_init()
 * @param n        how many there are
 * @param name     of the lock; NULL: none
 * @param clients  how to connect, as for dblock_quorum_open(); NULL for defaults. auto_migrate is passed over
 * @param found    called for each member; NULL: only *state is wanted
 * @param state    begins with DBLOCK_QUORUM_STATE_INIT; NULL: not wanted
 * @retval DBLOCK_OK  whatever the members are; also if none answers
 * @retval DBLOCK_E_INVALID  an argument is wrong
 * What the callback returned, if that was not 0.
 * Thread-safe. Blocks: at most timeout_ms for each request. A thread and a connection for each member meanwhile. Two
 * round trips to each once it is open; another one for the lock.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_quorum_status(const char *const urls[], size_t n,
						     const char *name,
						     const struct dblock_client_options *clients,
						     dblock_quorum_member_cb *found, void *arg,
						     struct dblock_quorum_state *state,
						     struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
