/* SPDX-License-Identifier: MIT */
/* Clients, locks that are no mutex, semaphores, transactions. */
#include <sys/wait.h>
#include <unistd.h>

#include <dblock/request.h>

#include "cpp/kit.hpp"

namespace
{

/* What the database says of a lock. */
struct seen {
	dblock_hold hold = DBLOCK_HOLD_FREE;
	std::string value, app;
	std::int64_t left_ms = 0;
};

seen show(const char *name)
{
	dblock::client client = kit::client();
	dblock_error err = {};
	seen it;
	int rc = dblock_show(
		client.get(), name,
		[](void *arg, const dblock_holder *holder) {
			*static_cast<seen *>(arg) = {holder->hold, holder->value, holder->app,
						     holder->left_ms};
			return 0;
		},
		&it, &err);

	CHECK(rc == DBLOCK_OK);
	return it;
}

void query(dblock_tx *tx, const char *sql)
{
	dblock_error err;

	dblock::detail::expect_ok(
		dblock_tx_query(tx, sql, nullptr, 0, nullptr, nullptr, nullptr, &err), err);
}

void outside_of_a_transaction(dblock::client &client, const char *sql)
{
	dblock_tx *tx;
	dblock_error err;

	dblock::detail::expect_ok(dblock_tx_open(client.get(), &tx, &err), err);
	query(tx, sql);
	dblock_tx_close(tx);
}

std::int64_t count(dblock::client &client)
{
	std::int64_t n = -1;
	dblock_error err;

	client.transact([&](dblock_tx *tx) {
		dblock::detail::expect_ok(
			dblock_tx_query(
				tx, "SELECT COUNT(*) FROM counted", nullptr, 0, nullptr,
				[](void *arg, const dblock_value *row, std::size_t) {
					*static_cast<std::int64_t *>(arg) = row[0].i;
					return 0;
				},
				&n, &err),
			err);
	});
	return n;
}

} // namespace

TEST(what_cannot_be_opened_is_thrown)
{
	auto e = kit::thrown_by<dblock::error>([] { dblock::client("nosuch:thing"); });

	CHECK(e.outcome() == DBLOCK_E_INVALID && e.code() == std::errc::invalid_argument);
	CHECK(std::string(e.what()).find("nosuch") != std::string::npos);
	CHECK(kit::outcome_of([] { dblock::client(std::string_view("sqlite:a\0b", 10)); }) ==
	      DBLOCK_E_INVALID);
}

TEST(options_reach_the_library)
{
	dblock::client_options options;
	dblock::lock_options how;

	options.app = "cpp test";
	dblock::client client = kit::client(options);
	how.lease = 1h;
	how.value = "a value";
	dblock::lock lock = client.acquire("options", how);
	auto it = show("options");

	CHECK(it.hold == DBLOCK_HOLD_LEASE && it.value == "a value");
	CHECK(it.left_ms > 30 * 60 * 1000);
	lock.extend(3h);
	CHECK(lock.remaining() > 2h && lock.valid(2h) && !lock.valid(4h));
	CHECK(show("options").left_ms > 2 * 3600 * 1000);
	lock.release();
	CHECK(show("options").hold == DBLOCK_HOLD_FREE);
	lock = client.acquire("options");
	CHECK(show("options").hold == DBLOCK_HOLD_SESSION && show("options").app == "cpp test");

	options.ttl = 1ms;
	CHECK(kit::outcome_of([&] { kit::client(options); }) == DBLOCK_E_INVALID);
	how.value = std::string("a\0b", 3);
	CHECK(kit::outcome_of([&] { (void)client.acquire("options", how); }) == DBLOCK_E_INVALID);
	how = {};
	how.at_least = 1h;
	client.acquire("minimum", how).release();
	CHECK(show("minimum").hold == DBLOCK_HOLD_MINIMUM);
}

TEST(a_try_returns_no_lock)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::lock lock = a.try_acquire("tried");

	CHECK(bool(lock) && lock.name() == std::string("tried"));
	CHECK(!b.try_acquire("tried"));
	CHECK(!b.try_acquire_for("tried", 20ms));
	CHECK(!b.try_acquire_until("tried", std::chrono::steady_clock::now() + 20ms));
	lock.release();
	CHECK(bool(b.try_acquire_until("tried", std::chrono::steady_clock::now() + 1h)));
	CHECK(bool(b.try_acquire_for("tried", 1h)));
}

TEST(a_lock_moves_to_another_thread)
{
	dblock::client client = kit::client();
	dblock::lock lock = client.acquire("carried");
	auto token = lock.token();

	kit::elsewhere([&] {
		dblock::lock mine = std::move(lock);

		CHECK(mine.valid() && mine.token() == token);
		CHECK(!client.try_acquire("carried"));
	});
	CHECK(!lock);
	CHECK(bool(kit::client().try_acquire("carried")));
}

/* Naive: the handle is freed with its client. */
TEST(locks_and_mutexes_outlive_their_client)
{
	dblock::lock lock;
	std::unique_ptr<dblock::mutex> mutex;

	{
		dblock::client client = kit::client(), moved = std::move(client);

		CHECK(!client.get() && moved.get());
		lock = moved.acquire("outlives");
		mutex = std::make_unique<dblock::mutex>(moved, "outlives, too");
	}
	CHECK(lock.valid());
	CHECK(!kit::client().try_acquire("outlives"));
	lock.release();
	std::lock_guard guard(*mutex);
	CHECK(!kit::client().try_acquire("outlives, too"));
}

TEST(shutdown_ends_waits)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::lock held = a.acquire("shut");
	dblock::mutex mutex(b, "shut");
	auto waits = std::async(std::launch::async,
				[&] { return kit::outcome_of([&] { mutex.lock(); }); });

	b.shutdown();
	CHECK(waits.get() == DBLOCK_CANCELED);
	CHECK(held.valid());
}

TEST(callbacks_of_a_wait_may_throw)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::lock held = a.acquire("asked");
	dblock::lock_options options;

	options.canceled = [] { return true; };
	CHECK(kit::outcome_of([&] { (void)b.acquire("asked", options); }) == DBLOCK_CANCELED);
	options.canceled = []() -> bool { throw std::domain_error("canceled"); };
	kit::thrown_by<std::domain_error>([&] { (void)b.acquire("asked", options); });
	options.canceled = [] { return false; };
	options.waiting_every = 100ms;
	options.waiting = [](const dblock_waiting &) { throw std::out_of_range("waiting"); };
	kit::thrown_by<std::out_of_range>([&] { (void)b.acquire("asked", options); });
	CHECK(held.valid());
}

TEST(what_was_moved_from_is_refused)
{
	dblock::client client = kit::client(), other = std::move(client);
	dblock::semaphore permits(other, "moved", 1), moved = std::move(permits);
	auto refused = [](auto call) { return kit::outcome_of(call) == DBLOCK_E_INVALID; };

	CHECK(refused([&] { (void)client.acquire("moved"); }));
	CHECK(refused([&] { (void)client.try_acquire_for("moved", 1ms); }));
	CHECK(refused([&] { dblock::mutex(client, "moved"); }));
	CHECK(refused([&] { dblock::shared_mutex(client, "moved"); }));
	CHECK(refused([&] { dblock::semaphore(client, "moved", 1); }));
	CHECK(refused([&] { (void)permits.acquire(); }));
	CHECK(refused([&] { client.transact([](dblock_tx *) {}); }));
	client.shutdown();
	CHECK(!client.get());
	CHECK(bool(moved.acquire()));
	client = std::move(other);
	CHECK(bool(client.acquire("moved back")));
}

TEST(a_lock_says_whether_it_is_asked_for)
{
	dblock::client_options options;

	options.ttl = std::chrono::milliseconds(SLOWLY_MS(3000)); /* a heartbeat tells it */
	dblock::client a = kit::client(options), b = kit::client();
	dblock::lock lock = a.acquire("asked for");
	dblock_error err;

	CHECK(!lock.release_requested());
	CHECK(dblock_request_release(b.get(), "asked for", "", &err) == DBLOCK_OK);
	CHECK(kit::eventually([&] { return lock.release_requested(); }));
	lock.release();
	CHECK(!lock.release_requested());
}

TEST(a_transaction_is_committed_or_rolled_back)
{
	dblock::client client = kit::client();
	int runs = 0;

	outside_of_a_transaction(client, "CREATE TABLE counted (i INTEGER)");
	client.transact([](dblock_tx *tx) { query(tx, "INSERT INTO counted VALUES (1)"); });
	CHECK(count(client) == 1);
	kit::thrown_by<std::domain_error>([&] {
		client.transact([](dblock_tx *tx) {
			query(tx, "INSERT INTO counted VALUES (2)");
			throw std::domain_error("work");
		});
	});
	CHECK(count(client) == 1);
	client.transact([&](dblock_tx *tx) {
		query(tx, "INSERT INTO counted VALUES (3)");
		if (runs++ < 2)
			throw dblock::error(DBLOCK_E_CONFLICT, "again");
	});
	CHECK(runs == 3 && count(client) == 2);
	CHECK(kit::outcome_of([&] {
		      client.transact([](dblock_tx *tx) { query(tx, "SELECT no_such_thing"); });
	      }) < 0);
}

TEST(a_transaction_proves_the_lock)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::lock lock = client.acquire("fenced");
	std::atomic<int> lost{0};

	lock.on_loss([&] { lost++; });
	client.transact([&](dblock_tx *tx) {
		lock.fence(tx);
		/* The lock stays where it was, and is released afterwards. */
		CHECK(kit::outcome_of([&] { lock.release(); }) == DBLOCK_FENCED);
		CHECK(bool(lock));
	});
	kit::break_by_force("fenced");
	CHECK(kit::eventually([&] { return lost == 1; })); /* naive: the release has ended that */
	CHECK(kit::outcome_of([&] { client.transact([&](dblock_tx *tx) { lock.fence(tx); }); }) ==
	      DBLOCK_STALE);
}

TEST(the_end_of_a_lock_before_its_transaction_is_told)
{
	kit::told told;
	dblock::client client = kit::client(told);

	dblock::lock lock = client.acquire("too soon");

	client.transact([&](dblock_tx *tx) {
		dblock::lock ends = std::move(lock);

		ends.fence(tx);
	});
	CHECK(told.only(DBLOCK_FENCED));
}

/* Naive: what it has of its parent's lock is told to be none of its business, or waited for. */
TEST(a_child_process_lets_everything_be)
{
	kit::told told;
	auto client = std::make_unique<dblock::client>(kit::client(told));
	auto mutex = std::make_unique<dblock::mutex>(*client, "of a parent, too");
	auto lock = std::make_unique<dblock::lock>(client->acquire("of a parent"));
	int status = -1;

	lock->on_loss([] {});
	mutex->lock();
	pid_t child = fork();

	if (child == 0) {
		bool valid = lock->valid() || mutex->held().valid();

		lock.reset();
		mutex.reset();
		client.reset();
		_exit(valid || !told.all().empty());
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(lock->valid() && mutex->held().valid());
	mutex->unlock();
	lock->release();
}
