/* SPDX-License-Identifier: MIT */
/* Readers together, a writer alone. */
#include <shared_mutex>

#include "cpp/kit.hpp"

TEST(readers_are_together_and_a_writer_is_alone)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::shared_mutex mine(a, "read"), theirs(b, "read");

	{
		std::shared_lock one(mine), two(theirs, 1h);

		CHECK(two.owns_lock());
		CHECK(mine.held().mode() == DBLOCK_SHARED);
		kit::elsewhere([&] {
			std::shared_lock three(mine, std::try_to_lock);

			CHECK(three.owns_lock());
			three.unlock();
			CHECK(!mine.try_lock_for(20ms));
		});
	}
	std::unique_lock alone(mine);

	CHECK(!theirs.try_lock_shared());
	CHECK(!theirs.try_lock_shared_for(20ms));
	CHECK(!theirs.try_lock_shared_until(std::chrono::steady_clock::now() + 20ms));
	CHECK(!theirs.try_lock());
	alone.unlock();
	CHECK(theirs.try_lock_until(std::chrono::system_clock::now() + 1h));
	theirs.unlock();
}

TEST(a_writer_may_read)
{
	dblock::client client = kit::client();
	dblock::shared_mutex mutex(client, "write, read");
	std::unique_lock alone(mutex);
	std::shared_lock shared(mutex);

	CHECK(shared.owns_lock());
	CHECK(mutex.held().mode() == DBLOCK_EXCLUSIVE);
}

/* Naive: re-entry lets the writer in beside the readers. */
TEST(a_reader_cannot_lock_but_upgrade)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::shared_mutex mine(a, "up"), theirs(b, "up");
	std::shared_lock shared(mine);

	CHECK(kit::outcome_of([&] { mine.lock(); }) == DBLOCK_E_INVALID);
	CHECK(kit::outcome_of([&] { (void)mine.try_lock(); }) == DBLOCK_E_INVALID);
	{
		std::shared_lock beside(theirs);

		CHECK(!mine.held().try_upgrade_for(20ms));
		CHECK(mine.held().mode() == DBLOCK_SHARED);
	}
	mine.held().upgrade();
	CHECK(mine.held().mode() == DBLOCK_EXCLUSIVE);
	CHECK(!theirs.try_lock_shared());
	mine.held().downgrade(DBLOCK_SHARED);
	CHECK(theirs.try_lock_shared());
	theirs.unlock_shared();
}

TEST(many_threads_read_and_write)
{
	dblock::client client = kit::client();
	dblock::shared_mutex mutex(client, "crowd");
	std::vector<std::future<void>> threads;
	std::atomic<int> writers{0}, readers{0};
	int left = 0, right = 0;

	for (int i = 0; i < 4; i++)
		threads.push_back(std::async(std::launch::async, [&, i] {
			for (int turn = 0; turn < 6; turn++)
				if (i % 2) {
					std::lock_guard guard(mutex);

					CHECK(++writers == 1 && readers == 0);
					left++;
					std::this_thread::yield();
					right++;
					--writers;
				} else {
					std::shared_lock guard(mutex);

					++readers;
					CHECK(writers == 0 && left == right);
					--readers;
				}
		}));
	for (auto &thread : threads)
		thread.get();
	CHECK(left == 12 && right == 12);
}
