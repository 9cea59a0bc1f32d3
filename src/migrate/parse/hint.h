/* SPDX-License-Identifier: MIT */
/* What a statement costs others while it runs: by its words, so a guess; a word to the wise. */
#ifndef DBL_MIGRATE_HINT_H
#define DBL_MIGRATE_HINT_H

/* dialect is the name of a folder of migrations/. "": nothing to say. Static. */
const char *dbl_hint(const char *dialect, const char *sql);

#endif
