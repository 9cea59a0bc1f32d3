/* SPDX-License-Identifier: MIT */
/* Help texts, on stdout. */
#ifndef DBL_CLI_HELP_H
#define DBL_CLI_HELP_H

#include "cli/ui/cli.h"

void dbl_help_all(const struct dbl_cli *);

/* group: that it is one of; or NULL. */
void dbl_help_command(const struct dbl_command *group, const struct dbl_command *);

#endif
