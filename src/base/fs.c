/* SPDX-License-Identifier: MIT */
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

static const char network[] = "is reached over a network, where locks and shared memory end at "
			      "each machine";
static const char host_folder[] = "is another system's folder, shown to this one without its locks "
				  "and its memory";
static const char cluster[] = "is shared by several machines, which cannot share the memory that "
			      "SQLite's WAL mode needs";
static const char fuse_unknown[] = "is made by a program (FUSE), and what it does with locks and "
				   "shared memory cannot be seen from here";

/* From statfs(2) and, for those that it does not list, the kernel's and their own sources. */
static const struct magic {
	uint32_t magic;
	const char *name;
	const char *bad; /* NULL: it is good, as far as this number tells */
} magics[] = {
	{0x00006969, "nfs", network},        {0x0000517B, "smb", network},
	{0xFF534D42, "cifs", network},       {0xFE534D42, "smb3", network},
	{0x01021997, "9p", host_folder},     {0x0000564C, "ncpfs", network},
	{0x5346414F, "afs", network},        {0x6B414653, "kafs", network},
	{0x73757245, "coda", network},       {0x00C36400, "ceph", network},
	{0x0BD00BD0, "lustre", network},     {0x20030528, "orangefs", network},
	{0x19830326, "beegfs", network},     {0xAAD7AAEA, "panfs", network},
	{0x47504653, "gpfs", cluster},       {0x01161970, "gfs2", cluster},
	{0x7461636F, "ocfs2", cluster},      {0x786F4256, "vboxsf", host_folder},
	{0xBACBACBC, "vmhgfs", host_folder}, {0x7C7C6673, "prl_fs", host_folder},
	{0x65735546, "fuse", NULL},          {0x0000EF53, "ext4", NULL},
	{0x58465342, "xfs", NULL},           {0x9123683E, "btrfs", NULL},
	{0x2FC12FC1, "zfs", NULL},           {0xF2F52010, "f2fs", NULL},
	{0x01021994, "tmpfs", NULL},         {0x794C7630, "overlay", NULL},
};

/* All of FUSE has one magic number; the type tells more. A `*` stands for the rest of a word. */
static const struct fuse {
	const char *type;
	enum dbl_fs_fit fit;
	const char *why;
} fuses[] = {
	{"virtiofs", DBL_FS_BAD, host_folder},
	{"fuse.sshfs", DBL_FS_BAD, network},
	{"fuse.rclone", DBL_FS_BAD, network},
	{"fuse.s3fs", DBL_FS_BAD, network},
	{"fuse.goofys", DBL_FS_BAD, network},
	{"fuse.geesefs", DBL_FS_BAD, network},
	{"fuse.mount-s3", DBL_FS_BAD, network},
	{"fuse.gcsfuse", DBL_FS_BAD, network},
	{"fuse.blobfuse*", DBL_FS_BAD, network},
	{"fuse.juicefs", DBL_FS_BAD, network},
	{"fuse.JuiceFS*", DBL_FS_BAD, network},
	{"fuse.seaweedfs", DBL_FS_BAD, network},
	{"fuse.ceph*", DBL_FS_BAD, network},
	{"fuse.glusterfs", DBL_FS_BAD, network},
	{"fuse.moosefs", DBL_FS_BAD, network},
	{"fuse.mfs*", DBL_FS_BAD, network},
	{"fuse.lizardfs", DBL_FS_BAD, network},
	{"fuse.davfs*", DBL_FS_BAD, network},
	{"fuse.curlftpfs", DBL_FS_BAD, network},
	{"fuse.nfs*", DBL_FS_BAD, network},
	{"fuse.smb*", DBL_FS_BAD, network},
	{"fuse.gvfsd-fuse", DBL_FS_BAD, network},
	{"fuse.grpcfuse", DBL_FS_BAD, host_folder},
	{"fuse.osxfs", DBL_FS_BAD, host_folder},
	{"fuse.vmhgfs-fuse", DBL_FS_BAD, host_folder},
	{"fuse.prl_fsd", DBL_FS_BAD, host_folder},
	{"fuseblk*", DBL_FS_GOOD, NULL}, /* on a local disk, as ntfs-3g */
	{"fuse.fuse-overlayfs", DBL_FS_GOOD, NULL},
};

static const struct magic *find_magic(uint32_t number)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (magics[i].magic == number)
			return &magics[i];
	}
	return NULL;
}

static bool fits(const char *pattern, const char *type)
{
	size_t len = strlen(pattern) - 1;

	return pattern[len] == '*' ? strncmp(pattern, type, len) == 0 : strcmp(pattern, type) == 0;
}

enum dbl_fs_fit dbl_fs_judge(const struct dbl_fs *fs, const char **why)
{
	const struct magic *magic = find_magic(fs->magic);

	*why = magic ? magic->bad : NULL;
	if (*why)
		return DBL_FS_BAD;
	for (size_t i = 0; i < sizeof(fuses) / sizeof(fuses[0]); i++) {
		if (fits(fuses[i].type, fs->type)) {
			*why = fuses[i].why;
			return fuses[i].fit;
		}
	}
	if (!magic || strcmp(magic->name, "fuse") != 0)
		return DBL_FS_GOOD;
	*why = fuse_unknown;
	return DBL_FS_DOUBTFUL;
}

void dbl_fs_name(const struct dbl_fs *fs, char name[32])
{
	const struct magic *magic = find_magic(fs->magic);

	if (fs->type[0])
		snprintf(name, 32, "%s", fs->type);
	else if (magic)
		snprintf(name, 32, "%s", magic->name);
	else
		snprintf(name, 32, "file system 0x%x", (unsigned)fs->magic);
}

/* A line of mountinfo: "36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/sda1 rw". */
static bool line_tells(const char *line, dev_t dev, char *type, size_t size)
{
	static const char mark[] = " - ";
	unsigned major_number, minor_number;
	const char *at = strstr(line, mark);

	if (!at || sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) != 2 ||
	    makedev(major_number, minor_number) != dev)
		return false;
	at += sizeof(mark) - 1;
	snprintf(type, size, "%.*s", (int)strcspn(at, " \n"), at);
	return true;
}

/* "" if mountinfo cannot be read. A line longer than the buffer comes in pieces; those after the
 * first do not look like lines of mountinfo. */
static void read_type(dev_t dev, char *type, size_t size)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[4096];

	type[0] = '\0';
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (line_tells(line, dev, type, size))
			break;
	}
	fclose(file);
}

int dbl_fs_read(const struct dbl_env *env, const char *path, struct dbl_fs *fs)
{
	struct statfs system;
	struct stat st;

	*fs = (struct dbl_fs){0};
	if (env->file_system)
		return env->file_system(env->ctx, path, fs);
	if (statfs(path, &system) || stat(path, &st))
		return errno;
	fs->magic = (uint32_t)system.f_type;
	read_type(st.st_dev, fs->type, sizeof(fs->type));
	return 0;
}

/* The next character of a path in mountinfo, where blank, tab, newline and backslash are octal. */
static char next_char(const char **at)
{
	const char *text = *at;
	bool octal = text[0] == '\\' && text[1] && text[2] && text[3];

	*at += octal ? 4 : 1;
	return octal ? (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0') : text[0];
}

static bool line_mounts(const char *line, const char *path)
{
	int at = 0;

	if (sscanf(line, "%*d %*d %*u:%*u %*s %n", &at) != 0 || at == 0)
		return false;
	line += at;
	while (*path && *line && *line != ' ') {
		if (next_char(&line) != *path++)
			return false;
	}
	return !*path && *line == ' ';
}

bool dbl_fs_is_listed_mount(const char *path)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *real = realpath(path, NULL);
	char line[4096];
	bool found = false;

	while (file && real && !found && fgets(line, sizeof(line), file))
		found = line_mounts(line, real);
	if (file)
		fclose(file);
	free(real);
	return found;
}

bool dbl_fs_is_mount_point(const char *path)
{
	struct statx st;

	if (statx(AT_FDCWD, path, AT_NO_AUTOMOUNT, STATX_TYPE, &st) == 0 &&
	    st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
		return st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
	return dbl_fs_is_listed_mount(path);
}

/* A line of maps: "7f12a000-7f132000 rw-s 00000000 fe:00 42 /folder/name"; after the name of a
 * deleted file there is " (deleted)". */
static bool line_maps(const char *line, uintptr_t at)
{
	uintptr_t from, to;

	return sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2 && from <= at && at < to;
}

bool dbl_fs_is_deleted_mapping(const volatile void *at)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[4096 + 128];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = line_maps(line, (uintptr_t)at);
	if (file)
		fclose(file);
	return found && strstr(line, " (deleted)\n");
}

int64_t dbl_fs_size(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

char *dbl_fs_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return dbl_strdup(".");
	return dbl_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *dbl_fs_full_path(const char *path)
{
	char folder[4096];
	struct dbl_str full = {0};
	char *text;

	if (path[0] == '/')
		folder[0] = '\0';
	else if (!getcwd(folder, sizeof(folder)))
		return NULL;
	dbl_str_addf(&full, "%s%s%s", folder, folder[0] && folder[1] ? "/" : "", path);
	text = dbl_str_take(&full);
	if (!text)
		errno = ENOMEM;
	return text;
}
