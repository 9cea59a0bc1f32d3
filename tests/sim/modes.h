/* SPDX-License-Identifier: MIT */
/* What a thread does with modes, in a world with modes. */
#ifndef TESTS_SIM_MODES_H
#define TESTS_SIM_MODES_H

#include <dblock/dblock.h>

#include "sim/world.h"

/* Chooses how to ask for this name; mostly so that it fits the name's kind. */
void modes_spec(struct process *, int name, struct dblock_acquire_options *);

/* Tells whether INVALID may be the outcome: the mode does not fit the name, or the thread, or
 * owner, has it in a weaker mode. */
bool modes_may_be_invalid(struct process *, int name, const struct dblock_acquire_options *);

/* Stores another capacity of a semaphore. */
void modes_resize(struct process *);

/* The capacity that is stored; -1: none is. */
int64_t modes_stored(struct world *, const struct dbl_value *name);

/* Makes the handle exclusive, or weaker, if it can be changed at all. */
void modes_upgrade(struct process *, struct dblock_lock *, int64_t wait_ms);
void modes_downgrade(struct process *, struct dblock_lock *);

/* When the faults are over, threads that all want the same lock still get on: rule C10. */
void modes_rush(struct process *);

/* Acquires "name" or the next one, each in some mode, waiting or not; *name becomes the one that it has got, and
 * *before what history has of that from before the call. Else as dblock_acquire_any(); but that the thread holds
 * one of them already is as if it were busy. */
int modes_any(struct process *, int *name, int64_t *before, bool waits,
	      const struct dblock_acquire_options *, struct dblock_lock **, struct dblock_error *);

#endif
