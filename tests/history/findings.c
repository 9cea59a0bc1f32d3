/* SPDX-License-Identifier: MIT */
#include "history/findings.h"

#include <stdarg.h>
#include <string.h>

/* So many events are shown before and after each proof. */
enum { AROUND = 6 };

void found(struct findings *f, const struct event *const proof[PROOF_MAX], const char *fmt, ...)
{
	struct finding *finding;
	va_list args;

	f->n++;
	if (f->of_rule++ >= FINDINGS_PER_RULE || f->n_kept == FINDINGS_KEPT)
		return;
	finding = &f->kept[f->n_kept++];
	*finding = (struct finding){.rule = f->rule, .promise = f->promise};
	va_start(args, fmt);
	vsnprintf(finding->text, sizeof(finding->text), fmt, args);
	va_end(args);
	for (int i = 0; i < PROOF_MAX; i++) {
		if (proof[i])
			finding->proof[finding->n_proof++] = proof[i];
	}
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Tells whether the event is about the same lock, or about trouble. */
static bool belongs(const struct event *e, const struct event *proof)
{
	if (e->kind == EVENT_PULSE)
		return false;
	return !e->name[0] || strcmp(e->name, proof->name) == 0;
}

static const struct event *go(const struct history *h, const struct event *proof, int step)
{
	const struct event *e = proof, *last = proof;

	for (int n = 0; n < AROUND;) {
		e += step;
		if (e < h->events || e >= h->events + h->n)
			break;
		if (belongs(e, proof)) {
			last = e;
			n++;
		}
	}
	return last;
}

static bool is_proof(const struct finding *f, const struct event *e)
{
	for (int i = 0; i < f->n_proof; i++) {
		if (f->proof[i] == e)
			return true;
	}
	return false;
}

/* Prints from where the last excerpt ended, or from a little before this proof. Returns the
 * excerpt's end. */
static const struct event *print_around(const struct finding *f, const struct event *proof,
					const struct event *told, const struct history *h,
					FILE *out)
{
	const struct event *from = go(h, proof, -1), *to = go(h, proof, 1);
	char text[EVENT_TEXT_MAX];

	if (told && from > told + 1)
		fprintf(out, "      ...\n");
	for (const struct event *e = told && told >= from ? told + 1 : from; e <= to; e++) {
		if (!belongs(e, proof))
			continue;
		event_describe(e, f->proof[0]->at, text);
		fprintf(out, "   %s %s\n", is_proof(f, e) ? "-->" : "   ", text);
	}
	return told && told > to ? told : to;
}

static void print_finding(const struct finding *f, const struct history *h, FILE *out)
{
	const struct event *told = NULL;

	fprintf(out, "history: %s: %s\n   the promise: %s\n", f->rule, f->text, f->promise);
	for (int i = 0; i < f->n_proof; i++)
		told = print_around(f, f->proof[i], told, h, out);
}

void findings_print(const struct findings *f, const struct history *h, FILE *out)
{
	for (size_t i = 0; i < f->n_kept; i++)
		print_finding(&f->kept[i], h, out);
	if (f->n > f->n_kept)
		fprintf(out, "history: and %zu more\n", f->n - f->n_kept);
}
