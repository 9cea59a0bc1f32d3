/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "cli/top/top.h"

/* The other screen, so that what was on the first one is there again in the end; no cursor. */
#define ENTER "\033[?1049h\033[?25l\033[H\033[2J"
#define LEAVE "\033[m\033[?25h\033[?1049l"

bool dbl_terminal_enter(struct dbl_terminal *terminal)
{
	struct termios raw;

	if (terminal->entered || tcgetattr(STDIN_FILENO, &terminal->before))
		return terminal->entered;
	raw = terminal->before;
	/* ^C and ^Z stay signals. */
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw))
		return false;
	terminal->entered = true;
	fputs(ENTER, stdout);
	fflush(stdout);
	return true;
}

void dbl_terminal_leave(struct dbl_terminal *terminal)
{
	if (!terminal->entered)
		return;
	terminal->entered = false;
	fputs(LEAVE, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
}

/* ESC [ 5 ~, ESC [ A, ESC O A */
static int named(const char *sequence, size_t n)
{
	static const struct {
		const char *text;
		int key;
	} names[] = {{"A", DBL_KEY_UP},    {"B", DBL_KEY_DOWN},     {"H", DBL_KEY_HOME},
		     {"F", DBL_KEY_END},   {"5~", DBL_KEY_PAGE_UP}, {"6~", DBL_KEY_PAGE_DOWN},
		     {"1~", DBL_KEY_HOME}, {"7~", DBL_KEY_HOME},    {"4~", DBL_KEY_END},
		     {"8~", DBL_KEY_END}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].text) == n && memcmp(names[i].text, sequence, n) == 0)
			return names[i].key;
	return DBL_KEY_OTHER;
}

int dbl_key_read(const char *typed, size_t n, bool whole, size_t *length)
{
	size_t at = 2;

	*length = 1;
	if (typed[0] != '\033')
		return (unsigned char)typed[0];
	if (n >= 2 && typed[1] != '[' && typed[1] != 'O')
		return DBL_KEY_ESCAPE;
	while (at < n && (unsigned char)typed[at] < 0x40)
		at++;
	if (at < n) {
		*length = at + 1;
		return named(typed + 2, at - 1);
	}
	if (!whole)
		*length = 0;
	return whole ? DBL_KEY_ESCAPE : DBL_KEY_NONE;
}
