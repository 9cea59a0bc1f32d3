/* SPDX-License-Identifier: MIT */
/**
 * @file client.hpp  A client, by which locks are acquired.
 */
#ifndef DBLOCK_HPP_CLIENT_HPP
#define DBLOCK_HPP_CLIENT_HPP

#include <memory>
#include <string_view>
#include <utility>

#include <dblock/hpp/lock.hpp>
#include <dblock/tx.h>

namespace dblock
{

/**
 * An open client: dblock_open(), whose comment has the URLs. Any number of threads may use it, and
 * should. It can be moved, not copied; what was moved from throws DBLOCK_E_INVALID.
 *
 * Its locks, mutexes and semaphores keep what is behind it: they may outlive it, and the last of
 * all closes it. So a program that is to end calls shutdown(), and joins its threads.
 */
class client
{
      public:
	explicit client(std::string_view url, client_options options = {})
	    : session_(std::make_shared<detail::session>(url, std::move(options)))
	{
	}

	client(client &&) noexcept = default;
	client &operator=(client &&) noexcept = default;

	/** Acquire a lock, and wait for it as long as it takes. */
	[[nodiscard]] lock acquire(std::string_view name, const lock_options &options = {})
	{
		return take(name, options, DBLOCK_FOREVER);
	}

	/** Acquire it if it is free now: else what is returned is `false`. */
	[[nodiscard]] lock try_acquire(std::string_view name, const lock_options &options = {})
	{
		return take(name, options, DBLOCK_NO_WAIT);
	}

	/** The same, waiting for so long at most. */
	template <class Rep, class Period>
	[[nodiscard]] lock try_acquire_for(std::string_view name,
					   const std::chrono::duration<Rep, Period> &time,
					   const lock_options &options = {})
	{
		return take(name, options, detail::wait_ms(time));
	}

	/** The same, until then at most. */
	template <class Clock, class Duration>
	[[nodiscard]] lock try_acquire_until(std::string_view name,
					     const std::chrono::time_point<Clock, Duration> &time,
					     const lock_options &options = {})
	{
		return detail::wait_until(
			time, [&](std::int64_t wait_ms) { return take(name, options, wait_ms); });
	}

	/**
	 * Run work(tx) inside a transaction, and commit it; again after a conflict or a deadlock:
	 * dblock_tx_run(). What work throws rolls back, and is thrown here; an error whose outcome
	 * is DBLOCK_E_CONFLICT or DBLOCK_DEADLOCK, only if running it again does not help.
	 */
	template <class Work> void transact(Work &&work, const dblock_tx_options *options = nullptr)
	{
		attempts<Work> all{work, nullptr};
		dblock_error err;
		int rc = dblock_tx_run(get(), options, all.run, &all, &err);

		if (rc != DBLOCK_OK && all.thrown)
			std::rethrow_exception(all.thrown);
		detail::expect_ok(rc, err);
	}

	/** End all waits of this client, for ever, on whatever thread: they throw an error whose
	 *  outcome is DBLOCK_CANCELED. What is held stays held. */
	void shutdown() noexcept
	{
		dblock_shutdown(get());
	}

	/** For calls of the C library; not to be closed by dblock_close(). NULL if moved from. */
	dblock_client *get() const noexcept
	{
		return session_ ? session_->get() : nullptr;
	}

      private:
	std::shared_ptr<detail::session> session_;

	friend struct detail::maker;

	lock take(std::string_view name, const lock_options &options, std::int64_t wait_ms)
	{
		detail::expect_no_permits(options);
		return detail::maker::acquire(session_, detail::whole(name, "the lock's name"),
					      options, wait_ms);
	}

	/* One run after the other of what transact() is given. */
	template <class Work> struct attempts {
		Work &work;
		std::exception_ptr thrown;

		static int run(void *arg, dblock_tx *tx, dblock_error *err) noexcept
		{
			auto &self = *static_cast<attempts *>(arg);

			self.thrown = nullptr;
			try {
				self.work(tx);
				return DBLOCK_OK;
			} catch (const error &e) {
				self.thrown = std::current_exception();
				*err = e.detail();
			} catch (...) {
				self.thrown = std::current_exception();
				*err = error(DBLOCK_CANCELED, "an exception").detail();
			}
			return err->code;
		}
	};
};

namespace detail
{

inline const std::shared_ptr<session> &maker::session_of(const client &client)
{
	return expect_open(client.session_);
}

} // namespace detail

} // namespace dblock

#endif
