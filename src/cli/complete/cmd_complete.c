/* SPDX-License-Identifier: MIT */
/* dblock complete: the scripts for shells, and what they ask when somebody presses TAB. */
#include <stdio.h>
#include <string.h>

#include "cli/complete/complete.h"

static const char about[] =
	"Prints the script by which SHELL (bash, zsh, fish) completes command lines of dblock. A\n"
	"package has it where the shell looks; else, in the shell's own settings:\n"
	"\n"
	"  eval \"$(dblock complete bash)\"     in ~/.bashrc\n"
	"  eval \"$(dblock complete zsh)\"      in ~/.zshrc, after compinit\n"
	"  dblock complete fish | source      in ~/.config/fish/config.fish\n"
	"\n"
	"With WORDs, a command line that begins with the program's name, it prints what the last\n"
	"one could be: that is how the scripts ask. Names of locks are those in the database, a\n"
	"thousand at most, and none if it does not answer within a second or two; with several -u\n"
	"those of the cluster, as its first member that answers knows them.\n";

static const char *script_for(const char *shell)
{
	const struct dbl_script *script = dbl_scripts;

	while (script->shell && strcmp(script->shell, shell) != 0)
		script++;
	return script->text;
}

static int check(const struct dbl_cli *cli)
{
	const char *shell = cli->words.word[0];

	if (script_for(shell))
		return DBL_EXIT_OK;
	return dbl_cli_usage(cli, "'%s' is none of bash, zsh, fish", shell);
}

static int complete(struct dbl_cli *cli)
{
	const struct dbl_words *words = &cli->words;
	struct dbl_line line;

	if (words->count == 1) {
		fputs(script_for(words->word[0]), stdout);
		return DBL_EXIT_OK;
	}
	dbl_line_read(&line, cli, words->word + 1, words->count - 1);
	dbl_line_print(&line, words->count > 2 ? words->word[words->count - 1] : "");
	return DBL_EXIT_OK;
}

const struct dbl_command dbl_command_complete = {
	.name = "complete",
	.usage = "SHELL [-- WORD...]",
	.summary = "print the script that completes command lines in a shell",
	.about = about,
	.operands = {.names = {"SHELL", "WORD"}, .least = 1, .verbatim_from = 2},
	.check = check,
	.run = complete,
};
