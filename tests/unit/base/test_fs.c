/* SPDX-License-Identifier: MIT */
/* Which file systems a database of SQLite may lie on, by the numbers and names that Linux gives
 * them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/magic.h>

#include "base/fs.h"
#include "base/mem.h"

struct expected {
	uint32_t magic;
	const char *type;
	enum dbl_fs_fit fit;
};

/* Some of these numbers are in the kernel's headers; the rest stands in statfs(2). */
static const struct expected all[] = {
	{NFS_SUPER_MAGIC, "nfs", DBL_FS_BAD},
	{NFS_SUPER_MAGIC, "nfs4", DBL_FS_BAD},
	{NFS_SUPER_MAGIC, "", DBL_FS_BAD},
	{SMB_SUPER_MAGIC, "", DBL_FS_BAD},
	{0xFF534D42, "cifs", DBL_FS_BAD},
	{0xFE534D42, "cifs", DBL_FS_BAD},
	{V9FS_MAGIC, "9p", DBL_FS_BAD},
	{V9FS_MAGIC, "", DBL_FS_BAD},
	{AFS_SUPER_MAGIC, "", DBL_FS_BAD},
	{CODA_SUPER_MAGIC, "", DBL_FS_BAD},
	{OCFS2_SUPER_MAGIC, "", DBL_FS_BAD},
	{0x00C36400, "ceph", DBL_FS_BAD},
	{0x786F4256, "vboxsf", DBL_FS_BAD},
	{FUSE_SUPER_MAGIC, "virtiofs", DBL_FS_BAD},
	{FUSE_SUPER_MAGIC, "fuse.sshfs", DBL_FS_BAD},
	{FUSE_SUPER_MAGIC, "fuse.ceph-fuse", DBL_FS_BAD},
	{FUSE_SUPER_MAGIC, "fuse.blobfuse2", DBL_FS_BAD},
	{FUSE_SUPER_MAGIC, "fuse.grpcfuse", DBL_FS_BAD},
	{FUSE_SUPER_MAGIC, "fuse.fuse-overlayfs", DBL_FS_GOOD},
	{FUSE_SUPER_MAGIC, "fuseblk", DBL_FS_GOOD},
	{FUSE_SUPER_MAGIC, "fuse.mergerfs", DBL_FS_DOUBTFUL},
	{FUSE_SUPER_MAGIC, "fuse.sshfs2", DBL_FS_DOUBTFUL},
	{FUSE_SUPER_MAGIC, "fuse", DBL_FS_DOUBTFUL},
	{FUSE_SUPER_MAGIC, "", DBL_FS_DOUBTFUL},
	{EXT4_SUPER_MAGIC, "ext4", DBL_FS_GOOD},
	{XFS_SUPER_MAGIC, "xfs", DBL_FS_GOOD},
	{BTRFS_SUPER_MAGIC, "btrfs", DBL_FS_GOOD},
	{TMPFS_MAGIC, "tmpfs", DBL_FS_GOOD},
	{OVERLAYFS_SUPER_MAGIC, "overlay", DBL_FS_GOOD},
	{0x12345678, "", DBL_FS_GOOD},
};

static void each_has_its_judgement(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct dbl_fs fs = {.magic = all[i].magic};
		const char *why = "unset";

		strcpy(fs.type, all[i].type);
		if (dbl_fs_judge(&fs, &why) != all[i].fit)
			fail_msg("0x%x '%s'", all[i].magic, all[i].type);
		/* Only a file system that is not good has a reason. */
		assert_int_equal(why == NULL, all[i].fit == DBL_FS_GOOD);
	}
}

static void assert_name(uint32_t magic, const char *type, const char *expect)
{
	struct dbl_fs fs = {.magic = magic};
	char name[32];

	strcpy(fs.type, type);
	dbl_fs_name(&fs, name);
	assert_string_equal(name, expect);
}

static void it_is_called_as_mount_calls_it(void **unused)
{
	(void)unused;
	assert_name(NFS_SUPER_MAGIC, "nfs4", "nfs4");
	assert_name(NFS_SUPER_MAGIC, "", "nfs");
	assert_name(0x12345678, "", "file system 0x12345678");
}

static int lie(void *ctx, const char *path, struct dbl_fs *fs)
{
	*(const char **)ctx = path;
	fs->magic = NFS_SUPER_MAGIC;
	return 0;
}

static void the_system_is_asked_unless_the_env_knows(void **unused)
{
	const char *asked = NULL;
	struct dbl_env env = *dbl_env_system();
	struct dbl_fs fs;

	(void)unused;
	/* /proc exists wherever Linux does, and has one type. */
	assert_int_equal(dbl_fs_read(&env, "/proc/self/status", &fs), 0);
	assert_int_equal(fs.magic, PROC_SUPER_MAGIC);
	assert_string_equal(fs.type, "proc");
	assert_int_equal(dbl_fs_read(&env, "/proc/no such file", &fs), ENOENT);
	env.file_system = lie;
	env.ctx = &asked;
	assert_int_equal(dbl_fs_read(&env, "/x/y", &fs), 0);
	assert_int_equal(fs.magic, NFS_SUPER_MAGIC);
	assert_string_equal(asked, "/x/y");
}

static void assert_text(char *text, const char *expect)
{
	assert_non_null(text);
	assert_string_equal(text, expect);
	dbl_free(text);
}

static void folders_and_full_paths(void **unused)
{
	(void)unused;
	assert_text(dbl_fs_folder("x.db"), ".");
	assert_text(dbl_fs_folder("/x.db"), "/");
	assert_text(dbl_fs_folder("a/b/x.db"), "a/b");
	assert_text(dbl_fs_full_path("/a/x.db"), "/a/x.db");
	assert_int_equal(chdir("/proc"), 0);
	assert_text(dbl_fs_full_path("a/x.db"), "/proc/a/x.db");
	assert_int_equal(chdir("/"), 0);
	assert_text(dbl_fs_full_path("x.db"), "/x.db");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_judgement),
		cmocka_unit_test(it_is_called_as_mount_calls_it),
		cmocka_unit_test(the_system_is_asked_unless_the_env_knows),
		cmocka_unit_test(folders_and_full_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
