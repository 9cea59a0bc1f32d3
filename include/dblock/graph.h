/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h  For operators: who waits for whom.
 */
#ifndef DBLOCK_GRAPH_H
#define DBLOCK_GRAPH_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A thread that holds or wants a lock. "" where unknown. Frozen. */
struct dblock_graph_node {
	const char *host;
	int64_t pid;
	int64_t thread; /**< as the kernel shows it; 0: no thread's, but an explicit owner's, or a wait's (wait.h) */
	const char *app;     /**< of its client */
	const char *session; /**< id of its client's session; "" if a lease has the lock */
};

/** Why one waits for the other. */
enum dblock_edge_kind {
	DBLOCK_EDGE_HELD = 0,   /**< it holds the lock, in a mode that does not go with the one that
				    is   wanted */
	DBLOCK_EDGE_IN_LINE = 1 /**< it waits as well, and is next before it in the queue */
};

/** An edge of the wait-for graph, as read. Strings live until the callback returns. */
struct dblock_edge {
	size_t size;      /**< sizeof(struct dblock_edge) of the library */
	const char *name; /**< the lock */
	enum dblock_edge_kind kind;
	struct dblock_graph_node from, to; /**< who waits, and for whom */
	enum dblock_mode wanted;           /**< by the one that waits: */
	int64_t permits;                   /**< if that is DBLOCK_PERMITS: so many */
	bool upgrade;                      /**< of what it holds already */
	bool blocks; /**< its thread does nothing else meanwhile. Only such waits make a deadlock */
	int64_t since_us;      /**< when it joined the queue, by the database's clock */
	enum dblock_mode held; /**< in which mode the other one holds the lock, or waits for it */
	int64_t held_permits;
	bool lease;    /**< it holds it until its own end: that is no deadlock either */
	int64_t token; /**< of its grant; 0: in the queue */
};

/** Called for each edge. Not 0 ends the graph, which then returns that number. */
typedef int dblock_edge_cb(void *arg, const struct dblock_edge *edge);

/** Options of dblock_graph(). Zero means the default, everywhere. */
struct dblock_graph_options {
	size_t size;         /**< sizeof(struct dblock_graph_options), set by the initialiser */
	const char *pattern; /**< of names, as in struct dblock_list_options; default: all */
};

#define DBLOCK_GRAPH_OPTIONS_INIT                                                                  \
	{                                                                                          \
		sizeof(struct dblock_graph_options), NULL                                          \
	}

/**
 * Who waits for whom, as it was at one moment: names in byte order, and in each who came first.
 * Those whose session is dead wait for nobody.
 * @return DBLOCK_OK, what the callback returned, or a failure as dblock_try()
 * Thread-safe; the callback runs without any mutex held and may use the client. One round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_graph(struct dblock_client *client,
					     const struct dblock_graph_options *options,
					     dblock_edge_cb *found, void *arg,
					     struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
