/* SPDX-License-Identifier: MIT */
/*
 * A mark: the kernel's word, for others on the same machine, on whether a process lives. A file on
 * tmpfs that the process has locked and mapped. The mapping keeps the lock until the process has
 * ended, however it ends, or becomes another program: nothing that closes descriptors, and no change
 * of namespaces, gives it up. A child that was forked has the mapping, and so keeps the lock.
 *
 *     who cites it    a text in the database: the file's name, its inode and the time at which it got
 *                     that name, and the SHA-256 of the secret in it
 *     who asks        finds that file, with that secret; and may lock it: the process is dead.
 *                     No such file, another one, no right to open it: that proves nothing
 *
 * A machine that was cloned has such a file, too, and there the process may be dead while it lives
 * here. So the file has the beats that were sent last: another machine's are not among them.
 *
 * The locks are F_OFD_SETLK's (fcntl(2), "Open file description locks").
 */
#ifndef DBL_BASE_MARK_H
#define DBL_BASE_MARK_H

#include <stdbool.h>

#include "base/env.h"

enum { DBL_MARK_CITATION = 176 };

struct dbl_mark;

enum dbl_mark_word {
	DBL_MARK_NOTHING, /* it proves nothing */
	DBL_MARK_ALIVE,
	DBL_MARK_DEAD /* the process, and all that has its mark, has ended, and settled */
};

/* A new mark of this process. NULL: there can be none here, or no memory. */
struct dbl_mark *dbl_mark_new(const struct dbl_env *);

/* A descriptor of a new mark: the mark is kept as long as any process has it open. -1: errno. */
int dbl_mark_open(const struct dbl_env *);

/* The mark of such a descriptor, which stays the caller's; kept by this process as well. Once only:
 * this gives it its name. NULL, and errno: ENOTSUP: it is none; EEXIST: it has a name; ENOMEM, or what
 * keeps it from having a name. */
struct dbl_mark *dbl_mark_adopt(int fd);

/* The process does not keep it any more. The file goes, too, if it is `over`: nobody can need it as a proof.
 * Not in a forked child. NULL is allowed. */
void dbl_mark_free(struct dbl_mark *, bool over);

/* Its citation; "" of NULL. */
const char *dbl_mark_citation(const struct dbl_mark *);

/* A beat is about to be sent, at `now`. In one thread at a time; NULL is allowed. */
void dbl_mark_note(struct dbl_mark *, int64_t beat, int64_t now);

/* What this process has sent may arrive so many us after its end: it does not count as dead sooner.
 * The largest of all counts. NULL is allowed. */
void dbl_mark_settle(struct dbl_mark *, int64_t us);

/* A descriptor, closed on exec, that keeps the mark as the process does, to be handed on to programs
 * that it starts. -1: errno. */
int dbl_mark_hand_on(const struct dbl_mark *);

/* The same, of a descriptor of the mark. */
int dbl_mark_hand_on_fd(int fd);

/* This process keeps the mark until its end, whatever it closes, and whatever program it becomes: for a
 * child between fork and exec. fd: any descriptor of the mark. 0, or errno: ENOSPC: there are so many
 * that do; EXDEV: they are of another pid or time namespace; ENOTSUP: it is no mark, or there is no /proc. */
int dbl_mark_stay(int fd);

/* Does any process have a descriptor that was handed on? To be asked by another descriptor. */
bool dbl_mark_is_handed_on(int fd);

/* What the mark of that citation says of the process whose last beat is this one, as the database has
 * it. Does not block. `now`: us on CLOCK_BOOTTIME. */
enum dbl_mark_word dbl_mark_ask(const char *citation, int64_t beat, int64_t now);

/* A descriptor (inotify(7)) that can be read when a process whose mark it watches may have ended: then
 * ask. -1: errno. There are 128 a user, mostly. */
int dbl_mark_watch_new(void);

/* Watch one more mark, until the first hint. False: it cannot be watched. */
bool dbl_mark_watch(int watch, const char *citation);

/* Adds the names of the marks of dead processes that we may open, a blank before each. Returns how many.
 * Those whose last beat was longer ago than age_us, which may be DBL_NEVER, are removed instead. */
struct dbl_str;
unsigned dbl_mark_list_dead(struct dbl_str *names, int64_t age_us);

/* Remove the file of a process that is dead, and whose session was declared so. */
void dbl_mark_remove(const char *citation);

#endif
