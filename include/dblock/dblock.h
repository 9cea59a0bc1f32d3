/* SPDX-License-Identifier: MIT */
/**
 * @file dblock.h  Everything at once, but what is for a connection of your own: postgresql.h,
 * mysql.h, sqlite.h. Nothing of its own.
 */
#ifndef DBLOCK_DBLOCK_H
#define DBLOCK_DBLOCK_H

#include <dblock/admin.h>
#include <dblock/adopt.h>
#include <dblock/alive.h>
#include <dblock/client.h>
#include <dblock/database.h>
#include <dblock/doctor.h>
#include <dblock/dump.h>
#include <dblock/elect.h>
#include <dblock/error.h>
#include <dblock/fence.h>
#include <dblock/graph.h>
#include <dblock/group.h>
#include <dblock/handoff.h>
#include <dblock/lock.h>
#include <dblock/loss.h>
#include <dblock/migrate.h>
#include <dblock/once.h>
#include <dblock/optimistic.h>
#include <dblock/request.h>
#include <dblock/rows.h>
#include <dblock/single_flight.h>
#include <dblock/tx.h>
#include <dblock/value.h>
#include <dblock/version.h>
#include <dblock/wait.h>

#endif
