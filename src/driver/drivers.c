/* SPDX-License-Identifier: MIT */
#include "driver/driver.h"

const struct dbl_driver *const dbl_drivers[] = {
#ifdef DBLOCK_WITH_SQLITE
	&dbl_sqlite,
#endif
#ifdef DBLOCK_WITH_POSTGRESQL
	&dbl_postgresql,
#endif
#ifdef DBLOCK_WITH_MYSQL
	&dbl_mysql,
#endif
	NULL,
};
