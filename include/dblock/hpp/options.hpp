/* SPDX-License-Identifier: MIT */
/**
 * @file options.hpp  Options of clients and locks: what is not set is the default, as in C.
 */
#ifndef DBLOCK_HPP_OPTIONS_HPP
#define DBLOCK_HPP_OPTIONS_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <dblock/client.h>
#include <dblock/hpp/error.hpp>
#include <dblock/lock.h>
#include <dblock/trace.h>

namespace dblock
{

/** Options of a client; their meaning is that of struct dblock_client_options (client.h). */
struct client_options {
	std::chrono::milliseconds ttl{};
	std::chrono::milliseconds timeout{};
	std::string app{};
	std::string prefix{};
	std::string schema{};
	dblock_durability durability = DBLOCK_DURABILITY_DEFAULT;
	int alive_fd = 0;
	bool auto_migrate = false;
	bool observe = false;
	std::optional<dblock_tuning> tuning{};
	/**
	 * Told what nobody else can be told: what a destructor or unlock() finds, DBLOCK_LOST above
	 * all, and what a posted release could not do. Runs on the thread that finds it, and must
	 * not throw; for a posted release it must not use the client either.
	 * Default: a line to the standard error.
	 */
	std::function<void(const error &)> on_error{};
	/** Told how the session stands, by the rules of `state_changed` in C: on a thread of the
	 *  library, briefly; `why` may be null. It must not throw. */
	std::function<void(dblock_connection_state, const error *why)> state_changed{};
	/** Told what calls did, by the rules of `trace` in C (trace.h). It must not throw. */
	std::function<void(const dblock_span &)> trace{};
	std::chrono::milliseconds slow_wait{};
	std::chrono::milliseconds long_hold{};
};

/** Options of a lock; their meaning is that of struct dblock_acquire_options (lock.h). */
struct lock_options {
	dblock_mode mode = DBLOCK_EXCLUSIVE; /**< DBLOCK_PERMITS is for dblock::semaphore */
	std::chrono::milliseconds lease{};
	std::chrono::milliseconds at_least{};
	std::chrono::milliseconds idle{};
	std::chrono::milliseconds settle{};
	std::chrono::milliseconds deadlock{}; /**< below 0: never looked for */
	std::string value{};
	std::uint64_t owner = 0;
	bool unfair = false;
	/**
	 * Called once if the lock is lost, before the database lets anybody else in; not after the
	 * release. Runs on a thread of the library, briefly, and must not throw. It may release
	 * this very lock.
	 */
	std::function<void()> on_loss{};
	/** Asked at least every 100 ms while waiting; true ends that with DBLOCK_CANCELED. What it
	 *  throws ends the wait, too, and is thrown there. */
	std::function<bool()> canceled{};
	/** Called now and then while waiting, by the rules of `waiting` in C. It may throw likewise. */
	std::function<void(const dblock_waiting &)> waiting{};
	std::chrono::milliseconds waiting_every{};
};

namespace detail
{

/* A C string, or the default. */
inline const char *c_text(const std::string &text)
{
	return text.empty() ? nullptr : text.c_str();
}

/* A text with a NUL would reach the C library as another one. */
inline std::string whole(std::string_view text, const char *what)
{
	if (text.find('\0') != text.npos)
		throw error(DBLOCK_E_INVALID, std::string(what) + " has a NUL character in it");
	return std::string(text);
}

/* How many they are, and of how many, lock_options does not say. */
inline void expect_no_permits(const lock_options &options)
{
	if (options.mode == DBLOCK_PERMITS)
		throw error(DBLOCK_E_INVALID, "permits are acquired by a dblock::semaphore");
}

/* As wait_ms: never sooner than asked for; what is over by now is a try. */
template <class Rep, class Period>
std::int64_t wait_ms(const std::chrono::duration<Rep, Period> &time)
{
	using inexact = std::chrono::duration<double, std::milli>;
	constexpr double ages = 1e15; /* milliseconds: what follows must not overflow */

	if (time <= time.zero())
		return DBLOCK_NO_WAIT;
	if (inexact(time).count() >= ages)
		return DBLOCK_FOREVER;
	return std::chrono::ceil<std::chrono::milliseconds>(time).count();
}

/* Wait until a time of any clock: one that was set back meanwhile is waited for again. */
template <class Clock, class Duration, class Wait>
auto wait_until(const std::chrono::time_point<Clock, Duration> &time, Wait wait)
{
	for (auto now = Clock::now(); now < time; now = Clock::now())
		if (auto got = wait(wait_ms(time - now)))
			return got;
	return wait(DBLOCK_NO_WAIT);
}

/* One acquire's options in C, and what its callbacks have thrown. It stays where it is. */
class acquire_call
{
      public:
	dblock_acquire_options c = DBLOCK_ACQUIRE_OPTIONS_INIT;

	acquire_call(const lock_options &options, std::int64_t wait_ms) : options_(options)
	{
		c.wait_ms = wait_ms;
		c.mode = options.mode;
		c.lease_ms = options.lease.count();
		c.at_least_ms = options.at_least.count();
		c.idle_ms = options.idle.count();
		c.settle_ms = options.settle.count();
		c.deadlock_ms = options.deadlock.count();
		value_ = whole(options.value, "the value");
		c.value = c_text(value_);
		c.owner = options.owner;
		c.unfair = options.unfair;
		c.waiting_every_ms = options.waiting_every.count();
		if (options.canceled || options.waiting)
			c.canceled = canceled;
		if (options.waiting)
			c.waiting = waiting;
		c.canceled_arg = c.waiting_arg = this;
	}

	acquire_call(const acquire_call &) = delete;
	acquire_call &operator=(const acquire_call &) = delete;

	void rethrow() const
	{
		if (thrown_)
			std::rethrow_exception(thrown_);
	}

      private:
	const lock_options &options_;
	std::string value_;
	std::exception_ptr thrown_;

	static int canceled(void *arg) noexcept
	{
		auto &call = *static_cast<acquire_call *>(arg);

		try {
			if (!call.thrown_ && call.options_.canceled)
				return call.options_.canceled();
		} catch (...) {
			call.thrown_ = std::current_exception();
		}
		return call.thrown_ != nullptr;
	}

	static void waiting(void *arg, const dblock_waiting *waiting) noexcept
	{
		auto &call = *static_cast<acquire_call *>(arg);

		try {
			if (!call.thrown_)
				call.options_.waiting(*waiting);
		} catch (...) {
			call.thrown_ = std::current_exception();
		}
	}
};

} // namespace detail

} // namespace dblock

#endif
