/* SPDX-License-Identifier: MIT */
/* Taking away what somebody holds: a thread that does so, and what is known of it at the server. */
#ifndef TESTS_SIM_TAKE_H
#define TESTS_SIM_TAKE_H

#include "sim/world.h"

/* dblock_break() of a name by chance: by force, or waited for. */
void take_any(struct process *);

/* dblock_release_token(). */
int take_token(struct process *, int name, int64_t token, struct dblock_error *);

/* dblock_break() by force, whatever becomes of who holds it. */
int take_by_force(struct process *, int name, struct dblock_error *);

/* ---- at the server ---- */

/* A client has read who holds the name, in order to take it away: what is its own is lost at once,
 * before the database knows. */
void take_read(struct world *, const struct letter *);

/* It is written that a grant is taken away. */
void take_marked(struct world *, const struct letter *);

/* A grant ends, and not by its holder. NULL: there is no such grant. */
void take_freed(struct world *, const struct letter *, struct grant *);

/* A lease that was taken away, and no client was left to hear of it. */
bool take_is_unheard(const struct belief *);

/* May the holder hear of it before its release says so? */
bool take_may_be_heard(const struct belief *);

#endif
