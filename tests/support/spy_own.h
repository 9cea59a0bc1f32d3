/* SPDX-License-Identifier: MIT */
/* Inside spy.c and spy_letter.c. */
#ifndef TESTS_SUPPORT_SPY_OWN_H
#define TESTS_SUPPORT_SPY_OWN_H

#include "support/spy.h"

/* The request is on its way, instead of the one that was before. */
void spy_letter_keep(struct spy *, const char *sql, const struct dbl_value *args, unsigned n);

void spy_letter_clear(struct spy_letter *);

#endif
