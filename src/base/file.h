/* SPDX-License-Identifier: MIT */
/* Reading folders and files that may be anything. Links are followed; nothing is opened that a
 * reader could have to wait for. */
#ifndef DBL_BASE_FILE_H
#define DBL_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a folder at this path? */
bool dbl_is_folder(const char *path);

/* Called with the name of each entry but . and .., in no order. */
typedef int dbl_entry_cb(void *arg, const char *name);

/* 0; errno (above 0) if the folder cannot be read; what the callback returned to stop it. */
int dbl_folder_read(const char *path, dbl_entry_cb *, void *arg);

/* Read a regular file of at most `max` bytes; *text has a NUL behind it and is the caller's to
 * dbl_free(). 0, or errno: EISDIR; ENOTSUP: a FIFO, a socket, a device; EFBIG; EAGAIN: somebody is
 * writing it right now. */
int dbl_file_read(const char *path, size_t max, char **text, size_t *len);

/* Called with a part of a file; what is not 0 ends the reading. */
typedef int dbl_part_cb(void *arg, const char *part, size_t len);

/* Read a regular file of any size in parts, which are given to the callback in order; each but the last
 * has 64 KiB. 0, what the callback returned, or errno as above. */
int dbl_file_parts(const char *path, dbl_part_cb *, void *arg);

/* Delete the files whose names are the path, where links lead, with each of these endings (NULL at the
 * end); those that are not there are passed over. 0, or errno. */
int dbl_file_remove(const char *path, const char *const *endings);

#endif
