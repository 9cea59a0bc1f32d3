/* SPDX-License-Identifier: MIT */
/* Are the library's own tables what its files make? */
#include "migrate/history/history.h"

/* The version that last changed a table is the first at which its shape can be checked. */
static const struct {
	int64_t version;
	enum dbl_op op;
	const char *table;
} shapes[] = {
	{1, DBL_OP_shape_session, "session"},
	{2, DBL_OP_shape_lock, "lock"},
	{3, DBL_OP_shape_floor, "floor"},
	{6, DBL_OP_shape_waiter, "waiter"},
	{8, DBL_OP_shape_queue, "queue"},
	{13, DBL_OP_shape_once, "once"},
	{14, DBL_OP_shape_request, "request"},
	{15, DBL_OP_shape_flight, "flight"},
	{16, DBL_OP_shape_revocation, "revocation"},
	{18, DBL_OP_shape_suspect, "suspect"},
};

int dbl_shape_check(const struct dbl_runner *runner, int64_t version, struct dblock_error *err)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct dbl_request request = {.op = shapes[i].op, .deadline = runner->deadline};
		int rc;

		if (shapes[i].version != version)
			continue;
		rc = runner->run(runner->on, &request, err);
		if (rc)
			return dbl_is_shape_error(rc)
				       ? dbl_foreign_table(runner->target, shapes[i].table, err)
				       : rc;
	}
	return 0;
}
