/* SPDX-License-Identifier: MIT */
/* On MySQL a statement that wants a row which somebody has locked waits for it for a second before
 * it gives up; whatever else its client asks with that connection waits behind it. */
#ifndef TESTS_HISTORY_ROW_WAITS_H
#define TESTS_HISTORY_ROW_WAITS_H

#include "history/obstacles.h"

/* For how long may that have kept this call between then and then? It had no answer meanwhile, and
 * somebody who has a row locked was stopped, cut off, or has it fenced. What other threads of its
 * client were told says nothing: they may have the client's other connection. At most two waits in
 * a row, and as long as others stood still. */
int64_t row_waits(const struct story *, const struct call *, const struct span *);

#endif
