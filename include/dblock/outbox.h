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

#ifdef __cplusplus
}
#endif
#endif
