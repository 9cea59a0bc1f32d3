/* SPDX-License-Identifier: MIT */
/* File systems: which one a file is on, and whether a SQLite database may be there. SQLite needs
 * byte-range locks that exclude, and shared memory, between all processes that open the file. */
#ifndef DBL_BASE_FS_H
#define DBL_BASE_FS_H

#include <stdbool.h>

#include "base/env.h"

/* A file system, as the system names it. */
struct dbl_fs {
	uint32_t magic; /* f_type of statfs(2) */
	char type[32];  /* as mount(8) shows it: "ext4", "nfs4", "fuse.sshfs"; "": unknown */
};

enum dbl_fs_fit {
	DBL_FS_GOOD,
	DBL_FS_DOUBTFUL, /* it depends on things that we cannot see */
	DBL_FS_BAD       /* known to lack what SQLite needs */
};

/* Is it fit for SQLite? *why is a clause in English, NULL if it is good. Pure. */
enum dbl_fs_fit dbl_fs_judge(const struct dbl_fs *, const char **why);

/* Its name for people: the type, else the known name of the magic number, else that number. */
void dbl_fs_name(const struct dbl_fs *, char name[32]);

/* The file system at `path`; 0, or errno. This opens neither the file nor its folder. */
int dbl_fs_read(const struct dbl_env *, const char *path, struct dbl_fs *);

/* Is the file or folder itself a mount point, and not only below one? Links are followed. False if
 * that is not known. */
bool dbl_fs_is_mount_point(const char *path);

/* The same, from /proc/self/mountinfo alone: for kernels before 5.8. */
bool dbl_fs_is_listed_mount(const char *path);

/* Is the memory at `at` a mapping of a file that has been deleted? False if that is not known. */
bool dbl_fs_is_deleted_mapping(const volatile void *at);

/* The size of a file in bytes; 0 if there is none. */
int64_t dbl_fs_size(const char *path);

/* The folder part of a file's path; NULL: there is no memory. The caller frees it. */
char *dbl_fs_folder(const char *path);

/* The absolute path, whatever folder is current later; NULL, and errno. The caller frees it. */
char *dbl_fs_full_path(const char *path);

#endif
