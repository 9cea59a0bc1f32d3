/* SPDX-License-Identifier: MIT */
/* dblock doctor: is this database fit for locks? */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

static const char about[] =
	"Connects, and says what it finds: server and version, tables and rights, whether the\n"
	"database can be written, its clock against this machine's, isolation, durability,\n"
	"replication, a pooler in between; for a SQLite file its file system and its WAL. One\n"
	"line for each finding: how bad it is, the topic, what it is; and below it what to do. It\n"
	"changes nothing.\n"
	"\n"
	"Exit code: 0 if all is well, 1 if there are warnings, 2 if something is wrong. A\n"
	"database that cannot be reached is wrong as well: 2, whatever the other commands exit\n"
	"with.\n"
	"\n"
	"With -u for each member of a cluster all of them are examined, with the member's number\n"
	"before each finding, and how they vote. A member that could forget its votes is wrong,\n"
	"and so is a cluster in which no majority votes; if only some do not, that is a warning.\n";

enum { TOPIC_WIDTH = 10 };

struct output {
	const struct dbl_cli *cli;
	enum dblock_severity worst;
	int64_t member; /* of a cluster; ALL_MEMBERS: all of them; 0: it is none */
};

enum { ALL_MEMBERS = -1 };

static int print_line(const struct output *out, const struct dblock_finding *finding)
{
	char *text = dbl_text_safe(finding->text), whose[24] = "";

	if (!text)
		return -1;
	if (out->member == ALL_MEMBERS)
		snprintf(whose, sizeof(whose), "all  ");
	else if (out->member)
		snprintf(whose, sizeof(whose), "%-3" PRId64 "  ", out->member);
	printf("%s%-7s  %-*s  %s\n", whose, dblock_severity_name(finding->severity), TOPIC_WIDTH,
	       finding->topic, text);
	if (finding->remedy[0])
		printf("%*s%-7s  %-*s  -> %s\n", (int)strlen(whose), "", "", TOPIC_WIDTH, "",
		       finding->remedy);
	free(text);
	return 0;
}

static int print_json(const struct output *out, const struct dblock_finding *finding)
{
	json_t *object = json_object();

	if (out->member)
		json_object_set_new(object, "member",
				    out->member == ALL_MEMBERS ? json_null()
							       : json_integer(out->member));
	dbl_json_text(object, "severity", dblock_severity_name(finding->severity));
	dbl_json_text(object, "topic", finding->topic);
	dbl_json_text(object, "text", finding->text);
	dbl_json_text(object, "remedy", finding->remedy);
	return dbl_json_line(object);
}

static int found(void *arg, const struct dblock_finding *finding)
{
	struct output *out = arg;

	if (finding->severity > out->worst)
		out->worst = finding->severity;
	if (out->cli->quiet && finding->severity == DBLOCK_FINDING_OK)
		return 0;
	return out->cli->json ? print_json(out, finding) : print_line(out, finding);
}

/* A database that cannot be examined is a finding of its own: it is wrong. */
static int cannot_look(const struct output *out, int rc, const struct dblock_error *err)
{
	struct dblock_finding finding = {.size = sizeof(finding),
					 .severity = DBLOCK_FINDING_WRONG,
					 .topic = "connection",
					 .text = err->message,
					 .remedy = ""};

	(void)dbl_cli_ended(out->cli, rc, err);
	if (out->cli->json && print_json(out, &finding))
		return DBL_EXIT_INTERNAL;
	return DBL_EXIT_WRONG;
}

static const int exits[] = {[DBLOCK_FINDING_OK] = DBL_EXIT_OK,
			    [DBLOCK_FINDING_WARNING] = DBL_EXIT_WARNINGS,
			    [DBLOCK_FINDING_WRONG] = DBL_EXIT_WRONG};

static int run(struct dbl_cli *cli)
{
	struct dblock_client_options o = dbl_cli_options(cli);
	struct output out = {.cli = cli};
	int rc = dbl_cli_need_url(cli);

	if (rc != DBL_EXIT_OK)
		return rc;
	if (cli->url_from && *cli->url_from == '/')
		dbl_cli_note(cli, "the URL is that of %s", cli->url_from);
	rc = dblock_doctor(dbl_cli_url(cli), &o, found, &out, &cli->err);
	if (rc == DBLOCK_OK)
		return exits[out.worst];
	return cannot_look(&out, rc, &cli->err);
}

/* ---- several databases ----------------------------------------------------------------------- */

static const char topic[] = "quorum";

struct cluster {
	struct output out; /* first */
	struct dblock_client_options options;
	char *urls[DBL_URLS_MAX];
	int64_t max_ttl_ms; /* of the first that votes */
};

static int __attribute__((format(printf, 4, 5)))
say(struct cluster *c, enum dblock_severity severity, const char *remedy, const char *fmt, ...)
{
	char text[sizeof(c->out.cli->err.message) + 128];
	struct dblock_finding finding = {.size = sizeof(finding),
					 .severity = severity,
					 .topic = topic,
					 .text = text,
					 .remedy = remedy};
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return found(&c->out, &finding);
}

/* What only costs one database its last grants lets two hold a lock here, as the votes of others stand. */
static int found_in_member(void *arg, const struct dblock_finding *given)
{
	struct dblock_finding finding = *given;
	char text[1024];

	if (given->severity == DBLOCK_FINDING_WARNING && strcmp(given->topic, "durability") == 0) {
		snprintf(text, sizeof(text), "%s; a member must not forget its votes", given->text);
		finding.severity = DBLOCK_FINDING_WRONG;
		finding.text = text;
	}
	return found(arg, &finding);
}

static const char *remedy_of(enum dblock_member_state state)
{
	switch (state) {
	case DBLOCK_MEMBER_UNKNOWN:
		return "see that it runs, and can be reached; meanwhile the others do without it";
	case DBLOCK_MEMBER_NEW:
		return "run 'dblock quorum init' again, with the same -u";
	case DBLOCK_MEMBER_NONE:
		return "for a new cluster run 'dblock quorum init', for a lost member 'dblock "
		       "quorum replace'";
	case DBLOCK_MEMBER_COPY:
	case DBLOCK_MEMBER_CLOSED:
		return "run 'dblock quorum replace'";
	case DBLOCK_MEMBER_REPLACED:
		return "give -u of the one that is in its place";
	default:
		return "give -u of each member of one cluster once, in the order of their numbers";
	}
}

static int say_vote(struct cluster *c, const struct dblock_quorum_member *m)
{
	int rc;

	if (m->state != DBLOCK_MEMBER_VOTES)
		return say(c, DBLOCK_FINDING_WARNING, remedy_of(m->state), "it does not vote: %s",
			   m->why);
	rc = say(c, DBLOCK_FINDING_OK, "",
		 "it votes as member %" PRId64 " of %" PRId64
		 " of the cluster '%s', epoch %" PRId64,
		 m->number, m->members, m->cluster, m->epoch);
	if (rc == 0 && m->number != m->given)
		rc = say(c, DBLOCK_FINDING_WARNING, remedy_of(DBLOCK_MEMBER_OTHER),
			 "its number is %" PRId64 ", and it was given as %" PRId64
			 ": who waits does so in the line of the first that is given",
			 m->number, m->given);
	if (rc == 0 && c->max_ttl_ms && c->max_ttl_ms != m->max_ttl_ms)
		rc = say(c, DBLOCK_FINDING_WRONG, remedy_of(DBLOCK_MEMBER_COPY),
			 "its max_ttl is %" PRId64 " ms, and another member's %" PRId64 " ms",
			 m->max_ttl_ms, c->max_ttl_ms);
	c->max_ttl_ms = c->max_ttl_ms ? c->max_ttl_ms : m->max_ttl_ms;
	return rc;
}

static int examine(void *arg, const struct dblock_quorum_member *m)
{
	struct cluster *c = arg;
	struct dblock_error err = {0};
	int rc = 0;

	c->out.member = m->given;
	if (m->state != DBLOCK_MEMBER_UNKNOWN)
		rc = dblock_doctor(c->urls[m->given - 1], &c->options, found_in_member, c, &err);
	if (rc < 0)
		rc = say(c, DBLOCK_FINDING_WRONG, remedy_of(DBLOCK_MEMBER_UNKNOWN),
			 "it could not be examined: %s", err.message);
	return rc ? rc : say_vote(c, m);
}

static int say_all(struct cluster *c, const struct dblock_quorum_state *s)
{
	int64_t n = 2 * s->majority - 1;

	c->out.member = ALL_MEMBERS;
	if (s->voting < s->majority)
		return say(c, DBLOCK_FINDING_WRONG, "bring back enough of the others",
			   "of %" PRId64 " members %" PRId64 " vote, and %" PRId64
			   " are needed: no lock is granted",
			   n, s->voting, s->majority);
	if (s->voting < n)
		return say(c, DBLOCK_FINDING_WARNING, "bring back the others",
			   "of %" PRId64 " members %" PRId64
			   " vote: so many more may fail before no lock is granted: %" PRId64,
			   n, s->voting, s->voting - s->majority);
	return say(c, DBLOCK_FINDING_OK, "",
		   "all %" PRId64 " members vote: %" PRId64 " of them may fail", n,
		   n - s->majority);
}

static int run_members(struct dbl_cli *cli)
{
	struct cluster c = {.out = {.cli = cli}, .options = dbl_cli_options(cli)};
	struct dblock_quorum_state state = DBLOCK_QUORUM_STATE_INIT;
	size_t n = dbl_cli_members(cli, c.urls);
	int rc = dbl_cli_look(cli, NULL, examine, &c, &state);

	if (rc == 0)
		rc = say_all(&c, &state);
	for (size_t i = 0; i < n; i++)
		free(c.urls[i]);
	return rc ? dbl_cli_not_opened(cli, rc, &cli->err) : exits[c.out.worst];
}

const struct dbl_command dbl_command_doctor = {
	.name = "doctor",
	.usage = "",
	.summary = "examine the database: is it fit for locks, and what to do if not",
	.about = about,
	.run = run,
	.run_members = run_members,
};
