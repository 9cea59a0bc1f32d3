/* SPDX-License-Identifier: MIT */
#include <dblock/alive.h>

#include <errno.h>

#include "api/client.h"
#include "base/mark.h"
#include "base/str.h"

int dblock_alive_fd(const struct dblock_client *client)
{
	errno = ENOENT;
	return dbl_client_check(client, NULL) ? -1 : dbl_session_alive_fd(client->locks->session);
}

int dblock_alive_new(void)
{
	return dbl_mark_open(dbl_env_system());
}

int dblock_alive_hand_on(int alive_fd)
{
	return dbl_mark_hand_on_fd(alive_fd);
}

int dblock_alive_stay(int fd)
{
	return dbl_mark_stay(fd);
}

bool dblock_alive_is_handed_on(int alive_fd)
{
	return dbl_mark_is_handed_on(alive_fd);
}

int64_t dblock_alive_ended(void)
{
	struct dbl_str names = {0};
	unsigned n = dbl_mark_list_dead(&names, DBL_NEVER);

	dbl_str_free(&names);
	return n;
}
