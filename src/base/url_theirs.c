/* SPDX-License-Identifier: MIT */
/* URLs as other tools and drivers write them: what to write instead. Nothing of them is shown but a
 * scheme that is known, as any other part may be a password. */
#include "base/url_own.h"

#define OTHER " (but dblock is tested on PostgreSQL itself only)"

static const struct {
	const char *scheme, *instead;
} theirs[] = {
	{"pg", "write postgresql://"},
	{"pgx", "write postgresql://"},
	{"pgx4", "write postgresql://"},
	{"pgx5", "write postgresql://"},
	{"pgsql", "write postgresql://"},
	{"mysql2", "write mysql://"},
	{"trilogy", "write mysql://"},
	{"sqlite3", "write sqlite:PATH"},
	{"file", "write sqlite:PATH"},
	{"cockroach", "write postgresql://" OTHER},
	{"cockroachdb", "write postgresql://" OTHER},
	{"crdb-postgres", "write postgresql://" OTHER},
	{"yugabyte", "write postgresql://" OTHER},
	{"yugabytedb", "write postgresql://" OTHER},
	{"redshift", "write postgresql://" OTHER},
	{"jdbc", "leave that out, and write user:password@ before the host, not ?user= behind it"},
};

static bool has(struct span text, const char *what)
{
	size_t len = strlen(what);

	for (const char *at = text.from; text.to - at >= (ptrdiff_t)len; at++) {
		if (memcmp(at, what, len) == 0)
			return true;
	}
	return false;
}

/* SQLAlchemy names the driver as well: postgresql+psycopg2. The plus, if it is that. */
static const char *driver_of(const char *scheme)
{
	static const char *const ours[] = {"postgresql", "postgres", "mysql", "mariadb", "sqlite"};
	const char *plus = strchr(scheme, '+');

	for (size_t i = 0; plus && i < sizeof(ours) / sizeof(ours[0]); i++) {
		size_t len = strlen(ours[i]);

		if ((size_t)(plus - scheme) == len && strncmp(ours[i], scheme, len) == 0)
			return plus;
	}
	return NULL;
}

static int refuse_driver(const char *scheme, const char *plus, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_INVALID, "URL: unknown scheme '%s:'; leave out '%s'", scheme,
			plus);
}

int dbl_url_refuse_theirs(const struct dbl_url *url, struct span rest, struct dblock_error *err)
{
	const char *plus = driver_of(url->scheme);

	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
		if (strcmp(theirs[i].scheme, url->scheme) == 0)
			return dbl_fail(err, DBLOCK_E_INVALID, "URL: unknown scheme '%s:'; %s",
					url->scheme, theirs[i].instead);
	}
	if (plus)
		return refuse_driver(url->scheme, plus, err);
	/* user:password@tcp(host)/database: what looks like a scheme is a user. */
	if (strncmp(rest.from, "//", 2) != 0 && (has(rest, "@tcp(") || has(rest, "@unix(")))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: that is a DSN of Go's driver; write "
				"mysql://user:password@host:port/database, or ?socket=PATH");
	return 0;
}
