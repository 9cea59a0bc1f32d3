/* SPDX-License-Identifier: MIT */
#include <dblock/request.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "lock/admin/request.h"
#include "lock/core/name.h"

static int check_reason(const char *reason, struct dblock_error *err)
{
	return dbl_label_check("the reason", reason, DBLOCK_REASON_MAX, err);
}

int dblock_request_release(struct dblock_client *client, const char *name, const char *reason,
			   struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = dbl_name_check(name, &heard);
	if (rc == 0)
		rc = check_reason(reason, &heard);
	if (rc == 0)
		rc = dbl_request(client->locks, name, reason ? reason : "", &heard);
	return dbl_tell(err, &heard, rc);
}

/* Read HOST:PID; the host may have colons in it. */
static bool read_process(const char *who, char *host, size_t size, int64_t *pid)
{
	const char *colon = strrchr(who, ':');
	char *end;

	if (!colon || colon == who || (size_t)(colon - who) >= size || colon[1] < '0' ||
	    colon[1] > '9')
		return false;
	memcpy(host, who, (size_t)(colon - who));
	host[colon - who] = '\0';
	errno = 0;
	*pid = strtoll(colon + 1, &end, 10);
	return *end == '\0' && errno == 0 && *pid > 0;
}

/* Read which client the caller means: by its session, or by its process. */
static int read_client(struct dbl_drain *drain, char *host, size_t size, const char *who,
		       struct dblock_error *err)
{
	int rc = dbl_label_check("the client", who, size + 20, err);

	*drain = (struct dbl_drain){.session = "", .host = host};
	if (rc)
		return rc;
	if (who && strlen(who) == 32 && strspn(who, "0123456789abcdef") == 32)
		drain->session = who;
	else if (!who || !read_process(who, host, size, &drain->pid))
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"'%s' is no client: say HOST:PID, or the id of a session, which has "
			"32 hexadecimal digits",
			who ? who : "");
	return 0;
}

int dblock_request_release_all(struct dblock_client *client, const char *who, const char *reason,
			       int64_t *n_asked, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	char host[256] = "";
	struct dbl_drain drain = {.n_asked = 0};
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = check_reason(reason, &heard);
	if (rc == 0)
		rc = read_client(&drain, host, sizeof(host), who, &heard);
	if (rc == 0)
		rc = dbl_request_drain(client->locks, &drain, reason ? reason : "", &heard);
	if (n_asked)
		*n_asked = drain.n_asked;
	return dbl_tell(err, &heard, rc);
}

bool dblock_release_requested(const struct dblock_lock *lock)
{
	return dbl_lock_check_single(lock, NULL) == 0 && dbl_lock_is_requested(lock);
}

int dblock_release_requested_fd(struct dblock_lock *lock, int *fd, struct dblock_error *err)
{
	DBL_UNCANCELED;
	int rc = dbl_lock_check_single(lock, err);

	if (rc == 0 && !fd)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "fd is NULL");
	if (rc)
		return rc;
	*fd = dbl_lock_requested_fd(lock);
	return *fd >= 0 ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "no file descriptor is left");
}
