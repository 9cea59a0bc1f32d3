/* SPDX-License-Identifier: MIT */
/**
 * @file dblock.h  The lock library: clients, locks and waiting for them, modes, groups, fences,
 * elections, jobs that are done once, requests, what a client counts and tells of itself, and what an
 * administrator sees and does. Nothing of its own. Who wants them includes besides:
 * migrate.h (adopt.h, database.h, dump.h), rows.h, versioned.h, single_flight.h, latch.h, barrier.h, and, for a
 * connection of your own, postgresql.h, mysql.h, sqlite.h.
 */
#ifndef DBLOCK_DBLOCK_H
#define DBLOCK_DBLOCK_H

#include <dblock/admin.h>
#include <dblock/alive.h>
#include <dblock/client.h>
#include <dblock/connection.h>
#include <dblock/doctor.h>
#include <dblock/elect.h>
#include <dblock/error.h>
#include <dblock/events.h>
#include <dblock/fence.h>
#include <dblock/global.h>
#include <dblock/graph.h>
#include <dblock/group.h>
#include <dblock/guard.h>
#include <dblock/handoff.h>
#include <dblock/lock.h>
#include <dblock/loss.h>
#include <dblock/metrics.h>
#include <dblock/modes.h>
#include <dblock/once.h>
#include <dblock/outbox.h>
#include <dblock/pool.h>
#include <dblock/quorum.h>
#include <dblock/rate.h>
#include <dblock/request.h>
#include <dblock/stats.h>
#include <dblock/trace.h>
#include <dblock/tx.h>
#include <dblock/value.h>
#include <dblock/version.h>
#include <dblock/wait.h>

#endif
