/* SPDX-License-Identifier: MIT */
/**
 * @file shared_mutex.hpp  Readers together, a writer alone: for std::shared_lock as well.
 */
#ifndef DBLOCK_HPP_SHARED_MUTEX_HPP
#define DBLOCK_HPP_SHARED_MUTEX_HPP

#include <dblock/hpp/mutex.hpp>

namespace dblock
{

/**
 * As dblock::mutex, and meets SharedLockable and SharedTimedLockable. They are one queue: nobody
 * starves.
 *
 * A thread that holds it alone may share it with itself. One that shares it cannot lock it: that
 * throws DBLOCK_E_INVALID, for it would wait for itself; held().upgrade() is the way. options.mode
 * is passed over.
 */
class shared_mutex : public basic_mutex
{
      public:
	shared_mutex(client &client, std::string_view name, lock_options options = {})
	    : basic_mutex(client, name, std::move(options))
	{
	}

	void lock()
	{
		(void)take(DBLOCK_EXCLUSIVE, DBLOCK_FOREVER);
	}

	[[nodiscard]] bool try_lock()
	{
		return take(DBLOCK_EXCLUSIVE, DBLOCK_NO_WAIT);
	}

	template <class Rep, class Period>
	[[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period> &time)
	{
		return take(DBLOCK_EXCLUSIVE, detail::wait_ms(time));
	}

	template <class Clock, class Duration>
	[[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration> &time)
	{
		return detail::wait_until(time, [this](std::int64_t wait_ms) {
			return take(DBLOCK_EXCLUSIVE, wait_ms);
		});
	}

	/** Never throws; see held(). */
	void unlock() noexcept
	{
		give();
	}

	void lock_shared()
	{
		(void)take(DBLOCK_SHARED, DBLOCK_FOREVER);
	}

	[[nodiscard]] bool try_lock_shared()
	{
		return take(DBLOCK_SHARED, DBLOCK_NO_WAIT);
	}

	template <class Rep, class Period>
	[[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &time)
	{
		return take(DBLOCK_SHARED, detail::wait_ms(time));
	}

	template <class Clock, class Duration>
	[[nodiscard]] bool try_lock_shared_until(
		const std::chrono::time_point<Clock, Duration> &time)
	{
		return detail::wait_until(time, [this](std::int64_t wait_ms) {
			return take(DBLOCK_SHARED, wait_ms);
		});
	}

	/** Never throws; see held(). */
	void unlock_shared() noexcept
	{
		give();
	}
};

} // namespace dblock

#endif
