/* SPDX-License-Identifier: MIT */
/* One turn with a connection: connect, make sure that nothing lost is carried out behind what is
 * sent, send, and note what came of it. */
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "link/own.h"
#include "sql/tx.h"

/* How long to wait until the backend of a lost connection is gone. */
#define ENDING_US 1000000

/* For so long one connection does, after a second one could not be had. */
#define ONE_US 60000000

/* How long to wait for a second connection. */
#define SECOND_US 1000000

int dbl_link_no_turn(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NO_ANSWER,
			"no time left: other requests of this client kept its connection busy");
}

/* If the second queue is closed meanwhile, the sender gets its connection all the same. */
int dbl_connection_enter(struct dbl_connection *connection, int64_t deadline,
			 struct dblock_error *err)
{
	struct dbl_sender sender = {0};

	return dbl_combiner_take(&connection->combiner, &sender, deadline) == DBL_SEND_LEADS
		       ? 0
		       : dbl_link_no_turn(err);
}

static bool borrows(const struct dbl_connection *connection)
{
	return connection->link->lender != NULL;
}

static bool is_same(const struct dbl_backend *a, const struct dbl_backend *b)
{
	return a->id == b->id && strcmp(a->mark, b->mark) == 0;
}

/* Over our connection, end the backend that this other one has lost. */
static int end_lost(struct dbl_connection *ours, struct dbl_connection *connection,
		    int64_t deadline, struct dblock_error *err)
{
	struct dbl_link *link = connection->link;
	const struct dbl_env *env = link->target->env;
	int64_t now = dbl_now(env);
	struct dbl_backend lost;
	int rc;

	dbl_lock(&link->mutex);
	lost = connection->lost;
	dbl_unlock(&link->mutex);
	rc = dbl_backend_end(ours->db, &lost, env, dbl_least(deadline, now + ENDING_US), err);
	if (rc < 0)
		return rc;
	if (rc == 0)
		link->uncertain_until = now + DBL_LATEST_ARRIVAL_US;
	dbl_lock(&link->mutex);
	/* The other connection may have ended it as well, and lost its next backend since. */
	if (is_same(&lost, &connection->lost))
		connection->owing = false;
	dbl_unlock(&link->mutex);
	return 0;
}

/* Before anything new is sent, see to it that nothing that either connection has lost is carried
 * out behind it. */
static int end_all_lost(struct dbl_connection *ours, int64_t deadline, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < DBL_CONNECTIONS; i++) {
		while (rc == 0 && ours->link->connections[i].owing)
			rc = end_lost(ours, &ours->link->connections[i], deadline, err);
	}
	return rc;
}

/* A connection that cannot be made as durable as it should be is not used. */
int dbl_connection_endure(struct dbl_connection *connection, int64_t deadline,
			  struct dblock_error *err)
{
	int rc = dbl_db_endure(connection->db, connection->link->durability, deadline, err);

	if (rc)
		dbl_db_give_up(connection->db);
	return rc;
}

static void set_socket(struct dbl_connection *connection, int socket)
{
	int before;

	dbl_lock(&connection->link->mutex);
	before = connection->socket;
	connection->socket = socket;
	if (connection->db) {
		connection->hosts = dbl_db_conn(connection->db)->hosts;
		connection->host = dbl_db_conn(connection->db)->host;
	}
	dbl_unlock(&connection->link->mutex);
	if (before >= 0)
		close(before);
}

/* If no descriptor is left, who waits on it waits for its deadline. */
void dbl_connection_may_be_cut(struct dbl_connection *connection)
{
	int socket = connection->db ? dbl_db_socket(connection->db) : -1;

	set_socket(connection, socket < 0 ? -1 : fcntl(socket, F_DUPFD_CLOEXEC, 3));
}

void dbl_connection_close(struct dbl_connection *connection)
{
	set_socket(connection, -1);
	dbl_db_close(connection->db);
	connection->db = NULL;
	connection->serial = 0;
}

static int connect_it(struct dbl_connection *connection, int64_t deadline, struct dblock_error *err)
{
	struct dbl_link *link = connection->link, *counts = link->lender ? link->lender : link;
	int rc;

	connection->of = atomic_load(&link->generation);
	connection->serial = atomic_fetch_add(&counts->opened, 1) + 1;
	rc = dbl_db_open(&connection->db, connection->link->target, deadline, err);
	if (rc == 0)
		dbl_connection_may_be_cut(connection);
	if (rc == 0)
		rc = dbl_connection_endure(connection, deadline, err);
	if (rc == 0)
		rc = dbl_backend_read(connection->db, deadline, &connection->backend, err);
	return rc;
}

/* Close a lost connection at the end of our turn, not when it is next needed: until then the server
 * might keep a transaction open, and its locks. */
static void drop_broken(struct dbl_connection *connection)
{
	struct dbl_link *link = connection->link;

	if (!connection->db || !dbl_db_broken(connection->db))
		return;
	dbl_connection_close(connection);
	atomic_fetch_add(&link->losses, 1);
	DBL_COUNT(link->target->tally, connections_lost);
	if (link->on_loss)
		link->on_loss(link->on_loss_ctx);
}

void dbl_connection_leave(struct dbl_connection *connection)
{
	drop_broken(connection);
	if (borrows(connection))
		dbl_loan_return(connection);
	dbl_combiner_end(&connection->combiner, NULL, 0);
}

/* The second connection gets less time than the first: a pool that is too small never answers. */
static int connect_by(struct dbl_connection *connection, int64_t deadline, struct dblock_error *err)
{
	int64_t by = dbl_least(deadline, dbl_now(connection->link->target->env) + SECOND_US);
	int rc;

	if (connection == &connection->link->connections[0])
		return connect_it(connection, deadline, err);
	rc = connect_it(connection, by, err);
	if (rc == 0)
		return 0;
	dbl_connection_close(connection);
	if (err)
		err->code = DBLOCK_E_UNAVAILABLE;
	return DBLOCK_E_UNAVAILABLE;
}

int dbl_connection_ensure(struct dbl_connection *connection, int64_t deadline,
			  struct dblock_error *err)
{
	int rc;

	if (borrows(connection))
		dbl_loan_take(connection, deadline);
	if (connection->db && dbl_connection_is_old(connection))
		dbl_db_give_up(connection->db);
	drop_broken(connection);
	rc = connection->db ? 0 : connect_by(connection, deadline, err);
	if (rc == 0 && borrows(connection))
		dbl_loan_note(connection);
	if (rc == 0)
		rc = end_all_lost(connection, deadline, err);
	/* None of the caller's statements was sent. */
	return connection->db ? dbl_db_undone(connection->db, rc, deadline, err) : rc;
}

void dbl_connection_note(struct dbl_connection *connection, int rc)
{
	/* A balancer, or a name that leads elsewhere by now, helps only who connects anew. */
	if (rc == DBLOCK_E_READONLY && !connection->link->target->dialect->is_file)
		dbl_db_give_up(connection->db);
	if (rc != DBLOCK_E_UNSURE || !dbl_db_broken(connection->db))
		return;
	dbl_lock(&connection->link->mutex);
	connection->lost = connection->backend;
	connection->owing = true;
	dbl_unlock(&connection->link->mutex);
}

/* Is everything that was sent known to be over? */
static bool is_certain(const struct dbl_link *link)
{
	for (unsigned i = 0; i < DBL_CONNECTIONS; i++) {
		if (link->connections[i].owing)
			return false;
	}
	return !link->uncertain_until || dbl_now(link->target->env) >= link->uncertain_until;
}

/* Run one member. Not 0: there was no connection for it. */
static int serve_one(struct dbl_connection *connection, struct dbl_member *member)
{
	int rc = dbl_connection_ensure(connection, member->request->deadline, member->err);

	member->rc = rc ? rc : dbl_db_run(connection->db, member->request, member->err);
	if (rc == 0)
		dbl_connection_note(connection, member->rc);
	return rc;
}

static void count_batch(struct dbl_tally *tally, unsigned n)
{
	if (!tally)
		return;
	dbl_counter_add(&tally->batches, 1);
	dbl_counter_add(&tally->batched, n);
}

/* Run all of them as a batch. If the connection is lost, all of them are unsure. */
static int serve_all(struct dbl_connection *connection, struct dbl_member *const *members,
		     unsigned n)
{
	struct dblock_error err = {0};
	int rc = dbl_connection_ensure(connection, dbl_batch_deadline(members, n), &err);

	if (rc) {
		dbl_batch_fail(members, n, rc, &err);
	} else {
		count_batch(connection->link->target->tally, n);
		dbl_batch_run(connection->db, members, n);
		dbl_connection_note(connection, members[0]->rc);
	}
	return rc;
}

int dbl_connection_serve(struct dbl_connection *connection, struct dbl_member *const *members,
			 unsigned n)
{
	int rc = n == 1 ? serve_one(connection, members[0]) : serve_all(connection, members, n);

	for (unsigned i = 0; i < n; i++)
		members[i]->request->certain = is_certain(connection->link);
	return rc;
}

static bool wants_two(struct dbl_link *link)
{
	return link->target->dialect->connections && !link->single &&
	       dbl_now(link->target->env) >= link->one_until &&
	       dbl_combiner_are_many(&link->connections[0].combiner);
}

/* At the end of a turn, choose between one connection and two. If a second one cannot be had, all
 * goes by the first again; a request that failed for that is tried again there. */
static void choose_connections(struct dbl_connection *connection, int rc)
{
	struct dbl_link *link = connection->link;
	struct dbl_connection *first = &link->connections[0], *other = &link->connections[1];

	if (connection == other && rc && !other->db) {
		link->one_until = dbl_now(link->target->env) + ONE_US;
		dbl_combiner_part(&first->combiner, &other->combiner, false);
	} else if (connection == first && wants_two(link)) {
		dbl_combiner_part(&first->combiner, &other->combiner, true);
	}
}

void dbl_link_part(struct dbl_link *link, int64_t deadline)
{
	struct dbl_connection *first = &link->connections[0];

	if (dbl_connection_enter(first, deadline, NULL))
		return;
	dbl_combiner_part(&first->combiner, &link->connections[1].combiner, true);
	dbl_connection_leave(first);
}

void dbl_connection_send(struct dbl_connection *connection, struct dbl_member *own, bool alone)
{
	struct dbl_link *link = connection->link;
	struct dbl_member *members[DBL_BATCH_MAX];
	unsigned n = own != NULL;
	int rc = 0;

	members[0] = own;
	if (!alone)
		n = dbl_combiner_gather(&connection->combiner, dbl_now(link->target->env), members,
					n);
	if (n)
		rc = dbl_connection_serve(connection, members, n);
	drop_broken(connection);
	choose_connections(connection, rc);
	if (borrows(connection))
		dbl_loan_return(connection);
	dbl_combiner_end(&connection->combiner, own ? members + 1 : members, own ? n - 1 : n);
}
