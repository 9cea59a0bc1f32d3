/* SPDX-License-Identifier: MIT */
/* Are the library's own tables what its files make? */
#include "migrate/history/history.h"

static const struct {
	enum dbl_op op;
	const char *table;
} shapes[] = {
	{DBL_OP_shape_session, "session"}, {DBL_OP_shape_lock, "lock"},
	{DBL_OP_shape_floor, "floor"},     {DBL_OP_shape_queue, "queue"},
	{DBL_OP_shape_once, "once"},       {DBL_OP_shape_request, "request"},
	{DBL_OP_shape_flight, "flight"},   {DBL_OP_shape_revocation, "revocation"},
	{DBL_OP_shape_suspect, "suspect"},
};

int dbl_shape_check(struct dbl_runner on, struct dblock_error *err)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct dbl_request request = {.op = shapes[i].op, .deadline = on.deadline};
		bool there;
		int rc = dbl_table_exists(on, shapes[i].table, &there, err);

		if (rc == 0 && there)
			rc = on.run(on.on, &request, err);
		if (rc)
			return dbl_is_shape_error(rc)
				       ? dbl_foreign_table(on.target, shapes[i].table, err)
				       : rc;
	}
	return 0;
}
