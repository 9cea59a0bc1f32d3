/* SPDX-License-Identifier: MIT */
#include "storm/standstill.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "support/kit.h"

/* Bytes by SQLite's file format: a connection that has the file for itself locks those of the file;
 * those of the shared memory are for the writer, the checkpoint, recovery and readers. */
enum { FILE_FIRST = 0x40000000, FILE_LAST = FILE_FIRST + 2, SHM_FIRST = 120, SHM_LAST = 128 };

static bool has_byte(int fd, off_t at, pid_t pid)
{
	struct flock lock = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1, .l_pid = 0};

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid == pid;
}

/* Tells whether the process has locked one of these bytes against everybody. */
static bool has_any(const char *suffix, off_t first, off_t last, pid_t pid)
{
	char path[1024];
	bool yes = false;
	int fd;

	snprintf(path, sizeof(path), "%s%s", test_url() + strlen("sqlite://"), suffix);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	for (off_t at = first; at <= last; at++)
		yes = yes || has_byte(fd, at, pid);
	close(fd);
	return yes;
}

static bool is_writing(pid_t pid)
{
	return on_backend("sqlite") && (has_any("", FILE_FIRST, FILE_LAST, pid) ||
					has_any("-shm", SHM_FIRST, SHM_LAST, pid));
}

void stand_still(pid_t pid)
{
	for (;;) {
		siginfo_t what;

		assert_int_equal(kill(pid, SIGSTOP), 0);
		/* The process may have ended, which its parent waits for. */
		assert_int_equal(waitid(P_PID, (id_t)pid, &what, WSTOPPED | WEXITED | WNOWAIT), 0);
		if (what.si_code != CLD_STOPPED || !is_writing(pid))
			return;
		kill(pid, SIGCONT);
		sleep_ms(1);
	}
}
