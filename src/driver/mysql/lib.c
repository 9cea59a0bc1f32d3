/* SPDX-License-Identifier: MIT */
#include "driver/mysql/lib.h"

#include <errmsg.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

/* Both libraries set SIGPIPE to "ignore" here, for the whole process and all its children. The
 * handler is the application's, so it is put back. */
static void init(void)
{
	struct sigaction before;

	sigaction(SIGPIPE, NULL, &before);
	mysql_library_init(0, NULL, NULL);
	sigaction(SIGPIPE, &before, NULL);
}

bool dbl_mysql_lib_init(void)
{
	/* A further call only tells whether the first one succeeded. */
	return pthread_once(&library_once, init) == 0 && mysql_library_init(0, NULL, NULL) == 0;
}

/* mysql_thread_end() is not called: release builds of either library keep nothing per thread, and
 * it would break an application that uses the library itself. */
void dbl_mysql_lib_enter(sigset_t *before)
{
	sigset_t pipe;

	(void)mysql_thread_init();
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, before);
}

/* A SIGPIPE that came meanwhile is ours: take it before the caller's mask lets it through. */
void dbl_mysql_lib_leave(const sigset_t *before)
{
	const struct timespec now = {0, 0};
	sigset_t pipe;

	if (sigismember(before, SIGPIPE) == 1)
		return;
	sigpending(&pipe);
	if (sigismember(&pipe, SIGPIPE) == 1) {
		sigemptyset(&pipe);
		sigaddset(&pipe, SIGPIPE);
		while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#ifdef MARIADB_BASE_VERSION

/* "Enforce" only offers TLS: the library goes on without it if the server has none, so the caller
 * has to check afterwards. With a CA it does VERIFY_CA by itself; "verify" adds the host's name. */
void dbl_mysql_lib_set_tls(MYSQL *lib, const struct dbl_mysql_target *to)
{
	dbl_mysql_bool offer = to->tls > DBL_MYSQL_TLS_DISABLED;
	dbl_mysql_bool verify = to->tls >= DBL_MYSQL_TLS_VERIFY_IDENTITY ||
				(to->tls == DBL_MYSQL_TLS_VERIFY_CA && !to->ca);

	mysql_optionsv(lib, MYSQL_OPT_SSL_ENFORCE, &offer);
	mysql_optionsv(lib, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
	/* Setting a certificate turns TLS on. */
	if (offer && to->ca)
		mysql_optionsv(lib, MYSQL_OPT_SSL_CA, to->ca);
	if (offer && to->cert) {
		mysql_optionsv(lib, MYSQL_OPT_SSL_CERT, to->cert);
		mysql_optionsv(lib, MYSQL_OPT_SSL_KEY, to->key);
	}
	/* This library asks for the server's key whatever to->get_public_key says. */
}

int dbl_mysql_lib_socket(MYSQL *lib)
{
	return (int)mysql_get_socket(lib);
}

static int wait_for(MYSQL *lib, int what, const struct dbl_mysql_wait *wait)
{
	int events =
		(what & MYSQL_WAIT_READ ? POLLIN : 0) | (what & MYSQL_WAIT_WRITE ? POLLOUT : 0);
	int came = wait->poll(wait->ctx, dbl_mysql_lib_socket(lib), events, -1);

	if (came <= 0)
		return MYSQL_WAIT_TIMEOUT;
	if (came & (POLLERR | POLLHUP | POLLNVAL))
		return what & (MYSQL_WAIT_READ | MYSQL_WAIT_WRITE);
	return (came & POLLIN ? MYSQL_WAIT_READ : 0) | (came & POLLOUT ? MYSQL_WAIT_WRITE : 0);
}

/* Find the number of a refusal in place of a greeting (no connection left, a host that may not
 * connect) where TLS was expected: newer libraries report it as 2002, with the server's number in
 * the text, since anybody on the way might have sent it. But anybody there could cut the connection
 * as well. */
static void find_number(MYSQL *lib)
{
	static const char before[] = "cannot be verified: ";
	const char *at = strstr(lib->net.last_error, before);
	unsigned long number = at ? strtoul(at + sizeof(before) - 1, NULL, 10) : 0;

	if (lib->net.last_errno == CR_CONNECTION_ERROR && number >= 1000 && number < 10000)
		lib->net.last_errno = (unsigned)number;
}

bool dbl_mysql_lib_lost_reason(MYSQL *lib)
{
	(void)lib;
	return false;
}

void dbl_mysql_lib_ask_why(MYSQL *lib, const struct dbl_mysql_target *to, unsigned seconds)
{
	(void)lib;
	(void)to;
	(void)seconds;
}

bool dbl_mysql_lib_connect(MYSQL *lib, const struct dbl_mysql_target *to,
			   const struct dbl_mysql_wait *wait)
{
	MYSQL *connected = NULL;
	int what;

	mysql_optionsv(lib, MYSQL_OPT_NONBLOCK, 0);
	what = mysql_real_connect_start(&connected, lib, to->host, to->user, to->password,
					to->database, to->port, to->socket, 0);
	while (what)
		what = mysql_real_connect_cont(&connected, lib, wait_for(lib, what, wait));
	if (!connected)
		find_number(lib);
	return connected != NULL;
}

#else

enum { LONGEST_SLICE_MS = 16 };

void dbl_mysql_lib_set_tls(MYSQL *lib, const struct dbl_mysql_target *to)
{
	static const enum mysql_ssl_mode modes[] = {
		SSL_MODE_DISABLED,  SSL_MODE_PREFERRED,       SSL_MODE_REQUIRED,
		SSL_MODE_VERIFY_CA, SSL_MODE_VERIFY_IDENTITY,
	};

	mysql_options(lib, MYSQL_OPT_SSL_MODE, &modes[to->tls]);
	if (to->ca)
		mysql_options(lib, MYSQL_OPT_SSL_CA, to->ca);
	if (to->cert) {
		mysql_options(lib, MYSQL_OPT_SSL_CERT, to->cert);
		mysql_options(lib, MYSQL_OPT_SSL_KEY, to->key);
	}
	mysql_options(lib, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &to->get_public_key);
}

int dbl_mysql_lib_socket(MYSQL *lib)
{
	return lib->net.vio ? lib->net.fd : -1;
}

static enum net_async_status connect_on(MYSQL *lib, const struct dbl_mysql_target *to)
{
	return mysql_real_connect_nonblocking(lib, to->host, to->user, to->password, to->database,
					      to->port, to->socket, CLIENT_REMEMBER_OPTIONS);
}

/* Without this, an attempt leaks what its log-in has allocated: mysql_close() does not know of it.
 * With the socket shut down it fails at its next step, and frees it. */
static void give_up(MYSQL *lib, const struct dbl_mysql_target *to)
{
	shutdown(dbl_mysql_lib_socket(lib), SHUT_RDWR);
	(void)connect_on(lib, to);
}

/* At the end of the stream the library forgets what it has read before; so the reason of a server
 * that refuses, and closes, is read here before the library does. (MySQL's manual: "ERR_Packet";
 * while nothing is encrypted yet, it is all that there is.) */
static bool refused(MYSQL *lib, const struct dbl_mysql_target *to)
{
	unsigned char packet[512];
	ssize_t n = recv(dbl_mysql_lib_socket(lib), packet, sizeof(packet) - 1,
			 MSG_PEEK | MSG_DONTWAIT);
	const char *text = (const char *)packet + 7;

	if (n < 7 || packet[4] != 0xff || n - 4 != packet[0] + packet[1] * 256 + packet[2] * 65536)
		return false;
	give_up(lib, to);
	packet[n] = '\0';
	lib->net.last_errno = packet[5] + packet[6] * 256U;
	if (*text == '#' && n >= 13) { /* a SQLSTATE is there */
		snprintf(lib->net.sqlstate, sizeof(lib->net.sqlstate), "%.5s", text + 1);
		text += 6;
	}
	snprintf(lib->net.last_error, sizeof(lib->net.last_error), "%s", text);
	return true;
}

/* The server closed while the library was reading: the library has lost its reason, or saw the end
 * before it read. */
bool dbl_mysql_lib_lost_reason(MYSQL *lib)
{
	return lib->net.last_errno == CR_UNKNOWN_ERROR ||
	       (lib->net.last_errno == CR_SERVER_LOST &&
		strstr(lib->net.last_error, "sending authentication information"));
}

/* The blocking log-in reports the reason. (Another non-blocking one might lose it again.) */
void dbl_mysql_lib_ask_why(MYSQL *lib, const struct dbl_mysql_target *to, unsigned seconds)
{
	mysql_options(lib, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
	mysql_options(lib, MYSQL_OPT_READ_TIMEOUT, &seconds);
	mysql_options(lib, MYSQL_OPT_WRITE_TIMEOUT, &seconds);
	(void)mysql_real_connect(lib, to->host, to->user, to->password, to->database, to->port,
				 to->socket, 0);
}

bool dbl_mysql_lib_connect(MYSQL *lib, const struct dbl_mysql_target *to,
			   const struct dbl_mysql_wait *wait)
{
	enum net_async_status status;
	int slice_ms = 1;

	/* The library does not say what it waits for, and poll() does not see what TLS has read
	 * ahead: so the waits are short. */
	while ((status = connect_on(lib, to)) == NET_ASYNC_NOT_READY) {
		int came = wait->poll(wait->ctx, dbl_mysql_lib_socket(lib), POLLIN, slice_ms);

		if (came < 0)
			give_up(lib, to);
		if (came < 0 || (came > 0 && refused(lib, to)))
			return false;
		slice_ms = came == 0 && slice_ms < LONGEST_SLICE_MS ? slice_ms * 2 : slice_ms;
	}
	return status == NET_ASYNC_COMPLETE;
}

#endif
