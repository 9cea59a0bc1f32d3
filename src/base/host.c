/* SPDX-License-Identifier: MIT */
#include "base/host.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

static void read_clock_name(char *name, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct stat space = {0};
	char boot[40] = "";
	unsigned long long chance;

	/* A clock that has no name gets a random one, which is equal to no other. */
	if (getrandom(&chance, sizeof(chance), 0) == (ssize_t)sizeof(chance))
		snprintf(name, size, "unknown/%016llx", chance);
	else
		snprintf(name, size, "unknown");
	if (!file)
		return;
	if (fgets(boot, sizeof(boot), file)) {
		boot[strcspn(boot, "\n")] = '\0';
		/* Kernels without time namespaces have no such file: then the inode is 0. */
		(void)stat("/proc/self/ns/time", &space);
		snprintf(name, size, "%s/%lu", boot, (unsigned long)space.st_ino);
	}
	fclose(file);
}

/* These texts go into the database: what is not printable UTF-8 becomes a question mark. */
static void clean(char *text)
{
	size_t len = strlen(text), i = 0, step;
	uint32_t c;

	while (i < len) {
		step = dbl_utf8_next(text + i, len - i, &c);
		if (step == 0 || dbl_utf8_is_control(c)) {
			text[i] = '?';
			step = 1;
		}
		i += step;
	}
}

void dbl_host_read(struct dbl_host *host)
{
	memset(host, 0, sizeof(*host));
	if (gethostname(host->name, sizeof(host->name) - 1))
		host->name[0] = '\0';
	snprintf(host->app, sizeof(host->app), "%s", program_invocation_short_name);
	read_clock_name(host->clock, sizeof(host->clock));
	host->pid = getpid();
	clean(host->name);
	clean(host->app);
}

void dbl_host_user(char *user, size_t size)
{
	struct passwd entry, *found = NULL;
	char room[1024];

	if (getpwuid_r(geteuid(), &entry, room, sizeof(room), &found) == 0 && found)
		snprintf(user, size, "%s", entry.pw_name);
	else
		snprintf(user, size, "%lu", (unsigned long)geteuid());
	clean(user);
}
