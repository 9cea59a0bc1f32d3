/* SPDX-License-Identifier: MIT */
/* The settings files: $XDG_CONFIG_HOME/dblock/config, else ~/.config/dblock/config, and
 * /etc/dblock.conf (or what $DBLOCK_CONF names). Lines `key = value`; # begins a comment. */
#ifndef DBL_CLI_SETTINGS_H
#define DBL_CLI_SETTINGS_H

#include "cli/ui/cli.h"

/* Fill what neither an option nor the environment has said: url, schema, prefix. An exit code: a
 * line that is wrong, or a password that others can read, is told with its place. What is filled
 * lives as long as the process. */
int dbl_settings_read(struct dbl_cli *);

#endif
