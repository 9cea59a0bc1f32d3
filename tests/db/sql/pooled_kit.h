/* SPDX-License-Identifier: MIT */
/* Clients are told by the URL that a pooler is in between. */
#ifndef TESTS_DB_SQL_POOLED_KIT_H
#define TESTS_DB_SQL_POOLED_KIT_H

#include "support/puppet.h"

/* Each client is told of a pooler from now on, or of something else. */
static inline void tell(const char *what)
{
	static char url[1024];

	if (!*url)
		snprintf(url, sizeof(url), "%s", test_url());
	if (what) {
		char told[1100];

		snprintf(told, sizeof(told), "%s&pool=%s", url, what);
		setenv("DBLOCK_TEST_URL", told, 1);
	} else {
		setenv("DBLOCK_TEST_URL", url, 1);
	}
}

static inline int set_up(void **state)
{
	*state = NULL;
	tell(NULL);
	dblock_close(client_new(0), NULL);
	tell("transaction");
	return 0;
}

#endif
