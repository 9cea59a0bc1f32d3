/* SPDX-License-Identifier: MIT */
/* What the members of a cluster say, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

int dbl_cli_look(struct dbl_cli *cli, const char *name, dblock_quorum_member_cb *found, void *arg,
		 struct dblock_quorum_state *state)
{
	struct dblock_client_options options = dbl_cli_options(cli);
	char *members[DBL_URLS_MAX];
	size_t n = dbl_cli_members(cli, members);
	int rc = dblock_quorum_status((const char *const *)members, n, name, &options, found, arg,
				      state, &cli->err);

	for (size_t i = 0; i < n; i++)
		free(members[i]);
	return rc;
}

const char *dbl_member_state(const struct dblock_quorum_member *m)
{
	switch (m->state) {
	case DBLOCK_MEMBER_UNKNOWN:
		return m->code == DBLOCK_E_UNAVAILABLE || m->code == DBLOCK_E_NO_ANSWER ? "down"
											: "unknown";
	case DBLOCK_MEMBER_VOTES:
		return "votes";
	case DBLOCK_MEMBER_NONE:
		return "none";
	case DBLOCK_MEMBER_NEW:
		return "new";
	case DBLOCK_MEMBER_CLOSED:
		return "closed";
	case DBLOCK_MEMBER_COPY:
		return "copy";
	case DBLOCK_MEMBER_REPLACED:
		return "replaced";
	case DBLOCK_MEMBER_OTHER:
		return "other";
	}
	return "?";
}

json_t *dbl_member_json(const struct dblock_quorum_member *m)
{
	json_t *object = json_object();

	dbl_json_number(object, "given", m->given);
	dbl_json_text(object, "state", dbl_member_state(m));
	dbl_json_text(object, "why", m->why);
	dbl_json_text(object, "code", m->code ? dblock_outcome_name((int)m->code) : NULL);
	return object;
}

int dbl_whys_add(struct dbl_whys *whys, const struct dblock_quorum_member *m)
{
	char *safe;

	if (m->state == DBLOCK_MEMBER_VOTES && m->number == m->given)
		return 0;
	if (!whys->out)
		whys->out = open_memstream(&whys->text, &whys->size);
	safe = dbl_text_safe(m->why);
	if (!whys->out || !safe) {
		free(safe);
		return -1;
	}
	if (m->state == DBLOCK_MEMBER_VOTES)
		fprintf(whys->out,
			"member %" PRId64 ": its number is %" PRId64
			": give the URLs in the order of their numbers, everywhere: who waits does "
			"so in the line of the first\n",
			m->given, m->number);
	else
		fprintf(whys->out, "member %" PRId64 ": %s\n", m->given, safe);
	free(safe);
	return 0;
}

void dbl_whys_print(struct dbl_whys *whys)
{
	if (whys->out && fflush(whys->out) == 0)
		printf("\n%s", whys->text);
	dbl_whys_free(whys);
}

void dbl_whys_free(struct dbl_whys *whys)
{
	if (whys->out)
		fclose(whys->out);
	free(whys->text);
	*whys = (struct dbl_whys){.out = NULL};
}
