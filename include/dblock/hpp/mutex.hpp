/* SPDX-License-Identifier: MIT */
/**
 * @file mutex.hpp  A mutex of the whole fleet, for std::unique_lock, std::scoped_lock, ...
 */
#ifndef DBLOCK_HPP_MUTEX_HPP
#define DBLOCK_HPP_MUTEX_HPP

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <dblock/hpp/client.hpp>

namespace dblock
{

namespace detail
{

/* Which thread holds what by a mutex. A thread that has lost the lock and does not know it yet
 * must not unlock what another one was granted since: so each has its own. */
class held_by_threads
{
      public:
	void add(lock &&held)
	{
		entries one;

		one.emplace_back(std::this_thread::get_id(), std::move(held));
		std::lock_guard guard(mutex_);
		all_.splice(all_.end(), one);
	}

	/* The calling thread's last one; stays until that thread takes it. */
	lock *find() noexcept
	{
		std::lock_guard guard(mutex_);
		auto at = last();

		return at == all_.rend() ? nullptr : &at->second;
	}

	/* Out of the list; false if this thread has none. */
	bool take(lock &out) noexcept
	{
		std::lock_guard guard(mutex_);
		auto at = last();

		if (at == all_.rend())
			return false;
		out.swap(at->second);
		all_.erase(std::next(at).base());
		return true;
	}

      private:
	using entries = std::list<std::pair<std::thread::id, lock>>;

	std::mutex mutex_;
	entries all_;

	entries::reverse_iterator last()
	{
		auto at = all_.rbegin();

		while (at != all_.rend() && at->first != std::this_thread::get_id())
			++at;
		return at;
	}
};

} // namespace detail

/**
 * What dblock::mutex and dblock::shared_mutex have in common. Each lock() of a thread wants its own
 * unlock() on that thread.
 */
class basic_mutex
{
      public:
	basic_mutex(const basic_mutex &) = delete;
	basic_mutex &operator=(const basic_mutex &) = delete;

	const std::string &name() const noexcept
	{
		return name_;
	}

	/**
	 * What the calling thread holds by this mutex: check(), valid(), token(), on_loss(),
	 * loss_token(), fence(), ... of it. Lives until it unlocks. By release() it is told, as an
	 * exception, what unlock() can only tell client_options::on_error; the unlock() that
	 * follows does nothing then. Throws DBLOCK_E_INVALID if the thread holds nothing.
	 */
	lock &held()
	{
		lock *found = held_.find();

		if (!found)
			throw error(DBLOCK_E_INVALID, not_held());
		return *found;
	}

      protected:
	basic_mutex(client &client, std::string_view name, lock_options options)
	    : session_(detail::maker::session_of(client)),
	      name_(detail::whole(name, "the lock's name")), options_(std::move(options))
	{
		/* All threads would be one holder. */
		if (options_.owner)
			throw error(DBLOCK_E_INVALID, "a mutex is held by threads: owner is not "
						      "for it; client::acquire() takes one");
	}

	~basic_mutex() = default;

	bool take(dblock_mode mode, std::int64_t wait_ms)
	{
		detail::acquire_call call(options_, wait_ms);

		call.c.mode = mode;
		lock got = detail::maker::acquire(session_, name_, options_, call);

		if (!got)
			return false;
		held_.add(std::move(got));
		return true;
	}

	/* As unlock() of a standard mutex it must not throw: ~lock() reports. */
	void give() noexcept
	{
		lock held;

		if (!held_.take(held))
			session_->report(error(DBLOCK_E_INVALID, not_held()));
	}

	const lock_options &options() const noexcept
	{
		return options_;
	}

      private:
	std::shared_ptr<detail::session> session_;
	const std::string name_;
	const lock_options options_;
	detail::held_by_threads held_;

	std::string not_held() const
	{
		return "'" + name_ + "': this thread does not hold it by this mutex";
	}
};

/**
 * A lock of the database as a mutex: meets Lockable and TimedLockable. Threads exclude each other
 * as well, and so do several mutexes of one name.
 *
 * The thread that holds it may lock it again. options.mode may be DBLOCK_UPDATE, not DBLOCK_PERMITS.
 * lock() and the tries throw dblock::error for all but "not free": DBLOCK_DEADLOCK,
 * DBLOCK_E_UNAVAILABLE, ... A loss is told by held(), options.on_loss, and, at the latest,
 * when unlock() finds it, by client_options::on_error.
 */
class mutex : public basic_mutex
{
      public:
	mutex(client &client, std::string_view name, lock_options options = {})
	    : basic_mutex(client, name, std::move(options))
	{
		detail::expect_no_permits(this->options());
	}

	void lock()
	{
		(void)take(options().mode, DBLOCK_FOREVER);
	}

	[[nodiscard]] bool try_lock()
	{
		return take(options().mode, DBLOCK_NO_WAIT);
	}

	template <class Rep, class Period>
	[[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period> &time)
	{
		return take(options().mode, detail::wait_ms(time));
	}

	template <class Clock, class Duration>
	[[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration> &time)
	{
		return detail::wait_until(time, [this](std::int64_t wait_ms) {
			return take(options().mode, wait_ms);
		});
	}

	/** Never throws; see held(). */
	void unlock() noexcept
	{
		give();
	}
};

} // namespace dblock

#endif
