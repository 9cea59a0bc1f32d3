/* SPDX-License-Identifier: MIT */
/**
 * @file doctor.h  Is this database fit for locks? Says what was found, and what to do about it.
 */
#ifndef DBLOCK_DOCTOR_H
#define DBLOCK_DOCTOR_H

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dblock_severity {
	DBLOCK_FINDING_OK = 0,      /**< as it should be, or good to know */
	DBLOCK_FINDING_WARNING = 1, /**< works, but promises less than it could */
	DBLOCK_FINDING_WRONG = 2    /**< locks do not work, or not as promised */
};

/** One finding. Strings live until the callback returns. */
struct dblock_finding {
	size_t size; /**< sizeof(struct dblock_finding) of the library */
	enum dblock_severity severity;
	const char *topic;  /**< one word: "server", "schema", "rights", "clock", ... */
	const char *text;   /**< one line in English */
	const char *remedy; /**< what to do about it; "" if there is nothing to do */
};

/** Called for each finding. Not 0 ends the examination, which then returns that number. */
typedef int dblock_finding_cb(void *arg, const struct dblock_finding *finding);

/**
 * Examine a database: server and version, schema, rights, whether it can be written, clock,
 * isolation, durability, replication, poolers; for a SQLite file its file system and its WAL.
 * Reads, and runs writes that touch no row, inside transactions that are rolled back.
 *
 * @param options  as for dblock_open(): prefix, schema, timeout_ms for the whole examination
 * @param found    called for each finding, topic by topic
 * @retval DBLOCK_OK  everything was looked at, whatever was found
 * @retval DBLOCK_E_UNAVAILABLE and the other failures of dblock_open(): it could not be looked at
 * What the callback returned, if that was not 0.
 * Thread-safe. Blocks. Two connections, both closed at the end; some 40 round trips.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_doctor(const char *url,
					      const struct dblock_client_options *options,
					      dblock_finding_cb *found, void *arg,
					      struct dblock_error *err);

/** The severity's name: "ok", "warning", "wrong". Static; thread-safe; no round trip. */
DBLOCK_API const char *dblock_severity_name(enum dblock_severity severity);

#ifdef __cplusplus
}
#endif
#endif
