/* SPDX-License-Identifier: MIT */
/* Taking away what somebody holds: a thread does so, and the server's side knows of it. */
#ifndef TESTS_SIM_TAKE_H
#define TESTS_SIM_TAKE_H

#include "sim/world.h"

/* Calls dblock_break() for a name by chance: by force, or waiting for the holder. */
void take_any(struct process *);

/* Calls dblock_release_token(). */
int take_token(struct process *, int name, int64_t token, struct dblock_error *);

/* Calls dblock_break() by force, whatever happens to the holder. */
int take_by_force(struct process *, int name, struct dblock_error *);

/* ---- at the server ---- */

/* A client has read who holds the name, in order to take it away: its own lock is lost at once,
 * before the database knows. */
void take_read(struct world *, const struct letter *);

/* It is written that a grant is taken away. */
void take_marked(struct world *, const struct letter *);

/* A grant ends, and not by its holder. NULL: there is no such grant. */
void take_freed(struct world *, const struct letter *, struct grant *);

/* Tells whether a lease was taken away and no client was left to hear of it. */
bool take_is_unheard(const struct belief *);

/* Tells whether the holder may hear of it before its release does. */
bool take_may_be_heard(const struct belief *);

#endif
