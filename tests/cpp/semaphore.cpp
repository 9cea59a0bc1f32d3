/* SPDX-License-Identifier: MIT */
/* So many permits of a name. */
#include "cpp/kit.hpp"

TEST(a_semaphore_has_so_many_permits)
{
	dblock::client a = kit::client(), b = kit::client();
	dblock::semaphore mine(a, "permits", 3), theirs(b, "permits", 3);
	dblock::lock one = mine.acquire(), two = mine.acquire();

	CHECK(one.token() != two.token());
	CHECK(!theirs.try_acquire(2));
	CHECK(!theirs.try_acquire_for(20ms, 2));
	CHECK(bool(theirs.try_acquire(1)));
	two.release();
	CHECK(bool(theirs.try_acquire_until(std::chrono::steady_clock::now() + 1h, 2)));
	CHECK(kit::outcome_of([&] { (void)mine.acquire(4); }) == DBLOCK_E_INVALID);
	/* Naive: 0 is the default of C, which is one. */
	CHECK(kit::outcome_of([&] { (void)mine.acquire(0); }) == DBLOCK_E_INVALID);
	CHECK(kit::outcome_of([&] { (void)mine.try_acquire(-1); }) == DBLOCK_E_INVALID);
	CHECK(kit::outcome_of([&] { (void)dblock::semaphore(a, "none", 0).acquire(); }) ==
	      DBLOCK_E_INVALID);
}

TEST(permits_are_for_a_semaphore)
{
	dblock::client client = kit::client();
	dblock::lock_options options;
	auto says = [](auto call) {
		auto e = kit::thrown_by<dblock::error>(call);

		return e.outcome() == DBLOCK_E_INVALID &&
		       std::string(e.what()).find("dblock::semaphore") != std::string::npos;
	};

	options.mode = DBLOCK_PERMITS;
	CHECK(says([&] { dblock::mutex(client, "permits", options); }));
	CHECK(says([&] { (void)client.acquire("permits", options); }));
	CHECK(says([&] { (void)client.try_acquire("permits", options); }));
	dblock::semaphore(client, "permits, too", 1, options).acquire().release();
	dblock::shared_mutex passes_over(client, "permits, passed over", options);
	std::lock_guard guard(passes_over);
}
