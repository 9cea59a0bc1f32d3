/* SPDX-License-Identifier: MIT */
/* dblock graph: who waits for whom, as a picture for dot(1). */
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lock/words.h"
#include "cli/ui/cli.h"
#include "cli/ui/print.h"

static const char graph_about[] =
	"Prints who waits for whom in the language of dot(1), which makes a picture of it:\n"
	"\n"
	"  dblock graph | dot -Tsvg > graph.svg\n"
	"\n"
	"A box is a thread: host, pid, thread and its client's name. An arrow leads from a\n"
	"thread that waits to one that holds the lock, dotted to the one before it in line,\n"
	"and says the lock's name, how it is wanted, and how it is held. Dashed: not a\n"
	"thread that waits and does nothing else, or a lease, which ends by itself; neither\n"
	"makes a deadlock. In PATTERN `*` stands for any text, `?` for one character, and `\\`\n"
	"takes the next character as it is. With --json a line for each arrow.\n";

enum { NO_MEMORY = -1, NODE_MAX = 400 };

/* All the output, collected until it is complete: boxes come before arrows, each once. */
struct picture {
	void *boxes; /* lines, as a tree of tsearch() */
	FILE *arrows;
	char *text; /* the text of the arrows */
	size_t size;
};

/* ---- words ----------------------------------------------------------------------------------- */

/* A text for double quotes in dot's language, with a backslash before each quote and backslash. To
 * be freed; NULL: there is no memory. */
static char *quoted(const char *text)
{
	char *safe = dbl_text_safe(text), *copy = safe ? malloc(2 * strlen(safe) + 1) : NULL;
	char *to = copy;

	for (const char *at = safe; copy && *at; at++) {
		if (*at == '"' || *at == '\\')
			*to++ = '\\';
		*to++ = *at;
	}
	if (copy)
		*to = '\0';
	free(safe);
	return copy;
}

static char *node_of(const struct dblock_graph_node *party)
{
	char text[NODE_MAX];

	snprintf(text, sizeof(text), "%s:%" PRId64 ":%" PRId64, party->host[0] ? party->host : "?",
		 party->pid, party->thread);
	return quoted(text);
}

static const char *mode_text(enum dblock_mode mode, int64_t permits, char text[64])
{
	if (mode != DBLOCK_PERMITS)
		return dbl_mode_name(mode);
	snprintf(text, 64, "%" PRId64 " permit%s", permits, permits == 1 ? "" : "s");
	return text;
}

/* ---- the picture ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int add_line(struct picture *picture, char *line)
{
	char **node = tsearch(line, &picture->boxes, compare);

	if (!node || *node != line)
		free(line); /* the tree has it already */
	return node ? 0 : NO_MEMORY;
}

static int add_box(struct picture *picture, const struct dblock_graph_node *party)
{
	char *node = node_of(party), *app = quoted(party->app), *line;
	int rc = NO_MEMORY;

	if (node && app &&
	    asprintf(&line, "\t\"%s\" [label=\"%s%s%s\"];\n", node, node, *app ? "\\n" : "", app) >=
		    0)
		rc = add_line(picture, line);
	free(node);
	free(app);
	return rc;
}

static int print_arrow(FILE *out, const struct dblock_edge *edge)
{
	char *from = node_of(&edge->from), *to = node_of(&edge->to), *name = quoted(edge->name);
	const char *style = edge->kind == DBLOCK_EDGE_IN_LINE ? ", style=dotted"
			    : !edge->blocks || edge->lease    ? ", style=dashed"
							      : "";
	char wanted[64], held[64];
	bool done = from && to && name &&
		    fprintf(out, "\t\"%s\" -> \"%s\" [label=\"%s\\n%s%s, %s %s\"%s];\n", from, to,
			    name, edge->upgrade ? "upgrade to " : "",
			    mode_text(edge->wanted, edge->permits, wanted),
			    edge->kind == DBLOCK_EDGE_HELD ? "held" : "behind",
			    mode_text(edge->held, edge->held_permits, held), style) >= 0;

	free(from);
	free(to);
	free(name);
	return done ? 0 : NO_MEMORY;
}

static int add_edge(void *arg, const struct dblock_edge *edge)
{
	struct picture *picture = arg;
	int rc = add_box(picture, &edge->from);

	if (rc == 0)
		rc = add_box(picture, &edge->to);
	return rc ? rc : print_arrow(picture->arrows, edge);
}

static void print_box(const void *node, VISIT visit, int depth)
{
	(void)depth;
	if (visit == postorder || visit == leaf)
		fputs(*(char *const *)node, stdout);
}

static void print_picture(const struct picture *picture)
{
	puts("digraph dblock {\n\trankdir=LR;\n\tnode [shape=box];");
	twalk(picture->boxes, print_box);
	fwrite(picture->text, 1, picture->size, stdout);
	puts("}");
}

static int draw(struct dbl_cli *cli, const struct dblock_graph_options *options)
{
	struct picture picture = {.boxes = NULL};
	int rc;

	picture.arrows = open_memstream(&picture.text, &picture.size);
	if (!picture.arrows)
		return NO_MEMORY;
	rc = dblock_graph(cli->client, options, add_edge, &picture, &cli->err);
	if (fclose(picture.arrows) && rc == DBLOCK_OK)
		rc = NO_MEMORY;
	if (rc == DBLOCK_OK)
		print_picture(&picture);
	tdestroy(picture.boxes, free);
	free(picture.text);
	return rc;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *party_json(const struct dblock_graph_node *party)
{
	json_t *object = json_object();

	dbl_json_text(object, "host", party->host);
	dbl_json_number(object, "pid", party->pid);
	dbl_json_number(object, "thread", party->thread);
	dbl_json_text(object, "app", party->app);
	dbl_json_text(object, "session", party->session);
	return object;
}

static int print_json(void *arg, const struct dblock_edge *edge)
{
	json_t *object = json_object();

	(void)arg;
	dbl_json_text(object, "name", edge->name);
	dbl_json_text(object, "kind", edge->kind == DBLOCK_EDGE_HELD ? "held" : "in line");
	json_object_set_new(object, "from", party_json(&edge->from));
	json_object_set_new(object, "to", party_json(&edge->to));
	dbl_json_text(object, "wanted", dbl_mode_name(edge->wanted));
	dbl_json_number(object, "permits", edge->permits);
	json_object_set_new(object, "upgrade", json_boolean(edge->upgrade));
	json_object_set_new(object, "blocks", json_boolean(edge->blocks));
	dbl_json_time(object, "since", edge->since_us);
	dbl_json_text(object, "held", dbl_mode_name(edge->held));
	dbl_json_number(object, "held_permits", edge->held_permits);
	json_object_set_new(object, "lease", json_boolean(edge->lease));
	dbl_json_number(object, "token", edge->token);
	return dbl_json_line(object);
}

static int graph(struct dbl_cli *cli)
{
	struct dblock_graph_options options = DBLOCK_GRAPH_OPTIONS_INIT;
	int rc;

	options.pattern = cli->words.word[0];
	rc = cli->json ? dblock_graph(cli->client, &options, print_json, NULL, &cli->err)
		       : draw(cli, &options);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_graph = {
	.name = "graph",
	.usage = "[PATTERN]",
	.summary = "who waits for whom, as a picture for dot(1)",
	.about = graph_about,
	.operands = {.names = {"PATTERN"}},
	.client = DBL_CLIENT_LOOK,
	.run = graph,
	.one_only = "give -u of one member; of all at once `dblock show NAME` and `dblock quorum "
		    "status` tell",
};
