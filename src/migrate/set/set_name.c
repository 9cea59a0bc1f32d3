/* SPDX-License-Identifier: MIT */
/* Reads names of files: NNNN_name.up.sql, NNNN_name.down.sql, NNNN_name.sql. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/sha256.h"
#include "base/sqlscan.h"
#include "migrate/set/set_own.h"

bool dbl_migration_name_fits(const char *name, size_t len)
{
	if (len == 0 || len > DBL_MIGRATION_NAME_MAX || !dbl_sql_is_word(name[0]) || name[0] == '_')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!dbl_sql_is_word(name[i]) && name[i] != '.' && name[i] != '-')
			return false;
	}
	return true;
}

/* Whether the name is one of Flyway's: V2__x.sql, U2__x.sql, B2.1__x.sql, R__x.sql. */
static bool is_flyway(const char *file)
{
	const char *version = file + 1, *end = file[0] ? strstr(version, "__") : NULL;

	return end && strchr("VUBR", file[0]) &&
	       strspn(version, "0123456789._") >= (size_t)(end - version);
}

static int misnamed(const char *file, struct dblock_error *err)
{
	if (is_flyway(file))
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"this is a file of Flyway; 'dblock migrate import DIR --to OUT' makes "
			"NNNN_name.up.sql of it, and NNNN_name.down.sql of what undoes it");
	return dbl_fail(err, DBLOCK_E_INVALID,
			"this is no name for a migration; call it NNNN_name.up.sql, and what "
			"undoes it NNNN_name.down.sql, or, to repeat it when it changes, "
			"R_name.sql (name: at most %d of A-Z a-z 0-9 _ . -), or let it not end in "
			".sql",
			DBL_MIGRATION_NAME_MAX);
}

/* The first bits of a sum, so that no name needs a number of its own. */
int64_t dbl_repeatable(const char *name, size_t len)
{
	char hex[DBL_SHA256_HEX + 1];
	unsigned long long bits;

	dbl_sha256_hex(name, len, hex);
	hex[15] = '\0'; /* 60 bits */
	sscanf(hex, "%llx", &bits);
	return DBLOCK_MIGRATION_REPEATABLE + (int64_t)bits;
}

const char *dbl_label(char text[DBL_LABEL], int64_t version, const char *name)
{
	if (dbl_is_repeatable(version))
		snprintf(text, DBL_LABEL, "R_%.200s", name);
	else
		snprintf(text, DBL_LABEL, "%04lld_%.200s", (long long)version, name);
	return text;
}

/* Reads the number; zeros on the left mean nothing. */
static int read_version(const char *file, size_t digits, int64_t *version, struct dblock_error *err)
{
	*version = 0;
	for (size_t i = 0; i < digits; i++) {
		int digit = file[i] - '0';

		if (*version > (DBLOCK_MIGRATION_REPEATABLE - 1 - digit) / 10)
			return dbl_fail(err, DBLOCK_E_INVALID,
					"its number is too large; give it one of at most %lld",
					(long long)DBLOCK_MIGRATION_REPEATABLE - 1);
		*version = *version * 10 + digit;
	}
	if (*version == 0)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"0 is no number for a migration; give it one from 1 on");
	return 0;
}

/* Cuts an ending off, if the name has it. */
static bool cut(struct dbl_file_name *name, const char *ending)
{
	size_t len = strlen(ending);

	if (name->len < len || memcmp(name->name + name->len - len, ending, len) != 0)
		return false;
	name->len -= len;
	return true;
}

/* Whether the rest of the name ends in another .up or .down, as in x.UP.sql or x.up.down.sql. */
static bool has_another_way(const struct dbl_file_name *name)
{
	const char *end = name->name + name->len;

	return (name->len >= 3 && strncasecmp(end - 3, ".up", 3) == 0) ||
	       (name->len >= 5 && strncasecmp(end - 5, ".down", 5) == 0);
}

/* R_name.sql. (Flyway has two _.) */
static int read_repeatable(struct dbl_file_name *name, const char *file, struct dblock_error *err)
{
	name->name = file + 2;
	name->len = strlen(name->name);
	name->way = DBL_WAY_REPEAT;
	if (!cut(name, ".sql") || has_another_way(name) ||
	    !dbl_migration_name_fits(name->name, name->len))
		return misnamed(file, err);
	name->version = dbl_repeatable(name->name, name->len);
	return 0;
}

int dbl_file_name_read(struct dbl_file_name *name, const char *file, struct dblock_error *err)
{
	size_t digits = strspn(file, "0123456789");

	if (strncmp(file, "R_", 2) == 0 && file[2] != '_')
		return read_repeatable(name, file, err);
	if (digits == 0 || file[digits] != '_')
		return misnamed(file, err);
	name->name = file + digits + 1;
	name->len = strlen(name->name);
	if (!cut(name, ".sql"))
		return misnamed(file, err);
	if (cut(name, ".up"))
		name->way = DBL_WAY_UP;
	else
		name->way = cut(name, ".down") ? DBL_WAY_DOWN : DBL_WAY_ONLY_UP;
	if (has_another_way(name) || !dbl_migration_name_fits(name->name, name->len))
		return misnamed(file, err);
	return read_version(file, digits, &name->version, err);
}
