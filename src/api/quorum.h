/* SPDX-License-Identifier: MIT */
/* The client of several databases, as src/api sees it. */
#ifndef DBL_API_QUORUM_H
#define DBL_API_QUORUM_H

#include <dblock/quorum.h>

#include "api/client.h"

/* As dblock_quorum_open(), with an environment of the caller's. */
int dbl_client_quorum_open(const char *const urls[], size_t n, const struct dblock_client_options *,
			   const struct dbl_env *, struct dblock_client **,
			   struct dblock_error *err);

/* Check URLs, and read the options by which each is opened, as dblock_quorum_open() does. */
int dbl_quorum_options_read(struct dblock_client_options *, struct dblock_tuning *,
			    const char *const urls[], size_t n,
			    const struct dblock_client_options *given, struct dblock_error *err);

/* As dblock_quorum_status(), with an environment of the caller's. */
int dbl_client_quorum_status(const char *const urls[], size_t n, const char *name,
			     const struct dblock_client_options *, const struct dbl_env *,
			     dblock_quorum_member_cb *found, void *arg,
			     struct dblock_quorum_state *, struct dblock_error *err);

/* As dblock_close(), of such a client. */
int dbl_client_quorum_close(struct dblock_client *, struct dblock_error *err);

#endif
