/* SPDX-License-Identifier: MIT */
/*
 * The storm: processes full of threads that want the same few locks, in every mode, alone and
 * several at once, for some time or with a lease, by the public API only, while they are killed,
 * stopped and cut off, and their server dies. Everybody writes down what he sees, and at the end
 * the checker of tests/history says whether a promise was broken.
 *
 *   DBLOCK_STORM_SECONDS  how long it blows; default 10
 *   DBLOCK_STORM_SEED     decides what happens when; default: any, and it is printed
 *   DBLOCK_STORM_KEEP     an empty folder for the history, which otherwise goes with the test's
 *                         files; `storm judge FOLDER` asks the checker about it once more
 */
#ifndef TESTS_STORM_STORM_H
#define TESTS_STORM_STORM_H

#include <stdint.h>

/* Processes. */
#ifndef STORM_SLOTS
#define STORM_SLOTS 6
#endif

enum { SLOTS = STORM_SLOTS, THREADS = 8, NAMES = 20, TTL_MS = 1500 };

/* Returns the folder in which all write what they see, and which has what the locks protect. */
const char *storm_folder(void);
const char *storm_resource(void);

#endif
