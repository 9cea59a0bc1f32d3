/* SPDX-License-Identifier: MIT */
/* The commands of `dblock pool`. */
#ifndef DBL_CLI_POOL_H
#define DBL_CLI_POOL_H

#include <dblock/pool.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

extern const struct dbl_command dbl_command_pool_ls;
extern const struct dbl_command dbl_command_pool_add;
extern const struct dbl_command dbl_command_pool_drain;
extern const struct dbl_command dbl_command_pool_remove;
extern const struct dbl_command dbl_command_pool_resize;

#endif
