/* SPDX-License-Identifier: MIT */
/*
 * The invariants, checked in each world while it runs. A message names the one that is broken:
 *
 *   C1   one name and token have one nonce, and one holder
 *   C2   no two handles on one name are valid at one time, but readers, readers with one that
 *        updates, and permits as many as there are; nor are there such rows at the server
 *   C3   an acquire that begins after another has returned gets a larger token; the server's grow
 *   C4   the guarded resource never accepts two grants with one token, nor falls back, nor refuses
 *        the holder
 *   C6   a call that was in the queue before another asked is granted the lock first, unless its
 *        session looked expired
 *   C7   DEADLOCK comes only if another upgrade was under way; a handle that could not be changed
 *        is as it was
 *   C8   only its own thread re-enters; a release says LOST only of a lock that was lost, and OK
 *        only of one that was not
 *   C10  when the faults are over, everybody gets on
 *   C11  each grant that a client got was made by the server, and stays until its holder lets go
 *   C12  a handle that was seen not valid is not valid again
 *   C13  nothing is left behind: no lock held by nobody, no session, no memory
 *   C14  a grant that is taken away, but not by force, ends, and somebody else is let in, only once
 *        its holder's handle is not valid
 *
 * ASSERT is an assertion of the library (base/assert.h) that failed.
 */
#ifndef TESTS_SIM_CHECK_H
#define TESTS_SIM_CHECK_H

#include <dblock/lock.h>

#include "sim/history.h"

/* Checks C2 and C12 after each step of the world, over all handles that are out. */
void check_beliefs(struct world *);

/* Tells whether the handle is valid now. The library does not notice the question. */
bool check_is_valid(const struct process *, const struct dblock_lock *);

/* Returns until when it would be valid, unless renewed: on its process's clock. */
int64_t check_deadline(const struct dblock_lock *);

/* The callback has said that the lock is lost. */
void check_told(struct world *, const struct belief *);

void check_acquired(struct world *, const struct belief *, int64_t before);
void check_reentered(struct world *, const struct belief *);
void check_granted(struct world *, const struct grant *);

/* An upgrade, or a downgrade to `mode`, of the handle of `was` returned rc. */
void check_upgraded(struct world *, const struct belief *was, const struct belief *, int rc,
		    int64_t before);
void check_downgraded(struct world *, const struct belief *was, const struct belief *, int rc,
		      int64_t mode);

/* Checks C2 over the rows of that name, as the server has them. */
void check_server(struct world *, int name);

/* A later grant stands beside it. Tells whether that was never promised away. */
bool check_may_overlap(struct world *, const struct belief *older);

/* The statement has taken something away, or let somebody in: checks C11 and C14 for all whose
 * handles are valid. */
void check_stays(struct world *, const struct letter *);
void check_given_back(struct world *, int name, int64_t nonce);
void check_write(struct world *, const struct grant *, int64_t token);
void check_refused(struct world *, const struct grant *, int64_t token, bool reads);

/* A release of the handle of `was` returned rc; `valid` says whether it still is valid. */
void check_released(struct world *, const struct belief *was, int rc, bool valid);

/* Call the first when all have given everything back: each client has a session that sends
 * heartbeats, and no session holds anything. Call the second when all are closed: nothing is held.
 */
void check_quiet(struct world *);
void check_no_residue(struct server *);

#endif
