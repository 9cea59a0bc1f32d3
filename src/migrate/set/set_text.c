/* SPDX-License-Identifier: MIT */
/* Takes a text: its one form, and its checksum. A byte order mark is left out, and each line end is a \n,
 * since editors and checkouts change these. */
#include <string.h>

#include "migrate/parse/split.h"
#include "migrate/set/set_own.h"

void dbl_script_take(const struct dbl_set *set, struct dbl_taking *taking)
{
	*taking = (struct dbl_taking){.began = false};
	dbl_set_spool(set, &taking->spool);
	dbl_sha256_begin(&taking->sum);
}

static int add(struct dbl_taking *taking, const char *text, size_t len)
{
	dbl_sha256_add(&taking->sum, text, len);
	return dbl_spool_add(&taking->spool, text, len);
}

int dbl_script_part(void *arg, const char *part, size_t len)
{
	struct dbl_taking *taking = arg;
	const char *end = part + len, *cr;
	int rc = 0;

	part += taking->began ? 0 : dbl_skip_bom(part, len);
	taking->began = true;
	while (rc == 0 && part < end) {
		part += taking->cr && *part == '\n';
		cr = memchr(part, '\r', (size_t)(end - part));
		taking->cr = cr != NULL;
		rc = add(taking, part, (size_t)((cr ? cr : end) - part));
		if (rc == 0 && cr)
			rc = add(taking, "\n", 1);
		part = cr ? cr + 1 : end;
	}
	return rc;
}

int dbl_script_taken(struct dbl_set *set, struct dbl_script *script, struct dbl_taking *taking,
		     struct dblock_error *err)
{
	int rc = dbl_set_spooled(set, script, &taking->spool, &script->text, err);

	dbl_sha256_end(&taking->sum, script->checksum);
	if (rc)
		return rc;
	script->original = script->text;
	script->no_transaction = dbl_split_no_transaction(script->text.text, script->text.len);
	return dbl_script_marks(script, err);
}
