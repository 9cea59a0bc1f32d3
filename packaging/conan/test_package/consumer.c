/* SPDX-License-Identifier: MIT */
#include <dblock/dblock.h>
#include <stdio.h>

int main(void)
{
	printf("dblock %s: %s\n", dblock_version(), dblock_drivers());
	return 0;
}
