/* SPDX-License-Identifier: MIT */
/* What `dblock recover` and the commands of `dblock global` share. */
#ifndef DBL_CLI_GLOBAL_H
#define DBL_CLI_GLOBAL_H

#include <dblock/global.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

/* The options of all of them. */
struct dbl_global_options {
	int64_t grace_ms;
	bool commit, roll_back, without_home;
};

extern const struct dbl_command dbl_command_global_ls;
extern const struct dbl_command dbl_command_global_show;
extern const struct dbl_command dbl_command_global_finish;

/* The databases that are given, as far as they could be opened. */
struct dbl_databases {
	struct dblock_client *clients[DBL_URLS_MAX];
	char *names[DBL_URLS_MAX]; /* for people: their URLs, without secrets */
	size_t n;
	int code; /* of the first that could not be, which was told; else DBL_EXIT_OK */
};

/* look: only to look. The number of those that are open. */
size_t dbl_databases_open(struct dbl_databases *, struct dbl_cli *, bool look);
void dbl_databases_close(struct dbl_databases *);

/* Look at all, or at the one with this id: as dblock_recover(), and told if it fails. Returns an exit code. */
int dbl_global_look(struct dbl_cli *, struct dbl_databases *, const char *id, dblock_branch_cb *,
		    dblock_recovery_cb *, void *arg);

/* "committed"; for what is yet to be done: "to be committed". */
const char *dbl_recovered_word(enum dblock_recovered, bool done);

json_t *dbl_recovery_json(const struct dblock_recovery *, bool done);

#endif
