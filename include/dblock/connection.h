/* SPDX-License-Identifier: MIT */
/**
 * @file connection.h  How a client's session stands: connected, in doubt, lost; and its id.
 *
 * Set `state_changed` in struct dblock_client_options (client.h) to be told.
 */
#ifndef DBLOCK_CONNECTION_H
#define DBLOCK_CONNECTION_H

#include <dblock/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dblock_client;

/**
 * A session's state, by its heartbeats.
 *
 *                     a heartbeat failed             one got through
 *     CONNECTED, RECONNECTED ------> SUSPENDED ----------------> RECONNECTED
 *               \                        |
 *                \  it is over           | it is over, or its time is
 *                 +----------------------+-> LOST -> CONNECTED: with a new session
 */
enum dblock_connection_state {
	/** There is none: the client only looks (observe), or is the parent process's, or NULL. */
	DBLOCK_STATE_NONE = 0,
	/** A new session has begun: by dblock_open(), or after a loss. It holds nothing yet. */
	DBLOCK_STATE_CONNECTED = 1,
	/** A heartbeat failed, and is tried again. What is held is held as long as dblock_valid()
	    says so; calls that need the database may fail. */
	DBLOCK_STATE_SUSPENDED = 2,
	/** A heartbeat got through again, in time: it is the same session, and nothing was lost. */
	DBLOCK_STATE_RECONNECTED = 3,
	/** The session is over, and so are the locks that lived by it; leases go on. A new session is
	    opened as soon as that can be. */
	DBLOCK_STATE_LOST = 4
};

/** The state at this moment. LOST from the moment on at which dblock_valid() says that nothing is
 * held any more, which may be a little before `state_changed` is told. Thread-safe, does not block, no
 * round trip. */
DBLOCK_API enum dblock_connection_state dblock_connection_state_of(
	const struct dblock_client *client);

#define DBLOCK_SESSION_ID_SIZE 33 /**< bytes, with the 0 at the end */

/**
 * The id of the client's session, as dblock_list() and `dblock ls --json` show it: the same until the
 * session is lost, and another one then.
 * @param id     filled in; "" on failure
 * @retval DBLOCK_OK         it is the session's, or that of the last one while there is none
 * @retval DBLOCK_E_INVALID  client or id is NULL, or it only looks (observe) and has no session
 * @retval DBLOCK_E_FORKED   the client is the parent process's
 * Thread-safe, does not block, no round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_session_id(const struct dblock_client *client,
						  char id[DBLOCK_SESSION_ID_SIZE],
						  struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
