/* SPDX-License-Identifier: MIT */
#include "cli/migrate/import/formats.h"

/* Of the weak ones, the first that fits is meant. */
const struct dbl_format dbl_formats[] = {
	{"goose", false, dbl_goose_is, dbl_goose_read},
	{"dbmate", false, dbl_dbmate_is, dbl_dbmate_read},
	{"Flyway", false, dbl_flyway_is, dbl_flyway_read},
	{"Liquibase", false, dbl_liquibase_is, dbl_liquibase_read},
	{"diesel", false, dbl_diesel_is, dbl_diesel_read},
	{"Prisma", false, dbl_prisma_is, dbl_prisma_read},
	{"Sourcegraph", false, dbl_sourcegraph_is, dbl_sourcegraph_read},
	{"Rails", false, dbl_rails_is, dbl_rails_read},
	{"golang-migrate", true, dbl_pairs_is, dbl_plain_read},
	{"sqlx", true, dbl_plain_is, dbl_plain_read},
	{NULL, false, NULL, NULL},
};
