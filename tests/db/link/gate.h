/* SPDX-License-Identifier: MIT */
/* A crowd meets at a client's connection: one request keeps it while the others come. */
#ifndef TESTS_SUPPORT_GATE_H
#define TESTS_SUPPORT_GATE_H

#include "api/client.h"
#include "driver/value.h"
#include "support/spy.h"

enum { CROWD = 12 };

/* The state of the statement that keeps the connection. */
static atomic_bool gate_shut, gate_reached;
static enum spy_fate (*gate_fate)(struct spy *, enum dbl_op);

static inline enum spy_fate gate_keeper(struct spy *spy, enum dbl_op op)
{
	if (op == DBL_OP_show) {
		gate_reached = true;
		while (gate_shut)
			sleep_ms(1);
	}
	return gate_fate ? gate_fate(spy, op) : SPY_PASS;
}

static inline int gate_row(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 0;
}

static inline void *gate_body(void *client)
{
	/* The name does not exist: the request alone matters. */
	return dblock_show(client, "nobody's", gate_row, NULL, NULL) ? NULL : client;
}

/* Runs `body` in CROWD threads, with args[i], on a connection that is busy until all have come, or
 * nearly all: nobody sees from outside how many wait. */
static inline void gate_crowd(struct dblock_client *client, struct spy *spy, void *(*body)(void *),
			      void *args, size_t size)
{
	struct crew crew = {.n = 0}, keeper = {.n = 0};

	gate_reached = false;
	gate_shut = true;
	atomic_store(&spy->fate, gate_keeper);
	crew_add(&keeper, gate_body, client);
	while (!gate_reached)
		sleep_ms(1);
	for (int i = 0; i < CROWD; i++)
		crew_add(&crew, body, (char *)args + (size_t)i * size);
	sleep_ms(20);
	spy_reset(spy);
	gate_shut = false;
	crew_join(&crew);
	crew_join(&keeper);
	atomic_store(&spy->fate, NULL);
}

#endif
