/* SPDX-License-Identifier: MIT */
/* A child process that touches its parent's client is refused everywhere, and does no harm: the
 * parent's session beats on, its locks stay, and each of its calls works as before. */
#include <sys/mman.h>

#include "support/steps.h"

enum { TTL_MS = 6000 };

/* The parent's client. What its channel just opens is known to that thread's stack alone, and so
 * would be a leak in the child, to LeakSanitizer: there it has none. */
static struct dblock_client *parents_client(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
#if defined(__SANITIZE_ADDRESS__)
	TUNE(options, .wake_off = DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL);
#endif
	return client_with(&options);
}

struct family {
	struct dblock_client *client;
	struct dblock_lock *lock, *lease;
	struct dblock_wait *wait; /* in the queue behind that lock */
	int *wrong;               /* shared with the child: how many calls were not refused */
};

static int ignore(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 0;
}

/* In the child, where an assertion of cmocka would go on with the parent's tests. */
static void refused(struct family *f, const char *call, int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_E_FORKED && err->code == rc && strstr(err->message, "process"))
		return;
	++*f->wrong;
	fprintf(stderr, "in the child, %s: %s\n", call, dblock_outcome_name(rc));
}

#define must_refuse(call) refused(f, #call, (call), &err)

static void touch_locks(struct family *f)
{
	struct dblock_error err = {0};
	struct dblock_wait *wait;
	int fd;

	must_refuse(dblock_release(f->lock, &err));
	must_refuse(dblock_release(f->lease, &err));
	must_refuse(dblock_extend(f->lease, 60000, &err));
	must_refuse(dblock_release_begin(f->lock, &wait, &err));
	must_refuse(dblock_extend_begin(f->lease, 60000, &wait, &err));
	must_refuse(dblock_lost_fd(f->lock, &fd, &err));
	if (dblock_valid(f->lock, 0) || dblock_valid(f->lease, 0) ||
	    dblock_remaining_ms(f->lock) != 0 || dblock_remaining_ms(f->lease) != 0) {
		++*f->wrong;
		fprintf(stderr, "the child believes that it holds the lock\n");
	}
	/* What is only read stays readable. */
	if (dblock_token(f->lock) <= 0 || strcmp(dblock_name(f->lock), "kept") != 0)
		++*f->wrong;
}

/* The parent's place in the queue stays, too. */
static void touch_wait(struct family *f)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int fd;

	must_refuse(dblock_wait_fd(f->wait, &fd, &err));
	must_refuse(dblock_wait_step(f->wait, &lock, &err));
	must_refuse(dblock_wait_finish(f->wait, &lock, &err));
	dblock_wait_cancel(f->wait);
	dblock_wait_end(f->wait);
}

static void touch_client(struct family *f)
{
	struct dblock_error err = {0};
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_lock *lock;
	struct dblock_wait *wait;

	must_refuse(dblock_try(f->client, "kept", NULL, &lock, &err)); /* a re-entry, it seems */
	must_refuse(dblock_try(f->client, "new", NULL, &lock, &err));
	must_refuse(dblock_acquire(f->client, "new", NULL, &lock, &err));
	must_refuse(dblock_acquire_begin(f->client, "new", NULL, &wait, &err));
	must_refuse(dblock_try_begin(f->client, "new", NULL, &wait, &err));
	must_refuse(dblock_release_token(f->client, "kept", dblock_token(f->lock), &err));
	must_refuse(dblock_extend_token(f->client, "lease", dblock_token(f->lease), 60000, &err));
	must_refuse(dblock_list(f->client, NULL, ignore, NULL, &err));
	must_refuse(dblock_show(f->client, "kept", ignore, NULL, &err));
	must_refuse(break_by_force(f->client, "kept", 0, 0, &err));
	must_refuse(dblock_reap(f->client, NULL, &reaped, &err));
}

static void touch_everything(struct family *f)
{
	touch_locks(f);
	touch_wait(f);
	touch_client(f);
	*f->wrong += (dblock_close)(f->client, NULL) != DBLOCK_E_FORKED;
	touch_client(f); /* closing it has closed nothing */
}

/* Fork; the child does that and ends by `end`. */
static void fork_and(void (*body)(struct family *), struct family *f, void (*end)(int))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		body(f);
		end(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(*f->wrong, 0);
}

/* Wait until the session has beaten `n` times more, which puts its end off by a third of the ttl.
 * (On SQLite that end is shown by another clock than it is kept in: it always moves a little.) */
static void wait_for_beats(struct dblock_client *client, const char *name, int n)
{
	int64_t give_up = clock_ms() + PLENTY_MS;
	struct shown before = show(client, name), now = before;

	while (now.h.expires_us < before.h.expires_us + n * TTL_MS / 4 * 1000) {
		assert_true(clock_ms() < give_up);
		sleep_ms(20);
		now = show(client, name);
		assert_string_equal(now.session, before.session);
	}
}

static struct family begin(void)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct family f = {.client = parents_client(TTL_MS)};

	options.lease_ms = 600000;
	f.lock = take(f.client, "kept");
	expect(OK, dblock_try(f.client, "lease", &options, &f.lease, &err));
	options.lease_ms = 0;
	options.owner = 7;
	f.wait = wait_begin_with(f.client, "kept", &options);
	get_in_queue(f.wait);
	f.wrong = mmap(NULL, sizeof(*f.wrong), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	assert_ptr_not_equal(f.wrong, MAP_FAILED);
	return f;
}

static void finish(struct family *f)
{
	give(f->lock);
	give(wait_gets(f->wait));
	give(f->lease);
	is_free(f->client, "kept");
	dblock_close(f->client, NULL);
	munmap(f->wrong, sizeof(*f->wrong));
}

static void the_parent_does_not_notice(void **state)
{
	struct dblock_client *other = client_new(0);
	struct dblock_error err = {0};
	struct family f = begin();

	(void)state;
	fork_and(touch_everything, &f, _exit);
	fork_and(touch_everything, &f, exit);
	wait_for_beats(f.client, "kept", 2);
	assert_true(dblock_valid(f.lock, 0));
	assert_true(dblock_valid(f.lease, 0));
	busy(other, "kept");
	busy(other, "lease");
	expect(OK, dblock_extend(f.lease, 700000, &err));
	finish(&f);
	is_free(other, "kept");
	is_free(other, "lease");
	dblock_close(other, NULL);
}

static int open_own(struct dblock_client **client, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = PLENTY_MS;
	return dblock_open(test_url(), &options, client, err);
}

/* A client of its own, which sees what the parent holds. */
static void use_own(struct family *f)
{
	struct dblock_error err = {0};
	struct dblock_client *own;
	struct dblock_lock *lock;

	child_has_threads();
	*f->wrong += open_own(&own, &err) != DBLOCK_OK;
	if (*f->wrong) {
		fprintf(stderr, "in the child: %s\n", err.message);
		return;
	}
	*f->wrong += dblock_try(own, "kept", NULL, &lock, NULL) != DBLOCK_BUSY;
	*f->wrong += dblock_try(own, "new", NULL, &lock, &err) != DBLOCK_OK;
	*f->wrong += dblock_release(lock, NULL) != DBLOCK_OK;
	dblock_close(own, NULL);
}

static void be_refused_own(struct family *f)
{
	struct dblock_error err = {0};
	struct dblock_client *own;

	must_refuse(open_own(&own, &err));
	must_refuse(dblock_migrate_up(test_url(), NULL, NULL, NULL, NULL, &err));
}

/* SQLite keeps, once for all connections of a process, what locks that has on a file: in a child
 * this is untrue. It would write without a lock, into a WAL that others have deleted. */
static void a_child_opens_its_own(void **state)
{
	struct dblock_client *other = client_new(0);
	struct family f = begin();

	(void)state;
	fork_and(on_backend("sqlite") ? be_refused_own : use_own, &f, exit);
	assert_true(dblock_valid(f.lock, 0));
	busy(other, "kept");
	dblock_close(other, NULL);
	finish(&f);
}

/* The same once the parent has closed its clients: also on SQLite. */
static void a_child_of_a_parent_that_has_closed(void **state)
{
	struct family f = begin();
	struct child child;
	struct grab grab = {.name = "grandchild", .lease_ms = 600000};

	(void)state;
	finish(&f);
	child = child_start(child_takes, &grab);
	assert_true(child.said > 0);
	child_kill(&child);
	f.client = parents_client(0);
	busy(f.client, "grandchild");
	dblock_close(f.client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parent_does_not_notice),
		cmocka_unit_test(a_child_opens_its_own),
		cmocka_unit_test(a_child_of_a_parent_that_has_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
