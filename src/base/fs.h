/* SPDX-License-Identifier: MIT */
/* File systems: which one a file lies on, and whether a database of SQLite may lie there. SQLite
 * needs byte-range locks that exclude, and memory that is shared, between all who open the file. */
#ifndef DBL_BASE_FS_H
#define DBL_BASE_FS_H

#include <stdbool.h>

#include "base/env.h"

/* As the system names it. */
struct dbl_fs {
	uint32_t magic; /* f_type of statfs(2) */
	char type[32];  /* as mount(8) shows it: "ext4", "nfs4", "fuse.sshfs"; "": unknown */
};

enum dbl_fs_fit {
	DBL_FS_GOOD,
	DBL_FS_DOUBTFUL, /* it depends on what we cannot see */
	DBL_FS_BAD       /* known to lack what SQLite needs */
};

/* What to make of it; *why is a clause in English, NULL if it is good. Pure. */
enum dbl_fs_fit dbl_fs_judge(const struct dbl_fs *, const char **why);

/* A name for people: the type, else what the magic number is known as, else that number. */
void dbl_fs_name(const struct dbl_fs *, char name[32]);

/* The file system of what is at `path`; 0, or errno. Opens neither the file nor its folder. */
int dbl_fs_read(const struct dbl_env *, const char *path, struct dbl_fs *);

/* Is that very file or folder a mount point, not only below one? Links are followed. False where
 * it cannot be told. */
bool dbl_fs_is_mount_point(const char *path);

/* The same by /proc/self/mountinfo alone: for kernels before 5.8. */
bool dbl_fs_is_listed_mount(const char *path);

/* Is the memory at `at` a mapping of a file that has been deleted since? False where it cannot be
 * told. */
bool dbl_fs_is_deleted_mapping(const volatile void *at);

/* The size of a file in bytes; 0 where there is none. */
int64_t dbl_fs_size(const char *path);

/* The folder that a path names a file in; NULL: no memory. The caller frees it. */
char *dbl_fs_folder(const char *path);

/* The path from the root, whatever folder is current later; NULL, and errno. The caller frees it.
 */
char *dbl_fs_full_path(const char *path);

#endif
