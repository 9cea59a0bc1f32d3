/* SPDX-License-Identifier: MIT */
/**
 * @file modes.h  The mode of a lock that is held: another one, or which. Part of lock.h.
 */
#ifndef DBLOCK_MODES_H
#define DBLOCK_MODES_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of dblock_upgrade(). Zero is the default, everywhere. */
struct dblock_upgrade_options {
	size_t size;     /**< sizeof(struct dblock_upgrade_options), set by the initialiser */
	int64_t wait_ms; /**< for other holders to let go; default: DBLOCK_FOREVER */
	int (*canceled)(void *arg); /**< as in struct dblock_acquire_options */
	void *canceled_arg;
	int64_t deadlock_ms; /**< likewise */
};

#define DBLOCK_UPGRADE_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_upgrade_options), 0, NULL, NULL, 0                            \
	}

/**
 * Make a shared or update grant exclusive. It is held all the while; nobody who asks later gets it
 * before, and nobody writes between. Its fencing token is a larger one then. Only one holder of a
 * name can wait for that: two would wait for each other. So who reads what it will write asks for
 * DBLOCK_UPDATE in the first place.
 * @retval DBLOCK_OK        exclusive now (also if it was)
 * @retval DBLOCK_DEADLOCK  another holder is upgrading, or as dblock_acquire(): release, and
 *                          acquire anew
 * @retval DBLOCK_TIMEOUT, DBLOCK_BUSY, DBLOCK_CANCELED  still held as it was
 * @retval DBLOCK_LOST      it had been lost before
 * @retval DBLOCK_FENCED    a transaction that is open has fenced it; held as it was
 * @retval DBLOCK_E_INVALID it holds permits, or has a lease of its own
 * Otherwise as dblock_acquire(). For one thread at a time, and not while another releases it.
 * Blocks. Five round trips (six on MySQL) where nobody else holds it.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_upgrade(struct dblock_lock *lock,
					       const struct dblock_upgrade_options *options,
					       struct dblock_error *err);

/**
 * Go on in a weaker mode: from exclusive to update or shared, from update to shared. Nobody has it
 * in between, and the fencing token stays. Those who wait for that are granted it.
 * @param mode  DBLOCK_UPDATE or DBLOCK_SHARED
 * @retval DBLOCK_OK        held in that mode now (also if it was)
 * @retval DBLOCK_LOST      it had been lost before
 * @retval DBLOCK_FENCED    a transaction that is open has fenced it; held as it was
 * @retval DBLOCK_E_INVALID it is not held in a stronger mode, or holds permits
 * @retval DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_BLOCKED  if the answer
 *                          was lost, the lock counts as lost, and is given back; else nothing has
 *                          changed. dblock_valid() tells
 * For one thread at a time, and not while another releases it. Blocks. Three round trips (four on
 * MySQL), two from update or after an upgrade.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_downgrade(struct dblock_lock *lock, enum dblock_mode mode,
						 struct dblock_error *err);

/** How it is held. Thread-safe. No round trip. */
DBLOCK_API enum dblock_mode dblock_mode_of(const struct dblock_lock *lock);

#ifdef __cplusplus
}
#endif
#endif
