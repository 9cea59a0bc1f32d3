/* SPDX-License-Identifier: MIT */
/* A client, and a connection that looks at the tables behind its back. */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include "support/kit.h"
#include "support/raw.h"

struct scene {
	struct dblock_client *client;
	struct raw *raw;
};

static inline int scene_set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	*state = s;
	s->client = client_new(0);
	s->raw = raw_open(NULL);
	return 0;
}

static inline int scene_tear_down(void **state)
{
	struct scene *s = *state;

	dblock_close(s->client, NULL);
	raw_close(s->raw);
	free(s);
	return 0;
}

#endif
