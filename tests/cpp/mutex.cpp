/* SPDX-License-Identifier: MIT */
/* A mutex of the fleet does what one of the process does, in the standard's guards. */
#include "cpp/kit.hpp"

namespace
{

bool is_free(const char *name)
{
	dblock::client other = kit::client();

	return bool(other.try_acquire(name));
}

} // namespace

TEST(guards_lock_and_unlock_it)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::mutex mine(a, "guards"), theirs(b, "guards");

	{
		std::lock_guard guard(mine);
		std::unique_lock other(theirs, std::try_to_lock);

		CHECK(mine.held().token() > 0);
		CHECK(mine.held().valid());
		CHECK(!other.owns_lock());
	}
	std::unique_lock guard(theirs);

	CHECK(guard.owns_lock());
	CHECK(!mine.try_lock());
	guard.unlock();
	CHECK(mine.try_lock());
	mine.unlock();
}

TEST(each_holder_has_a_larger_token)
{
	dblock::client a = kit::client();
	dblock::mutex one(a, "tokens"), same(a, "tokens");
	std::unique_lock guard(one);
	auto before = one.held().token();

	guard.unlock();
	std::lock_guard again(same);
	CHECK(same.held().token() > before);
}

/* Naive: a mutex that is its own owner lets all its threads in, as re-entry. */
TEST(threads_of_one_mutex_exclude_each_other)
{
	dblock::client client = kit::client();
	dblock::mutex mutex(client, "threads");
	std::vector<std::future<void>> threads;
	std::atomic<int> inside{0};
	int counted = 0; /* no atomic: the mutex guards it */

	for (int i = 0; i < 4; i++)
		threads.push_back(std::async(std::launch::async, [&] {
			for (int turn = 0; turn < 10; turn++) {
				std::lock_guard guard(mutex);
				int before = counted;

				CHECK(++inside == 1);
				std::this_thread::yield();
				counted = before + 1;
				--inside;
			}
		}));
	for (auto &thread : threads)
		thread.get();
	CHECK(counted == 40);
}

TEST(a_thread_may_lock_again)
{
	dblock::client client = kit::client();
	dblock::mutex mutex(client, "again");

	std::unique_lock first(mutex);
	auto token = mutex.held().token();
	std::unique_lock second(mutex, std::try_to_lock);

	CHECK(second.owns_lock());
	CHECK(mutex.held().token() == token);
	first.unlock();
	CHECK(mutex.held().valid());
	CHECK(!is_free("again"));
	second.unlock();
	CHECK(is_free("again"));
	CHECK(kit::outcome_of([&] { mutex.held(); }) == DBLOCK_E_INVALID);
}

/* std::lock() backs off: they wait for each other never for long. */
TEST(scoped_lock_takes_several_in_any_order)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::mutex x(a, "order x"), y(a, "order y"), x2(b, "order x"), y2(b, "order y");
	std::mutex local;
	int counted = 0;
	auto other = std::async(std::launch::async, [&] {
		for (int turn = 0; turn < 10; turn++) {
			std::scoped_lock all(y2, local, x2);
			counted++;
		}
	});

	for (int turn = 0; turn < 10; turn++) {
		std::scoped_lock all(x, y, local);
		counted++;
	}
	other.get();
	CHECK(counted == 20);
	CHECK(is_free("order x") && is_free("order y"));
}

/* Nobody waits forever: the last one to come is told so. */
TEST(a_deadlock_is_thrown)
{
	dblock::lock_options soon;

	soon.deadlock = 50ms;
	dblock::client client = kit::client();
	dblock::mutex x(client, "dead x", soon), y(client, "dead y", soon);
	std::promise<void> first, second;
	std::atomic<int> deadlocks{0};
	auto both = [&](dblock::mutex &one, dblock::mutex &two, std::promise<void> &mine,
			std::promise<void> &theirs) {
		std::lock_guard held(one);

		mine.set_value();
		theirs.get_future().wait();
		try {
			std::lock_guard wanted(two);
		} catch (const dblock::error &e) {
			CHECK(e.code() == std::errc::resource_deadlock_would_occur);
			deadlocks++;
		}
	};
	auto other = std::async(std::launch::async, [&] { both(y, x, second, first); });

	both(x, y, first, second);
	other.get();
	CHECK(deadlocks == 1);
}

TEST(tries_wait_as_long_as_they_are_told)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::mutex mine(a, "timed"), theirs(b, "timed");
	auto ms = [](auto time) {
		return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
	};
	std::unique_lock guard(mine);
	auto begun = std::chrono::steady_clock::now();

	CHECK(!theirs.try_lock_for(150ms));
	CHECK(ms(std::chrono::steady_clock::now() - begun) >= 150);
	auto until = std::chrono::system_clock::now() + 100ms;
	CHECK(!theirs.try_lock_until(until));
	CHECK(std::chrono::system_clock::now() >= until);
	CHECK(!theirs.try_lock_until(std::chrono::system_clock::time_point::min()));
	CHECK(!theirs.try_lock_for(-1s));

	auto waits = std::async(std::launch::async, [&] {
		std::unique_lock got(theirs, std::chrono::milliseconds(PLENTY_MS));
		return got.owns_lock();
	});
	guard.unlock();
	CHECK(waits.get());
	CHECK(mine.try_lock_for(std::chrono::hours::max()));
	mine.unlock();
}

TEST(a_thread_unlocks_only_what_it_holds)
{
	kit::told told;
	dblock::client client = kit::client(told);
	dblock::mutex mutex(client, "strange");
	std::lock_guard guard(mutex);

	kit::elsewhere([&] { mutex.unlock(); });
	CHECK(told.only(DBLOCK_E_INVALID));
	CHECK(mutex.held().valid());
	CHECK(!is_free("strange"));
}

TEST(a_mutex_that_ends_while_it_is_held_lets_go)
{
	dblock::client client = kit::client();

	{
		dblock::mutex mutex(client, "ended");

		mutex.lock();
	}
	CHECK(is_free("ended"));
}

TEST(what_no_mutex_can_be_is_refused)
{
	dblock::client client = kit::client();
	dblock::lock_options owned;

	owned.owner = 7;
	CHECK(kit::outcome_of([&] { dblock::mutex(client, "owned", owned); }) == DBLOCK_E_INVALID);
	/* Naive: it is 'cut'. */
	CHECK(kit::outcome_of([&] { dblock::mutex(client, std::string_view("cut\0off", 7)); }) ==
	      DBLOCK_E_INVALID);
	CHECK(kit::outcome_of([&] { dblock::mutex(client, "").lock(); }) == DBLOCK_E_INVALID);
}
