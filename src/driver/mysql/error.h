/* SPDX-License-Identifier: MIT */
/* What MySQL's and MariaDB's error numbers mean, as one table; knows no client library. */
#ifndef DBL_DRIVER_MYSQL_ERROR_H
#define DBL_DRIVER_MYSQL_ERROR_H

#include <stdbool.h>

struct dbl_mysql_verdict {
	int code;    /* a DBLOCK_E_* */
	bool lost;   /* the reply is lost: nobody knows whether it was carried out */
	bool broken; /* the connection can only be closed */
};

/* writes: the statement that was under way may have changed something. */
struct dbl_mysql_verdict dbl_mysql_judge(unsigned native, bool writes);

/* Does it mean that the whole server takes no writes, so that another one may be the primary now? */
bool dbl_mysql_is_read_only(unsigned native);

#endif
