/* SPDX-License-Identifier: MIT */
#include "sql/xid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

void dbl_xid_write(const struct dbl_xid *xid, struct dbl_xid_text *text)
{
	int len = snprintf(text->gtrid, sizeof(text->gtrid), "dblock:%s:%s", xid->home, xid->id);

	DBL_ASSERT(len == DBL_GTRID_LEN, "%d", len);
	(void)snprintf(text->bqual, sizeof(text->bqual), "%s:%u:%" PRId64, xid->history, xid->n,
		       xid->since);
	(void)snprintf(text->all, sizeof(text->all), "%s%s", text->gtrid, text->bqual);
}

static bool is_hex(const char *text, size_t len)
{
	return strlen(text) == len && strspn(text, "0123456789abcdef") == len;
}

bool dbl_xid_read(struct dbl_xid *xid, const char *all)
{
	struct dbl_xid_text text;
	struct dbl_xid read = {.n = 0};

	if (sscanf(all, "dblock:%32[0-9a-f]:%16[0-9a-f]", read.home, read.id) != 2 ||
	    strlen(all) <= DBL_GTRID_LEN ||
	    sscanf(all + DBL_GTRID_LEN, "%32[0-9a-f]:%u:%" SCNd64, read.history, &read.n,
		   &read.since) != 3)
		return false;
	if (read.n < 1 || read.n > DBL_XID_MAX || !is_hex(read.home, 32) || !is_hex(read.id, 16) ||
	    !is_hex(read.history, 32))
		return false;
	dbl_xid_write(&read, &text);
	*xid = read;
	return strcmp(text.all, all) == 0; /* and nothing else */
}
