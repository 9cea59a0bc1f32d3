/* SPDX-License-Identifier: MIT */
#include "base/version.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/err.h"

bool dbl_version_before(const char *version, const char *least)
{
	while (isdigit((unsigned char)*version) && isdigit((unsigned char)*least)) {
		char *version_end, *least_end;
		long ours = strtol(least, &least_end, 10);
		long theirs = strtol(version, &version_end, 10);

		if (theirs != ours)
			return theirs < ours;
		version = version_end + (*version_end == '.');
		least = least_end + (*least_end == '.');
	}
	return false;
}

int dbl_version_check(const char *what, const char *version, const char *least, const char *remedy,
		      struct dblock_error *err)
{
	if (!dbl_version_before(version, least))
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"%s %.60s is too old for dblock, which needs %s or newer; %s", what,
			version, least, remedy);
}
