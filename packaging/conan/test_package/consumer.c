/* SPDX-License-Identifier: MIT */
#include <dblock/dblock.h>
#include <stdio.h>
#ifdef WITH_MIGRATIONS
#include "migrations.h"
#endif

int main(void)
{
	printf("dblock %s: %s\n", dblock_version(), dblock_drivers());
#ifdef WITH_MIGRATIONS
	printf("%zu migration: %s\n", migrations_count, migrations[0].name);
#endif
	return 0;
}
