/* SPDX-License-Identifier: MIT */
/* Giving up the connections of a link, as they lead to a server that is not the right one any more; and giving up
 * tries. */
#include <stdatomic.h>
#include <sys/socket.h>

#include "link/own.h"

void dbl_link_drop(struct dbl_link *link)
{
	atomic_fetch_add(&link->generation, 1);
	if (link->lender)
		dbl_link_drop(link->lender);
}

void dbl_link_cut(struct dbl_link *link, unsigned host)
{
	dbl_link_drop(link);
	dbl_lock(&link->mutex);
	for (unsigned i = 0; i < DBL_CONNECTIONS; i++) {
		const struct dbl_connection *connection = &link->connections[i];

		if (connection->socket >= 0 && (connection->hosts <= 1 || connection->host != host))
			(void)shutdown(connection->socket, SHUT_RDWR);
	}
	dbl_unlock(&link->mutex);
}

void dbl_link_shun(struct dbl_link *link)
{
	atomic_uint *good = link->target->url.good_host;
	unsigned of = atomic_load(&link->connections[0].of);

	/* Of several threads that find it wrong one goes on to the next host. */
	if (!atomic_compare_exchange_strong(&link->generation, &of, of + 1))
		return;
	if (good)
		(*good)++;
	if (link->lender)
		dbl_link_drop(link->lender);
}

void dbl_link_go(struct dbl_link *link, unsigned host)
{
	if (link->target->url.good_host)
		*link->target->url.good_host = host;
	dbl_link_drop(link);
}

void dbl_link_once(struct dbl_link *link)
{
	atomic_store(&link->once, true);
}
