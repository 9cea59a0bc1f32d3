/* SPDX-License-Identifier: MIT */
#include "cli/ui/args.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/duration.h"

enum { ARGS_MAX = 48 };

struct parser {
	const struct dbl_arg_set *sets;
	const struct dbl_operands *operands;
	int argc;
	char **argv;
	char *message;
	struct option longs[ARGS_MAX + 1];
	char shorts[2 + 3 * ARGS_MAX + 1];
	int n;
};

static int wrong(const struct parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int wrong(const struct parser *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(p->message, DBL_ARGS_MESSAGE, fmt, args);
	va_end(args);
	return -1;
}

bool dbl_arg_wants_word(const struct dbl_arg *arg)
{
	return arg->kind != DBL_ARG_FLAG && arg->kind != DBL_ARG_MAYBE_DURATION;
}

static void add(struct parser *p, const struct dbl_arg *arg)
{
	int has = dbl_arg_wants_word(arg)     ? required_argument
		  : arg->kind == DBL_ARG_FLAG ? no_argument
					      : optional_argument;
	size_t len = strlen(p->shorts);

	if (p->n == ARGS_MAX)
		abort(); /* the tables are our own */
	p->longs[p->n++] = (struct option){arg->name, has, NULL, 0};
	if (arg->letter)
		snprintf(p->shorts + len, sizeof(p->shorts) - len, "%c%s", arg->letter,
			 has == required_argument   ? ":"
			 : has == optional_argument ? "::"
						    : "");
}

/* Prepare getopt_long()'s tables. "+": stop at the first operand; ":": errors are reported here. */
static void prepare(struct parser *p)
{
	memcpy(p->shorts, "+:", sizeof("+:"));
	for (int set = 0; set < DBL_ARG_SETS; set++)
		for (const struct dbl_arg *arg = p->sets[set].args; arg && arg->name; arg++)
			add(p, arg);
	optind = 0;
	opterr = 0;
}

/* The option that getopt_long() found, and the struct that it fills. */
static const struct dbl_arg *found(const struct parser *p, int letter, int index, void **into)
{
	int at = 0;

	for (int set = 0; set < DBL_ARG_SETS; set++) {
		*into = p->sets[set].into;
		for (const struct dbl_arg *arg = p->sets[set].args; arg && arg->name; arg++)
			if (letter ? arg->letter == letter : at++ == index)
				return arg;
	}
	abort(); /* getopt_long() found it in these tables */
}

static int store_duration(const struct parser *p, const struct dbl_arg *arg, const char *value,
			  int64_t *into)
{
	char bound[DBL_DURATION_TEXT];

	switch (dbl_duration_parse(value, into)) {
	case DBL_DURATION_OK:
		break;
	case DBL_DURATION_NEGATIVE:
		return wrong(p, "--%s: '%s' is negative", arg->name, value);
	case DBL_DURATION_TOO_LONG:
		*into = INT64_MAX;
		break;
	default:
		return wrong(p, "--%s: '%s' is not a duration like 250ms, 3s, 1.5m, 1h30m or 2d",
			     arg->name, value);
	}
	if (*into >= arg->min && *into <= arg->max)
		return 0;
	dbl_duration_text(*into < arg->min ? arg->min : arg->max, bound);
	return wrong(p, "--%s: '%s' is too %s: it must be %s %s", arg->name, value,
		     *into < arg->min ? "short" : "long", *into < arg->min ? "at least" : "at most",
		     bound);
}

static int store_number(const struct parser *p, const struct dbl_arg *arg, const char *value,
			int64_t *into)
{
	char *end;

	errno = 0;
	*into = strtoll(value, &end, 10);
	if (errno || *end || strspn(value, "-0123456789") != strlen(value) || *into < arg->min ||
	    *into > arg->max || end == value)
		return wrong(p, "--%s: '%s' is not a number from %" PRId64 " to %" PRId64,
			     arg->name, value, arg->min, arg->max);
	return 0;
}

int dbl_token_parse(const char *text, int64_t *token, char message[DBL_ARGS_MESSAGE])
{
	char *end;

	errno = 0;
	*token = strtoll(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *token > 0)
		return 0;
	snprintf(message, DBL_ARGS_MESSAGE, "'%s' is not a token: a positive decimal number", text);
	return -1;
}

static int store_one_more(const struct parser *p, const struct dbl_arg *arg, const char *value,
			  struct dbl_texts *texts)
{
	if (texts->n == DBL_TEXTS_MAX)
		return wrong(p, "option '--%s' is given too often: %d times at most", arg->name,
			     DBL_TEXTS_MAX);
	texts->text[texts->n++] = value;
	return 0;
}

static int store(const struct parser *p, const struct dbl_arg *arg, void *into, const char *value)
{
	char *at = (char *)into + arg->offset;

	switch (arg->kind) {
	case DBL_ARG_FLAG:
		*(bool *)(void *)at = true;
		return 0;
	case DBL_ARG_TEXT:
		*(const char **)(void *)at = value;
		return 0;
	case DBL_ARG_NUMBER:
		return store_number(p, arg, value, (int64_t *)(void *)at);
	case DBL_ARG_MAYBE_DURATION:
		if (!value) {
			*(int64_t *)(void *)at = DBL_NO_VALUE;
			return 0;
		}
		/* fall through */
	case DBL_ARG_DURATION:
		return store_duration(p, arg, value, (int64_t *)(void *)at);
	case DBL_ARG_TOKEN:
		return dbl_token_parse(value, (int64_t *)(void *)at, p->message);
	case DBL_ARG_TEXTS:
		return store_one_more(p, arg, value, (struct dbl_texts *)(void *)at);
	}
	abort();
}

/* Tell what '?' means for a long option: unknown, ambiguous, or without a value. */
static int wrong_long(const struct parser *p, const char *word)
{
	size_t len = strcspn(word, "=");

	for (const struct option *o = p->longs; o->name; o++)
		if (word[len] && strlen(o->name) == len - 2 &&
		    strncmp(o->name, word + 2, len - 2) == 0)
			return wrong(p, "option '--%s' takes no value", o->name);
	if (strncmp(word, "--timeout", len) == 0 && len == strlen("--timeout"))
		return wrong(p, "unknown option '--timeout': that is --wait, where there is one; "
				"--call-timeout bounds one request to the database");
	return wrong(p, "unknown option '%.*s'", (int)len, word);
}

/* Read all options up to the next word; 1: `--` ended them. */
static int options(const struct parser *p)
{
	for (;;) {
		int before = optind ? optind : 1;
		int index = 0;
		int c = getopt_long(p->argc, p->argv, p->shorts, p->longs, &index);
		const struct dbl_arg *arg;
		void *into;

		if (c == -1)
			return before < p->argc && optind == before + 1 &&
			       strcmp(p->argv[before], "--") == 0;
		if (c == ':')
			return wrong(p, "option '%s' needs a value", p->argv[optind - 1]);
		if (c == '?' && optopt)
			return wrong(p, "unknown option '-%c'", optopt);
		if (c == '?')
			return wrong_long(p, p->argv[optind - 1]);
		arg = found(p, c, index, &into);
		if (store(p, arg, into, optarg))
			return -1;
	}
}

/* Move the word to the beginning of argv: it never goes beyond where it was. */
static void take_word(struct parser *p, struct dbl_words *words)
{
	words->word[words->count++] = p->argv[optind++];
}

static void take_rest(struct parser *p, struct dbl_words *words)
{
	int last_named = p->operands->verbatim_from - 1;

	while (optind < p->argc) {
		/* run -- NAME -- CMD: the second `--` is not the command. */
		if (words->count == last_named && last_named > 0 &&
		    strcmp(p->argv[optind], "--") == 0)
			optind++;
		if (words->count == last_named)
			last_named = -1;
		if (optind < p->argc)
			take_word(p, words);
	}
}

/* The option that stands for the first word was given: its text is that word. */
static void take_texts(const struct parser *p, struct dbl_words *words)
{
	const struct dbl_texts *texts =
		(const void *)((const char *)p->sets[0].into + p->operands->or_texts);

	if (p->operands->or_texts && words->count == 0 && texts->n > 0)
		words->word[words->count++] = (char *)(uintptr_t)texts->text[0];
}

static int check_count(const struct parser *p, const struct dbl_words *words)
{
	const struct dbl_operands *operands = p->operands;
	int most = 0;

	while (operands->names[most])
		most++;
	if (words->count < operands->least)
		return wrong(p, "%s is missing", operands->names[words->count]);
	if (words->count > most && !operands->verbatim_from && !operands->many)
		return wrong(p, "too many words: '%s'", words->word[most]);
	return 0;
}

int dbl_args_parse(const struct dbl_arg_set sets[DBL_ARG_SETS], const struct dbl_operands *operands,
		   int argc, char **argv, struct dbl_words *words, char message[DBL_ARGS_MESSAGE])
{
	struct parser p = {sets, operands, argc, argv, message, {{0}}, "", 0};
	int ended = 0;

	prepare(&p);
	*words = (struct dbl_words){argv, 0};
	while (!ended && optind < argc) {
		ended = options(&p);
		if (ended < 0)
			return -1;
		take_texts(&p, words);
		if (words->count + 1 == operands->verbatim_from)
			ended = 1;
		if (!ended && optind < argc)
			take_word(&p, words);
	}
	take_rest(&p, words);
	words->word[words->count] = NULL;
	return check_count(&p, words);
}

void dbl_args_help(FILE *out, const struct dbl_arg *arg)
{
	char left[40];

	for (; arg && arg->name; arg++) {
		bool maybe = arg->value && !dbl_arg_wants_word(arg);

		snprintf(left, sizeof(left), "%c%c%s --%s%s%s%s", arg->letter ? '-' : ' ',
			 arg->letter ? arg->letter : ' ', arg->letter ? "," : " ", arg->name,
			 maybe        ? "[="
			 : arg->value ? " "
				      : "",
			 arg->value ? arg->value : "", maybe ? "]" : "");
		fprintf(out, "  %-30s %s\n", left, arg->help);
	}
}
