/* SPDX-License-Identifier: MIT */
#include <dblock/version.h>

#include "sql/dialect.h"

const char *dblock_version(void)
{
	return DBLOCK_VERSION_STRING;
}

const char *dblock_drivers(void)
{
	return dbl_dialect_names();
}
