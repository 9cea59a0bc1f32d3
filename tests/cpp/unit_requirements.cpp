/* SPDX-License-Identifier: MIT */
/* What the standard's guards ask of a mutex, as far as the compiler can tell. */
#include <shared_mutex>
#include <type_traits>

#include "cpp/kit.hpp"

namespace requirements
{

using std::chrono::steady_clock;
using std::chrono::system_clock;

template <class T, class = void> struct basic_lockable : std::false_type {
};
template <class T>
struct basic_lockable<T, std::enable_if_t<std::is_void_v<decltype(std::declval<T &>().lock())> &&
					  std::is_void_v<decltype(std::declval<T &>().unlock())>
						  &&noexcept(std::declval<T &>().unlock())>>
    : std::true_type {
};

template <class T, class = void> struct timed_lockable : std::false_type {
};
template <class T>
struct timed_lockable<
	T,
	std::enable_if_t<std::is_same_v<bool, decltype(std::declval<T &>().try_lock())> &&
			 std::is_same_v<bool, decltype(std::declval<T &>().try_lock_for(1s))> &&
			 std::is_same_v<bool, decltype(std::declval<T &>().try_lock_for(1.5h))> &&
			 std::is_same_v<bool, decltype(std::declval<T &>().try_lock_until(
						      steady_clock::now()))> &&
			 std::is_same_v<bool, decltype(std::declval<T &>().try_lock_until(
						      system_clock::now()))>>> : basic_lockable<T> {
};

template <class T, class = void> struct shared_lockable : std::false_type {
};
template <class T>
struct shared_lockable<
	T, std::enable_if_t<
		   std::is_void_v<decltype(std::declval<T &>().lock_shared())> &&
		   std::is_same_v<bool, decltype(std::declval<T &>().try_lock_shared())> &&
		   std::is_same_v<bool, decltype(std::declval<T &>().try_lock_shared_for(1s))> &&
		   std::is_same_v<bool, decltype(std::declval<T &>().try_lock_shared_until(
						system_clock::now()))> &&
		   std::is_void_v<decltype(std::declval<T &>().unlock_shared())> &&noexcept(
			   std::declval<T &>().unlock_shared())>> : std::true_type {
};

/* These see a mutex that has it all, and one that has not. */
static_assert(!timed_lockable<std::mutex>::value && basic_lockable<std::mutex>::value == false);
static_assert(!shared_lockable<std::timed_mutex>::value);

static_assert(timed_lockable<dblock::mutex>::value);
static_assert(timed_lockable<dblock::shared_mutex>::value);
static_assert(shared_lockable<dblock::shared_mutex>::value);
static_assert(!shared_lockable<dblock::mutex>::value);

/* As a standard mutex they stay where they are. */
static_assert(!std::is_copy_constructible_v<dblock::mutex>);
static_assert(!std::is_move_constructible_v<dblock::mutex>);
static_assert(!std::is_move_constructible_v<dblock::shared_mutex>);

static_assert(!std::is_copy_constructible_v<dblock::lock>);
static_assert(!std::is_copy_assignable_v<dblock::lock>);
static_assert(std::is_nothrow_move_constructible_v<dblock::lock>);
static_assert(std::is_nothrow_move_assignable_v<dblock::lock>);
static_assert(std::is_nothrow_destructible_v<dblock::lock>);
static_assert(!std::is_convertible_v<dblock::lock, bool>);

static_assert(!std::is_copy_constructible_v<dblock::client>);
static_assert(std::is_nothrow_move_constructible_v<dblock::client>);

/* What is thrown must not throw while it is copied. */
static_assert(std::is_nothrow_copy_constructible_v<dblock::error>);
static_assert(std::is_base_of_v<std::system_error, dblock::lost>);

} // namespace requirements

TEST(a_timeout_that_is_long_is_no_short_one)
{
	using dblock::detail::wait_ms;

	CHECK(wait_ms(0s) == DBLOCK_NO_WAIT);
	CHECK(wait_ms(-1h) == DBLOCK_NO_WAIT);
	CHECK(wait_ms(std::chrono::nanoseconds::min()) == DBLOCK_NO_WAIT);
	CHECK(wait_ms(1ns) == 1); /* naive: 0, which is the default: for ever */
	CHECK(wait_ms(1500us) == 2);
	CHECK(wait_ms(std::chrono::duration<double>(0.25)) == 250);
	CHECK(wait_ms(24h * 365) == 24LL * 365 * 3600 * 1000);
	CHECK(wait_ms(std::chrono::hours::max()) == DBLOCK_FOREVER); /* naive: it overflows */
	CHECK(wait_ms(std::chrono::nanoseconds::max()) ==
	      std::chrono::nanoseconds::max().count() / 1000000 + 1);
}

TEST(each_outcome_is_an_error_condition_where_one_fits)
{
	auto code = [](dblock_outcome outcome) { return dblock::error(outcome, "x").code(); };

	CHECK(code(DBLOCK_DEADLOCK) == std::errc::resource_deadlock_would_occur);
	CHECK(code(DBLOCK_E_INVALID) == std::errc::invalid_argument);
	CHECK(code(DBLOCK_CANCELED) == std::errc::operation_canceled);
	CHECK(code(DBLOCK_LOST) != std::errc::timed_out);
	CHECK(code(DBLOCK_LOST).category() == dblock::category());
	CHECK(code(DBLOCK_LOST).message() == dblock_outcome_text(DBLOCK_LOST));
	CHECK(std::string(dblock::error(DBLOCK_LOST, "the words").what()) == "the words");
}
