/* SPDX-License-Identifier: MIT */
/**
 * @file semaphore.hpp  So many permits of a name, for the whole fleet.
 */
#ifndef DBLOCK_HPP_SEMAPHORE_HPP
#define DBLOCK_HPP_SEMAPHORE_HPP

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <dblock/hpp/client.hpp>

namespace dblock
{

/**
 * Permits that are given back where the lock that holds them ends. Each acquire is a grant of its
 * own, also of one thread. All who use the name at one time say the same capacity.
 */
class semaphore
{
      public:
	semaphore(client &client, std::string_view name, std::int64_t capacity,
		  lock_options options = {})
	    : session_(detail::maker::session_of(client)),
	      name_(detail::whole(name, "the semaphore's name")), capacity_(capacity),
	      options_(std::move(options))
	{
	}

	/** Acquire so many permits, and wait for them as long as it takes. */
	[[nodiscard]] lock acquire(std::int64_t permits = 1) const
	{
		return take(permits, DBLOCK_FOREVER);
	}

	/** Acquire them if they can be had now: else what is returned is `false`. */
	[[nodiscard]] lock try_acquire(std::int64_t permits = 1) const
	{
		return take(permits, DBLOCK_NO_WAIT);
	}

	/** The same, waiting for so long at most. */
	template <class Rep, class Period>
	[[nodiscard]] lock try_acquire_for(const std::chrono::duration<Rep, Period> &time,
					   std::int64_t permits = 1) const
	{
		return take(permits, detail::wait_ms(time));
	}

	/** The same, until then at most. */
	template <class Clock, class Duration>
	[[nodiscard]] lock try_acquire_until(const std::chrono::time_point<Clock, Duration> &time,
					     std::int64_t permits = 1) const
	{
		return detail::wait_until(
			time, [&](std::int64_t wait_ms) { return take(permits, wait_ms); });
	}

      private:
	std::shared_ptr<detail::session> session_;
	std::string name_;
	std::int64_t capacity_;
	lock_options options_;

	lock take(std::int64_t permits, std::int64_t wait_ms) const
	{
		detail::acquire_call call(options_, wait_ms);

		/* In C 0 is one. */
		if (permits < 1)
			throw error(DBLOCK_E_INVALID, "'" + name_ +
							      "': " + std::to_string(permits) +
							      " permits are none: 1 or more");
		call.c.mode = DBLOCK_PERMITS;
		call.c.permits = permits;
		call.c.capacity = capacity_;
		return detail::maker::acquire(session_, name_, options_, call);
	}
};

} // namespace dblock

#endif
