/* SPDX-License-Identifier: MIT */
/* Answers scrapes until a signal comes. */
#ifndef DBL_CLI_METRICS_SERVE_H
#define DBL_CLI_METRICS_SERVE_H

#include "cli/metrics/listen.h"
#include "cli/metrics/snapshot.h"
#include "cli/ui/signals.h"

/* Returns an exit code. The signals are blocked. */
int dbl_serve(struct dbl_scraper *, const struct dbl_listeners *, const struct dbl_signals *);

#endif
