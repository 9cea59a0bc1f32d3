/* SPDX-License-Identifier: MIT */
/* Guesses by a statement's words what it costs others while it runs. */
#ifndef DBL_MIGRATE_HINT_H
#define DBL_MIGRATE_HINT_H

/* dialect is the name of a folder of migrations/. The hint is static; "": there is none. */
const char *dbl_hint(const char *dialect, const char *sql);

#endif
