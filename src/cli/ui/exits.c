/* SPDX-License-Identifier: MIT */
#include "cli/ui/exits.h"

#include <dblock/error.h>

int dbl_exit_for(int outcome)
{
	switch (outcome) {
	case DBLOCK_OK:
	case DBLOCK_DONE:
		return DBL_EXIT_OK;
	case DBLOCK_BUSY:
	case DBLOCK_TIMEOUT:
	case DBLOCK_DEADLOCK:
		return DBL_EXIT_BUSY;
	case DBLOCK_LOST:
		return DBL_EXIT_LOST;
	case DBLOCK_STALE:
		return DBL_EXIT_STALE;
	case DBLOCK_E_INVALID:
		return DBL_EXIT_USAGE;
	case DBLOCK_E_UNAVAILABLE:
	case DBLOCK_E_UNSURE:
	case DBLOCK_E_TIMEOUT:
	case DBLOCK_E_LOCKED:
	case DBLOCK_E_CONFLICT:
		return DBL_EXIT_UNREACHABLE;
	case DBLOCK_E_SCHEMA:
		return DBL_EXIT_SCHEMA;
	case DBLOCK_E_DENIED:
		return DBL_EXIT_DENIED;
	case DBLOCK_E_READONLY:
	case DBLOCK_E_FULL:
	case DBLOCK_E_NOTDB:
		return DBL_EXIT_IO;
	default:
		return DBL_EXIT_INTERNAL;
	}
}

int dbl_exit_for_migrate(int outcome)
{
	switch (outcome) {
	case DBLOCK_OK:
		return DBL_EXIT_OK;
	case DBLOCK_E_INVALID:
	case DBLOCK_STALE:
		return DBL_EXIT_MIGRATE_USAGE;
	case DBLOCK_E_DRIFT:
		return DBL_EXIT_MIGRATE_DRIFT;
	case DBLOCK_E_REPAIR:
		return DBL_EXIT_MIGRATE_REPAIR;
	case DBLOCK_BUSY:
	case DBLOCK_TIMEOUT:
	case DBLOCK_DEADLOCK:
		return DBL_EXIT_MIGRATE_WAITED;
	case DBLOCK_E_UNAVAILABLE:
	case DBLOCK_E_UNSURE:
	case DBLOCK_E_TIMEOUT:
	case DBLOCK_E_DENIED:
	case DBLOCK_E_READONLY:
	case DBLOCK_E_FULL:
	case DBLOCK_E_NOTDB:
		return DBL_EXIT_MIGRATE_NO_DATABASE;
	case DBLOCK_CANCELED:
	case DBLOCK_E_MIGRATION:
	case DBLOCK_E_LOCKED:
	case DBLOCK_E_CONFLICT:
	case DBLOCK_E_SCHEMA:
		return DBL_EXIT_MIGRATE_FAILED;
	default:
		return DBL_EXIT_INTERNAL;
	}
}
