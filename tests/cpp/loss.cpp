/* SPDX-License-Identifier: MIT */
/* A lock that is lost is told of: to whoever asks, to whoever listens, and else at its end. */
#include <shared_mutex>

#include <fcntl.h>
#include <unistd.h>

#include "cpp/kit.hpp"

namespace
{

dblock::lock taken(dblock::client &client, const char *name, std::function<void()> on_loss = {})
{
	dblock::lock_options options;

	options.on_loss = on_loss;
	return client.acquire(name, options);
}

bool has(const dblock::error &e, const char *words)
{
	return std::string(e.what()).find(words) != std::string::npos;
}

} // namespace

TEST(check_throws_and_says_why)
{
	dblock::client client = kit::client();
	dblock::mutex mutex(client, "check");
	std::lock_guard guard(mutex);

	mutex.held().check();
	CHECK(mutex.held().loss().cause == DBLOCK_LOSS_NONE);
	kit::break_by_force("check");
	CHECK(kit::eventually([&] { return !mutex.held().valid(); }));
	auto e = kit::thrown_by<dblock::lost>([&] { mutex.held().check(); });
	CHECK(e.outcome() == DBLOCK_LOST);
	CHECK(has(e, "'check'") && has(e, "broken"));
	CHECK(mutex.held().loss().cause == DBLOCK_LOSS_BROKEN);
	CHECK(mutex.held().remaining() == 0ms);
	/* It has been told: unlock() does not tell it again, which would end this program. */
}

TEST(unlock_tells_on_error)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::shared_mutex mutex(client, "unlock");

	{
		std::shared_lock guard(mutex);

		kit::break_by_force("unlock");
	}
	CHECK(told.only(DBLOCK_LOST));
	CHECK(has(told.all()[0], "'unlock'"));
	mutex.lock();
	mutex.unlock();
	CHECK(told.all().size() == 1);
}

/* An unlock() that threw would end the program here. */
TEST(an_exception_goes_on_past_a_lost_lock)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::mutex mutex(client, "unwound");

	kit::thrown_by<std::domain_error>([&] {
		std::unique_lock guard(mutex);

		kit::break_by_force("unwound");
		throw std::domain_error("work");
	});
	CHECK(told.only(DBLOCK_LOST));
}

TEST(the_end_of_a_lock_tells_on_error)
{
	kit::told told;
	dblock::client client = kit::client(told);

	{
		dblock::lock lock = taken(client, "scope");

		kit::break_by_force("scope");
	}
	CHECK(told.only(DBLOCK_LOST));
	{
		dblock::lock lock = taken(client, "scope");

		kit::break_by_force("scope");
		lock = taken(client, "another");
		CHECK(told.all().size() == 2);
		CHECK(lock.valid());
	}
	CHECK(told.all().size() == 2);
}

TEST(release_throws_and_the_lock_is_gone)
{
	dblock::client client = kit::client();
	dblock::lock lock = taken(client, "release");

	kit::break_by_force("release");
	auto e = kit::thrown_by<dblock::lost>([&] { lock.release(); });
	CHECK(has(e, "'release'"));
	CHECK(!lock && !lock.valid() && lock.token() == 0);
	lock.release();
	CHECK(kit::outcome_of([&] { lock.check(); }) == DBLOCK_E_INVALID);
}

/* Who wants an exception at the end of a guard. */
TEST(a_mutex_can_be_released_by_a_call_that_throws)
{
	dblock::client client = kit::client();
	dblock::mutex mutex(client, "by held");
	std::unique_lock guard(mutex);

	kit::break_by_force("by held");
	kit::thrown_by<dblock::lost>([&] { mutex.held().release(); });
	guard.unlock();
	guard.lock();
	mutex.held().release();
	CHECK(bool(kit::client().try_acquire("by held")));
}

TEST(without_a_handler_it_is_a_line_on_the_standard_error)
{
	std::string path = test_env("DBLOCK_TEST_TMP") + std::string("/stderr");
	dblock::client_options options;
	char line[1024] = "";
	FILE *file;
	int saved = dup(2), fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(saved > 0 && fd > 0 && dup2(fd, 2) == 2);
	options.auto_migrate = true;
	{
		dblock::client client(test_url(), options);
		dblock::lock lock = client.acquire("loud");

		kit::break_by_force("loud");
	}
	dup2(saved, 2);
	close(saved);
	close(fd);
	file = fopen(path.c_str(), "r");
	CHECK(file && fgets(line, sizeof(line), file));
	CHECK(std::string(line).find("dblock: 'loud'") == 0);
	CHECK(!fgets(line, sizeof(line), file));
	fclose(file);
}

/* Naive, with one handle in the mutex: the thread that has lost it unlocks what the other one holds. */
TEST(who_has_lost_it_does_not_unlock_for_another)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::mutex mutex(client, "theirs");
	std::unique_lock guard(mutex);

	kit::break_by_force("theirs");
	kit::elsewhere([&] {
		std::lock_guard other(mutex);
		auto token = mutex.held().token();

		std::async(std::launch::async, [&] { CHECK(!mutex.try_lock()); }).get();
		CHECK(mutex.held().token() == token);
	});

	std::promise<void> locked, unlocked;
	auto other = std::async(std::launch::async, [&] {
		std::lock_guard theirs(mutex);

		locked.set_value();
		unlocked.get_future().wait();
		mutex.held().check();
		CHECK(!kit::client().try_acquire("theirs"));
	});

	locked.get_future().wait();
	guard.unlock();
	CHECK(told.only(DBLOCK_LOST));
	unlocked.set_value();
	other.get();
}

/* ---- on_loss --------------------------------------------------------------------------------- */

TEST(on_loss_is_called_once)
{
	kit::told told;
	dblock::client client = kit::client(told);
	std::atomic<int> early{0}, late{0}, too_late{0};
	dblock::lock lock = taken(client, "heard", [&] { early++; });

	lock.on_loss([&] { late++; });
	kit::break_by_force("heard");
	CHECK(kit::eventually([&] { return early && late; }));
	lock.on_loss([&] { too_late++; });
	CHECK(too_late == 1); /* naive: nobody calls it any more */
	dblock::lock moved = std::move(lock);
	kit::thrown_by<dblock::lost>([&] { moved.release(); });
	CHECK(early == 1 && late == 1 && too_late == 1);
	CHECK(told.all().empty());
}

/* In C the options of the first acquire stay. Naive: the second one's on_loss is never called. */
TEST(on_loss_of_each_lock_of_a_thread)
{
	kit::told told;
	dblock::client client = kit::client(told);
	std::atomic<int> outer{0}, inner{0}, gone{0};
	dblock::lock one = taken(client, "nested", [&] { outer++; });
	dblock::lock two = taken(client, "nested", [&] { inner++; });

	taken(client, "nested", [&] { gone++; }).release();
	kit::break_by_force("nested");
	CHECK(kit::eventually([&] { return outer && inner; }));
	CHECK(outer == 1 && inner == 1 && gone == 0);
}

/* Naive: what it refers to has ended while it runs. */
TEST(on_loss_has_returned_when_the_lock_ends)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::lock outer = taken(client, "runs");
	std::atomic<bool> begun{false}, inside{false};

	{
		dblock::lock inner = taken(client, "runs", [&] {
			inside = begun = true;
			std::this_thread::sleep_for(200ms);
			inside = false;
		});

		kit::break_by_force("runs");
		CHECK(kit::eventually([&] { return begun.load(); }));
	}
	CHECK(!inside);
}

TEST(on_loss_may_release_the_lock)
{
	dblock::client client = kit::client();
	std::promise<dblock_outcome> outcome;
	dblock::lock lock = client.acquire("let go");

	lock.on_loss([&] { outcome.set_value(kit::outcome_of([&] { lock.release(); })); });
	kit::break_by_force("let go");
	CHECK(outcome.get_future().get() == DBLOCK_LOST);
}

/* No datagram reaches it: so the release is what finds the loss. */
TEST(a_posted_release_tells_of_a_loss)
{
	kit::told told;
	dblock::client_options options;

	options.on_error = told.handler();
	options.tuning = DBLOCK_TUNING_INIT;
	options.tuning->post_releases = true;
	options.tuning->wake_off = DBLOCK_WAKE_SOCKET;
	dblock::client client = kit::client(options);
	dblock::lock lock = client.acquire("posted");

	kit::break_by_force("posted");
	lock = {};
	CHECK(kit::eventually([&] { return !told.all().empty(); }));
	CHECK(told.only(DBLOCK_LOST));
}

#if __cplusplus >= 202002L
TEST(a_stop_token_tells_of_a_loss)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::mutex mutex(client, "stopped"), other(client, "not stopped");
	std::scoped_lock guard(mutex, other);
	std::stop_token lost = mutex.held().loss_token();
	std::atomic<int> called{0};
	std::stop_callback callback(mutex.held().loss_token(), [&] { called++; });

	CHECK(lost.stop_possible() && !lost.stop_requested());
	kit::break_by_force("stopped");
	CHECK(kit::eventually([&] { return lost.stop_requested() && called == 1; }));
	CHECK(!other.held().loss_token().stop_requested());
	CHECK(mutex.held().loss_token() == lost);
	CHECK(mutex.held().loss_token().stop_requested());
}

TEST(a_stop_token_of_a_lock_that_is_lost_is_stopped)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::lock lock = client.acquire("stopped before");

	kit::break_by_force("stopped before");
	CHECK(kit::eventually([&] { return !lock.valid(); }));
	CHECK(lock.loss_token().stop_requested());
}
#endif
