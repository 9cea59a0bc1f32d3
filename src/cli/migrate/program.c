/* SPDX-License-Identifier: MIT */
#include "cli/migrate/program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/migrate/files.h"

/* Files in memory stand for its standard input, output and error: so it never waits for us. */
struct streams {
	int fd[3];
};

static bool open_streams(struct streams *s)
{
	bool all = true;

	for (int i = 0; i < 3; i++) {
		s->fd[i] = memfd_create("dblock", MFD_CLOEXEC);
		all = all && s->fd[i] >= 0;
	}
	return all;
}

static void close_streams(struct streams *s)
{
	for (int i = 0; i < 3; i++) {
		if (s->fd[i] >= 0)
			close(s->fd[i]);
	}
}

static bool put_input(int fd, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return lseek(fd, 0, SEEK_SET) == 0;
}

static char *read_all(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : malloc((size_t)size + 1);
	off_t at = 0;
	ssize_t n = 1;

	while (text && at < size && n > 0) {
		n = pread(fd, text + at, (size_t)(size - at), at);
		at += n > 0 ? n : 0;
	}
	if (text)
		text[at] = '\0';
	return text;
}

/* Our environment, with the variable set; NULL: no memory. The list and its first entry are freed. */
static char **environment(const struct dbl_program *p)
{
	size_t n = 0, len = p->variable ? strlen(p->variable) : 0;
	char **list;

	while (environ[n])
		n++;
	list = calloc(n + 2, sizeof(*list));
	if (!list ||
	    asprintf(&list[0], "%s=%s", len ? p->variable : "_", len ? p->value : "") < 0) {
		free(list);
		return NULL;
	}
	n = 1;
	for (char **at = environ; *at; at++) {
		if (!len || strncmp(*at, p->variable, len) != 0 || (*at)[len] != '=')
			list[n++] = *at;
	}
	return list;
}

/* Signals that we take for ourselves reach it as they would without us. */
static int spawn(const struct dbl_program *p, const struct streams *s, char **env, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char *const *argv;
	sigset_t none;
	int why;

	/* It changes none of them, though its prototype cannot say so. */
	memcpy(&argv, &p->argv, sizeof(argv));
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, s->fd[i], i);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	why = posix_spawnp(pid, p->argv[0], &actions, &attributes, argv, env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return why;
}

static int run(struct dbl_program *p, const struct streams *s)
{
	char **env = environment(p);
	int why = env ? 0 : ENOMEM, status = 0;
	pid_t pid;

	if (why == 0)
		why = spawn(p, s, env, &pid);
	if (env)
		free(env[0]);
	free(env);
	if (why)
		return why;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	p->out = read_all(s->fd[1]);
	p->said = read_all(s->fd[2]);
	return p->out && p->said ? 0 : ENOMEM;
}

int dbl_program_run(struct dbl_program *p, struct dblock_error *err)
{
	struct streams s;
	int why = open_streams(&s) && put_input(s.fd[0], p->input) ? 0 : errno;

	p->out = p->said = NULL;
	if (why == 0)
		why = run(p, &s);
	close_streams(&s);
	p->missing = why == ENOENT;
	if (why == 0 || p->missing)
		return DBLOCK_OK;
	errno = why;
	return dbl_migrate_cannot(err, p->argv[0], "run");
}

void dbl_program_free(struct dbl_program *p)
{
	free(p->out);
	free(p->said);
}
