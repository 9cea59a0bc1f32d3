/* SPDX-License-Identifier: MIT */
/**
 * @file trace.h  What a client's calls did, each as a span of time: enough for OpenTelemetry.
 *
 * Set `trace` in struct dblock_client_options (client.h). examples/otel_trace.c makes OTLP of it.
 */
#ifndef DBLOCK_TRACE_H
#define DBLOCK_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a span is of. A later version may know more: pass over what you do not. */
enum dblock_phase {
	/** A call that does not wait: dblock_try(), dblock_try_all(), and so on. */
	DBLOCK_PHASE_TRY = 0,
	/** A call that may wait for the lock, or a wait in steps, from its begin to its last step. */
	DBLOCK_PHASE_ACQUIRE = 1,
	/** The time for which a lock was held: from its grant to its last release. Told by the thread
	    that releases, before that release's own span. `outcome`: DBLOCK_OK, or DBLOCK_LOST: it
	    had been lost when it was released. */
	DBLOCK_PHASE_HOLD = 2,
	DBLOCK_PHASE_RELEASE = 3,  /**< dblock_release(), or its _begin */
	DBLOCK_PHASE_EXTEND = 4,   /**< dblock_extend(), or its _begin */
	DBLOCK_PHASE_HEARTBEAT = 5 /**< one of the session's; `name` is "", `token` 0. A client of a
				      cluster (quorum.h) has sessions at its members, and tells none */
};

/** One span. Strings live until the callback returns. */
struct dblock_span {
	size_t size; /**< sizeof(struct dblock_span) of the library */
	enum dblock_phase phase;
	int outcome; /**< what the call returned: an enum dblock_outcome; see DBLOCK_PHASE_HOLD */
	const char *name; /**< of the lock; of several names all of them, "a, b, c" */
	int64_t token;    /**< of the grant; 0: none was had */
	/** Microseconds since the epoch, by this machine's wall clock as it is when the span ends;
	    end_us - start_us is the span's length by a clock that nobody sets. */
	int64_t start_us;
	int64_t end_us;
};

#ifdef __cplusplus
}
#endif
#endif
