/* SPDX-License-Identifier: MIT */
/* The same for clusters: see bounded.h. */
#ifndef TESTS_SUPPORT_BOUNDED_CLUSTER_H
#define TESTS_SUPPORT_BOUNDED_CLUSTER_H

#include <dblock/quorum.h>

#include "api/bounded.h"

/* Nobody answers at these. */
static inline int nowhere(const char *cluster, int64_t n,
			  const struct dblock_quorum_options *options, struct dblock_error *err)
{
	static const char *const urls[] = {
		"postgresql://u@127.0.0.1:1/1", "postgresql://u@127.0.0.1:1/2",
		"postgresql://u@127.0.0.1:1/3", "postgresql://u@127.0.0.1:1/4",
		"postgresql://u@127.0.0.1:1/5", "postgresql://u@127.0.0.1:1/6",
		"postgresql://u@127.0.0.1:1/7", "postgresql://u@127.0.0.1:1/8",
		"postgresql://u@127.0.0.1:1/9", "postgresql://u@127.0.0.1:1/10"};
	struct dblock_client_options clients = DBLOCK_CLIENT_OPTIONS_INIT;

	clients.timeout_ms = 50;
	return dblock_quorum_init(urls, (size_t)n, cluster, options, &clients, err);
}

static inline int quorum_members(struct stage *s, int64_t v, struct dblock_error *err)
{
	(void)s;
	return nowhere("c", v, NULL, err);
}

static inline int quorum_cluster(struct stage *s, int64_t v, struct dblock_error *err)
{
	return nowhere(text(s, v), 3, NULL, err);
}

static inline int quorum_max_ttl(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_quorum_options o = DBLOCK_QUORUM_OPTIONS_INIT;

	(void)s;
	o.max_ttl_ms = v;
	return nowhere("c", 3, &o, err);
}

#endif
