/* SPDX-License-Identifier: MIT */
/* Option files: what is read from one, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/mysql/options.h"

static char path[300];

static int read_text(struct dbl_mysql_options *o, const char *text, unsigned mode,
		     struct dblock_error *err)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
	return dbl_mysql_options_read(o, path, "dblock", err);
}

static void reads(struct dbl_mysql_options *o, const char *text)
{
	struct dblock_error err = {0};

	if (read_text(o, text, 0600, &err))
		fail_msg("%s", err.message);
}

static void refuses(const char *text, unsigned mode, const char *part)
{
	struct dblock_error err = {0};
	struct dbl_mysql_options o;

	assert_int_equal(read_text(&o, text, mode, &err), DBLOCK_E_INVALID);
	dbl_mysql_options_free(&o);
	if (!strstr(err.message, part) || strstr(err.message, "s3cret"))
		fail_msg("'%s' does not say '%s'", err.message, part);
}

static void groups(void **state)
{
	struct dbl_mysql_options o;

	(void)state;
	reads(&o, "# a comment\n; another\n\n[mysqld]\nuser = mysql\nsocket\n[client]\nuser = a\n"
		  "host=db1\n[client-server]\nsocket=/s\n[mysql]\nuser=b\n[ dblock ]\n"
		  "host = db2\r\nport=3307");
	assert_string_equal(o.user, "a");
	assert_string_equal(o.host, "db2");
	assert_string_equal(o.port, "3307");
	assert_string_equal(o.socket, "/s");
	assert_null(o.password);
	dbl_mysql_options_free(&o);
	reads(&o, "");
	assert_null(o.user);
	dbl_mysql_options_free(&o);
}

static void password_is(const char *line, const char *password)
{
	struct dbl_mysql_options o;
	char text[200];

	snprintf(text, sizeof(text), "[client]\n%s\n", line);
	reads(&o, text);
	if (!password)
		assert_null(o.password);
	else
		assert_string_equal(o.password, password);
	dbl_mysql_options_free(&o);
}

/* The values are read as by the programs of MySQL and MariaDB. */
static void values(void **state)
{
	(void)state;
	password_is("password=a b", "a b");
	password_is("  password =  \t a \t ", "a");
	password_is("password=a#b", "a");
	password_is("password='a#b' # c", "a#b");
	password_is("password=\"a'b\"", "a'b");
	password_is("password='a", "'a");
	password_is("password=\"a\\\"#b\"", "a\"#b");
	password_is("password=a\\sb\\\\c\\td\\q", "a b\\c\td\\q");
	password_is("password='a=b'", "a=b");
	password_is("password=", "");
	password_is("password=''", "");
	password_is("loose-password=a", "a");
	password_is("password", NULL);
	password_is("init-command=DROP TABLE x", NULL);
	password_is("default_character_set=latin1", NULL);
}

static void mode_is(const char *lines, const char *mode)
{
	struct dbl_mysql_options o;
	char text[200];

	snprintf(text, sizeof(text), "[client]\n%s\n", lines);
	reads(&o, text);
	if (!mode)
		assert_null(dbl_mysql_options_tls_mode(&o));
	else
		assert_string_equal(dbl_mysql_options_tls_mode(&o), mode);
	dbl_mysql_options_free(&o);
}

static void tls(void **state)
{
	(void)state;
	mode_is("", NULL);
	mode_is("ssl_mode=verify_ca", "verify_ca");
	mode_is("ssl", "REQUIRED");
	mode_is("ssl=ON", "REQUIRED");
	mode_is("ssl\nssl-ca=/ca", NULL);
	mode_is("ssl=0", "DISABLED");
	mode_is("skip-ssl", "DISABLED");
	mode_is("disable_ssl\nssl-verify-server-cert", "DISABLED");
	mode_is("ssl-verify-server-cert", "VERIFY_IDENTITY");
	mode_is("disable-ssl-verify-server-cert", NULL);
	mode_is("ssl-verify-server-cert\nssl-mode=REQUIRED", "REQUIRED");
}

static void what_is_refused(void **state)
{
	(void)state;
	refuses("user=a\n", 0600, ":1: an option stands before the first [group]");
	refuses("[client\n", 0600, ":1: there is no ]");
	refuses("[client]\n!include /x\n", 0600, ":2: dblock does not follow !include");
	refuses("[client]\npassword=s3cret\nssl-cipher=x\n", 0600, ":3: dblock does not know");
	refuses("[client]\ntls_version=TLSv1.3\n", 0600, "tls-version");
	refuses("[client]\nssl-ca=\n", 0600, ":2: there is no value for ssl-ca");
	refuses("[client]\nssl-mode\n", 0600, ":2: there is no value for ssl-mode");
}

static void who_may_read_it(void **state)
{
	struct dblock_error err = {0};
	struct dbl_mysql_options o;

	(void)state;
	refuses("[client]\npassword=s3cret\n", 0604, "others can read or change the secret");
	refuses("[client]\npassword=s3cret\n", 0620, "others can read or change the secret");
	refuses("[client]\nuser=a\n", 0602, "everybody can change");
	assert_int_equal(read_text(&o, "[client]\nuser=a\n", 0644, &err), 0);
	dbl_mysql_options_free(&o);
	assert_int_equal(dbl_mysql_options_read(&o, "/nowhere", "x", &err), DBLOCK_E_INVALID);
	assert_int_equal(dbl_mysql_options_read(&o, "/dev/null", "x", &err), DBLOCK_E_INVALID);
	assert_int_equal(dbl_mysql_options_read(&o, "/", "x", &err), DBLOCK_E_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(values),
		cmocka_unit_test(tls),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(who_may_read_it),
	};
	const char *folder = getenv("DBLOCK_TEST_TMP");
	int rc;

	snprintf(path, sizeof(path), "%s/options.%d", folder ? folder : ".", getpid());
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
