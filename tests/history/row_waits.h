/* SPDX-License-Identifier: MIT */
/* On MySQL a statement that wants a row which somebody has locked waits for it for a second before
 * it gives up; whatever else its client asks on that connection waits behind it. */
#ifndef TESTS_HISTORY_ROW_WAITS_H
#define TESTS_HISTORY_ROW_WAITS_H

#include "history/obstacles.h"

/* Returns for how long such waits may have kept this call in the span: it had no answer meanwhile,
 * and a process that has a row locked was stopped, cut off, or has it fenced. Answers to other
 * threads of its client prove nothing: they may use the client's other connection. At most two
 * waits in a row count, and as long as others stood still. */
int64_t row_waits(const struct story *, const struct call *, const struct span *);

#endif
