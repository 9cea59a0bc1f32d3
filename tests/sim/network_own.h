/* SPDX-License-Identifier: MIT */
/* The parts between the two ends of a connection. */
#ifndef TESTS_SIM_NETWORK_OWN_H
#define TESTS_SIM_NETWORK_OWN_H

#include "sim/world.h"

/* Sends the letter, with all that happens to it on the way. */
void network_send(struct world *, struct letter *);

/* The letter has arrived (server.c). Not 0: it has to wait for so many us. */
int64_t server_take(struct world *, struct letter *);

#endif
