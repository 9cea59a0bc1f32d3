/* SPDX-License-Identifier: MIT */
/*
 * What dblock promises, rule by rule: a name, the promise, and the function that checks it in a
 * story. X(name, function, promise).
 */
#ifndef TESTS_HISTORY_RULES_H
#define TESTS_HISTORY_RULES_H

#include "history/findings.h"
#include "history/story.h"

#define RULE_MAP(X)                                                                                \
	X("guard", rule_guard,                                                                     \
	  "what is protected accepts no token older than one before, and refuses no valid holder") \
	X("overlap", rule_overlap,                                                                 \
	  "readers rely on a lock together, and one that updates; nobody else does")               \
	X("told", rule_told,                                                                       \
	  "who loses a lock to a break, but by force, has no valid handle when another is let in") \
	X("permits", rule_permits, "permits that are held never add up to more than there are")    \
	X("mode", rule_mode,                                                                       \
	  "each has what it asked for; a thread that holds that enters again, and nothing else")   \
	X("token", rule_token, "each grant of a name has a larger token than all before it")       \
	X("order", rule_order,                                                                     \
	  "no waiter is granted before one of an older ticket; of another priority, before one "   \
	  "that is ranked before it")                                                              \
	X("line", rule_queue,                                                                      \
	  "nobody who comes when another one has waited for 1.5 s, and is not ranked before it, "  \
	  "is granted before it")                                                                  \
	X("upgrade", rule_upgrade, "nobody who asks when an upgrade waits is granted before it")   \
	X("victim", rule_victim,                                                                   \
	  "DEADLOCK only to an upgrade while another is under way, or where a ring of waits goes " \
	  "through the call")                                                                      \
	X("group", rule_group, "a group is granted all its names by one return, or none")          \
	X("twice", rule_twice, "nobody is granted twice while an older ticket waits")              \
	X("forgotten", rule_forgotten,                                                             \
	  "no live waiter waits longer than 1.5 s for a lock that nobody has")                     \
	X("crowd", rule_crowd,                                                                     \
	  "when all who hold and wait could have it together, nobody waits longer than 1.5 s")     \
	X("fence", rule_fence,                                                                     \
	  "a transaction that fences what is valid, and commits, has it alone until then, and "    \
	  "writes over nothing newer")                                                             \
	X("release", rule_release, "who does not hold the lock cannot release it, and is told so") \
	X("kept", rule_kept, "what is valid is not lost: its release never says LOST")             \
	X("rate", rule_rate, "no window has more of a rate than its burst, and what came free")    \
	X("majority", rule_majority,                                                               \
	  "nothing is granted that is asked for while no majority of the members answers")         \
	X("outcome", rule_outcome,                                                                 \
	  "each call has one outcome, each grant one release, each loss is told at most once")     \
	X("end", rule_end, "whoever was not killed comes to its end, with all its calls")

#define X(name, function, promise) void function(const struct story *, struct findings *);
RULE_MAP(X)
#undef X

#endif
