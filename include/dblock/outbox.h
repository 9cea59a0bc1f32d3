/* SPDX-License-Identifier: MIT */
/**
 * @file outbox.h  Outbox and inbox: a message is sent if the transaction that wants it sent commits, and what
 * it says is done once.
 *
 * Whoever writes an order in one database and tells another one of it may crash in between: then the order is there,
 * and nobody was told; or the other way round. An outbox closes that hole (the *transactional outbox*): the message
 * is a row, which commits with the order. A relay delivers the rows afterwards, each at least once. An inbox closes the
 * other one (the *idempotent consumer*): in the transaction in which a message's effect is written it is noted, too, so
 * that the second copy of it is known.
 *
 *     dblock_tx_begin(tx, NULL, &err);
 *     ...                                                     INSERT INTO orders ...
 *     dblock_outbox_put(tx, "orders", "customer/17", body, NULL, NULL, &err);
 *     dblock_tx_commit(tx, &err);
 *
 *     dblock_tx_begin(tx, NULL, &err);                        elsewhere, with what came
 *     rc = dblock_inbox_seen(tx, "shop/orders", key, number, id, &err);
 *     if (rc == DBLOCK_OK)
 *             ...                                             UPDATE stock ...
 *     dblock_tx_commit(tx, &err);                             DBLOCK_DONE: it was done before
 *
 * The messages of one key are numbered 1, 2, ... in the order of their transactions' commits, and delivered in that
 * order; those of different keys in any. A key's transactions wait for each other, from the put to their end: let a key be
 * what has to be in order, as a customer, and put last.
 */
#ifndef DBLOCK_OUTBOX_H
#define DBLOCK_OUTBOX_H

#include <dblock/lock.h>
#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_TOPIC_MAX       64        /**< bytes of a topic's name */
#define DBLOCK_MESSAGE_KEY_MAX 255       /**< bytes of a message's key, and of a source's name */
#define DBLOCK_HEADERS_MAX     65536     /**< bytes of a message's headers */
#define DBLOCK_BODY_MAX        1048576   /**< bytes of a message's body */
#define DBLOCK_OUTBOX_AGE_MS   604800000 /**< a week: no message is put behind one that is older */

/**
 * Put a message, which is delivered if, and after, the transaction commits.
 *
 * @param tx       a transaction that has begun, on a database with dblock's tables
 * @param topic    what is delivered together, 1 to DBLOCK_TOPIC_MAX bytes of UTF-8 without control characters
 * @param key      within which messages are in order, 1 to DBLOCK_MESSAGE_KEY_MAX bytes, likewise
 * @param body     at most DBLOCK_BODY_MAX bytes of UTF-8; NULL: ""
 * @param headers  at most DBLOCK_HEADERS_MAX bytes of UTF-8; NULL: ""
 * @param number   gets the message's number among those of its key, if it commits; may be NULL
 * @retval DBLOCK_OK           it is put
 * @retval DBLOCK_E_FULL       a message that is delivered with those of the key has not been for
 *                             DBLOCK_OUTBOX_AGE_MS: nobody delivers them, or it cannot be done
 * @retval DBLOCK_E_CONFLICT   the transaction is to be run again (dblock_tx_run())
 * @retval DBLOCK_E_BLOCKED    another transaction has put one of the same key, and was not over in time
 * @retval DBLOCK_E_INVALID    an argument is wrong; no transaction is open
 * @retval DBLOCK_E_SCHEMA     the tables are missing
 * and as dblock_fence(). Nothing is put unless DBLOCK_OK; the transaction is as it was before. Blocks while another
 * transaction that has put one of the same key is open, for three quarters of the transaction's timeout_ms at most: two
 * that put several keys do so in one order. One round trip on PostgreSQL; seven on MySQL (four for the savepoint and the
 * settings).
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_outbox_put(struct dblock_tx *tx, const char *topic,
						  const char *key, const char *body,
						  const char *headers, int64_t *number,
						  struct dblock_error *err);

/**
 * Note that a message has come, in the transaction in which its effect is written.
 *
 * @param tx      a transaction that has begun, on the consumer's database, with dblock's tables
 * @param source  who sends: a name that is always the same for one topic of one database, and no other's; 1 to
 *                DBLOCK_MESSAGE_KEY_MAX bytes of UTF-8 without control characters
 * @param key     the message's, as are
 * @param number  its number, from 1, and
 * @param id      its id, which is not 0
 * @retval DBLOCK_OK            it is new: do what it says, and commit
 * @retval DBLOCK_DONE          it, or a later one of its key, has been had before: do nothing
 * @retval DBLOCK_E_RESTORED    the message that was had under that number was another one: the source was restored,
 *                              or is another one, and its numbers begin anew. A person has to look: take another name
 *                              for the source, and send again what was lost
 * @retval DBLOCK_E_CONFLICT, DBLOCK_E_BLOCKED, DBLOCK_E_INVALID, DBLOCK_E_SCHEMA
 *                              and others, as dblock_outbox_put()
 * Blocks while another transaction with a message of that key and source is open, likewise. One round trip on
 * PostgreSQL; six on MySQL. A row a key is kept, so nothing of this is ever purged.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_inbox_seen(struct dblock_tx *tx, const char *source,
						  const char *key, int64_t number, int64_t id,
						  struct dblock_error *err);

/* ---- delivering ------------------------------------------------------------------------------ */

/** A message, as it is delivered, or listed. Strings live until the callback returns. */
struct dblock_message {
	size_t size; /**< sizeof(struct dblock_message) of the library */
	const char *topic, *key;
	int64_t number; /**< among those of its key, from 1 */
	int64_t id;     /**< random, not 0: what dblock_inbox_seen() wants, with key and number */
	const char *headers, *body;
	int64_t put_us; /**< when it was put, us since the epoch by the database's clock */
	int64_t tries;  /**< so many deliveries of it have failed */
	int64_t token; /**< fencing token of the lock under which it is delivered: it grows, and a relay
			     that was stopped meanwhile has a smaller one. 0: it is listed */
};

/**
 * Deliver a message, once more perhaps. Runs on the relay's thread, without any mutex held, and may use the client.
 * @return DBLOCK_OK             it is delivered
 * @return DBLOCK_E_UNAVAILABLE  nothing can be delivered now: the relay pauses, and it does not count as tried
 * @return DBLOCK_E_REFUSED      it will never be accepted: its key is parked at once
 * @return another one           it was not delivered; err->message is noted
 */
typedef int dblock_deliver_cb(void *arg, const struct dblock_message *message,
			      struct dblock_error *err);

/** Options of dblock_outbox_relay(). Zero is the default, everywhere. */
struct dblock_relay_options {
	size_t size;      /**< sizeof(struct dblock_relay_options), set by the initialiser */
	bool drain;       /**< return once nothing is left that can be delivered now */
	int64_t tries;    /**< a key is parked after so many that failed; default 10 */
	int64_t pause_ms; /**< between the first two tries, doubled from then on; default 1 s, */
	int64_t pause_max_ms; /**< up to this; default 5 min */
	int64_t batch;   /**< so many are read, and deleted, at once; default 100, at most 1000 */
	int64_t rate;    /**< at most so many a second; default: no limit */
	int64_t poll_ms; /**< how often to look, unless it is woken; default and least 1 s */
	int (*canceled)(
		void *arg); /**< not 0: return. Called every 100 ms, and before each message */
	void *canceled_arg;
	/** A delivery has failed, and is tried again in again_ms; below 0: its key is parked, and
	    nothing of it is delivered any more until dblock_outbox_retry(). On the relay's thread. */
	void (*failed)(void *arg, const struct dblock_message *message,
		       const struct dblock_error *why, int64_t again_ms);
	void *failed_arg;
	/** The database has failed, and the relay goes on once it is back. On the relay's thread. */
	void (*trouble)(void *arg, const struct dblock_error *why);
	void *trouble_arg;
};

#define DBLOCK_RELAY_OPTIONS_INIT                                                                  \
	{                                                                                          \
		sizeof(struct dblock_relay_options), 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL,  \
			NULL, NULL                                                                 \
	}

/**
 * Deliver the messages of a topic: each at least once, those of one key in the order of their numbers. Blocks until it is
 * canceled, or nothing is left (`drain`).
 *
 * Any number of relays may run, in threads, processes and hosts, each with its own call: a topic has eight parts, by key,
 * and each part is one relay's for about a second, under a lock (`dblock/outbox/0/TOPIC` to `7`). A message is deleted
 * after its delivery, so a relay that dies, or whose database fails in between, leaves some that are delivered again; one
 * that is stopped for a while may deliver behind another: where that matters the consumer calls dblock_inbox_seen(). Keys
 * take turns, `batch` messages at a time.
 *
 * A message that cannot be delivered holds up its key, and no other: it is tried again after a pause, which doubles, and
 * after `tries` the key is parked. Where nothing else gets through the consumer is down rather than a message bad: the
 * third try of a message, and each later one, counts only if something was delivered since the one before; and from the
 * third failure in a row on, once they have lasted for `pause_ms`, the relay pauses after each, for `pause_ms`.
 *
 * @param client   not a cluster's, and not one that only looks
 * @param options  NULL for defaults
 * @retval DBLOCK_OK        nothing is left that can be delivered now (`drain`)
 * @retval DBLOCK_CANCELED  `canceled` said so, or dblock_shutdown()
 * @retval DBLOCK_E_INVALID, DBLOCK_E_SCHEMA, DBLOCK_E_DENIED, DBLOCK_E_NOMEM
 * and others that do not pass by themselves. Thread-safe. Two round trips a batch, five for a part of the topic; one a
 * `poll_ms` while there is nothing to do. Woken by dblock_tx_commit() of a client of the same machine, or where
 * notifications come through; else by the poll.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_outbox_relay(struct dblock_client *client, const char *topic,
						    dblock_deliver_cb *deliver, void *arg,
						    const struct dblock_relay_options *options,
						    struct dblock_error *err);

/**
 * Wake the topic's relays: after a COMMIT of your own, on your own connection. dblock_tx_commit() does it by itself where
 * the transaction is on a connection of the client's. Nothing is lost without it: relays look every `poll_ms`.
 * @retval DBLOCK_OK  those that can be reached were told
 * and as dblock_try(). Thread-safe. One round trip; one more for each that no datagram reaches.
 */
DBLOCK_API int dblock_outbox_ring(struct dblock_client *client, const char *topic,
				  struct dblock_error *err);

/* ---- looking, and mending -------------------------------------------------------------------- */

/** What waits to be delivered. Strings live until the callback returns. */
struct dblock_outbox_topic {
	size_t size; /**< sizeof(struct dblock_outbox_topic) of the library */
	const char *topic;
	int64_t messages;
	int64_t oldest_us; /**< when the oldest was put, us since the epoch by the database's clock, */
	int64_t oldest_ms; /**< and how long ago */
	int64_t failing;   /**< so many keys have a message that is tried again, */
	int64_t parked;    /**< and so many one that is not */
};

/** Called for each. Not 0 ends the list, which then returns that. */
typedef int dblock_outbox_topic_cb(void *arg, const struct dblock_outbox_topic *topic);

/**
 * List the topics that have messages, in byte order.
 * @return DBLOCK_OK, what the callback returned, or a failure as dblock_list()
 * Thread-safe. One round trip, which reads the whole outbox.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_outbox_topics(struct dblock_client *client,
						     dblock_outbox_topic_cb *found, void *arg,
						     struct dblock_error *err);

/** A key whose first message could not be delivered. Strings live until the callback returns. */
struct dblock_outbox_failure {
	size_t size; /**< sizeof(struct dblock_outbox_failure) of the library */
	const char *topic, *key;
	int64_t number;   /**< of that message */
	int64_t tries;    /**< so many have failed, */
	int64_t since_us; /**< the first of them then, us since the epoch by the database's clock */
	bool parked;      /**< it is not tried again before dblock_outbox_retry() */
	int64_t due_us;   /**< when it is; parked: 0 */
	int64_t due_ms;   /**< and in how many ms; negative: it is over */
	const char *error; /**< what the last delivery said */
};

typedef int dblock_outbox_failure_cb(void *arg, const struct dblock_outbox_failure *failure);

/**
 * List the keys that have failed, in byte order.
 * @param topic  NULL: of all topics
 * @return as dblock_outbox_topics()
 * Thread-safe. One round trip per 200.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_outbox_failures(struct dblock_client *client,
						       const char *topic,
						       dblock_outbox_failure_cb *found, void *arg,
						       struct dblock_error *err);

typedef int dblock_message_cb(void *arg, const struct dblock_message *message);

/**
 * List the messages of a key that wait, in the order of their numbers.
 * @return as dblock_outbox_topics()
 * Thread-safe. One round trip per 100 messages, or 4 MiB.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_outbox_messages(struct dblock_client *client,
						       const char *topic, const char *key,
						       dblock_message_cb *found, void *arg,
						       struct dblock_error *err);

/**
 * Have keys tried again at once, parked or not, as if nothing had failed; relays are woken.
 * @param key  NULL: all of the topic that have failed
 * @param n    gets how many there were; may be NULL
 * @retval DBLOCK_OK
 * @retval DBLOCK_STALE  none has failed
 * and as dblock_list(). Thread-safe. Two round trips.
 */
DBLOCK_API int dblock_outbox_retry(struct dblock_client *client, const char *topic, const char *key,
				   int64_t *n, struct dblock_error *err);

/**
 * Give up a message, for ever: those behind it are delivered. Its consumer never sees its number, which
 * dblock_inbox_seen() allows.
 * @retval DBLOCK_OK     it is gone
 * @retval DBLOCK_STALE  there is none of that number
 * and as dblock_list(). Thread-safe. Two round trips, and those of dblock_outbox_ring().
 */
DBLOCK_API int dblock_outbox_drop(struct dblock_client *client, const char *topic, const char *key,
				  int64_t number, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
