/* SPDX-License-Identifier: MIT */
/**
 * @file lock.hpp  A grant: it is released where this object ends.
 */
#ifndef DBLOCK_HPP_LOCK_HPP
#define DBLOCK_HPP_LOCK_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#if __cplusplus >= 202002L
#include <stop_token>
#endif

#include <dblock/fence.h>
#include <dblock/hpp/session.hpp>
#include <dblock/request.h>

namespace dblock
{

namespace detail
{

struct maker;

}

class client;

/**
 * A lock that is held, or none: what a try that found it taken returns, and what was released or
 * moved from. It can be moved, also to another thread, and released there; not copied.
 *
 * It belongs to no thread, but is for one at a time, but for what only asks: valid(), remaining(),
 * token(), name(), mode(), release_requested() and loss().
 */
class lock
{
      public:
	lock() noexcept = default;

	lock(lock &&other) noexcept
	    : session_(std::move(other.session_)), lock_(std::exchange(other.lock_, nullptr)),
	      ears_(std::move(other.ears_)), stop_(std::move(other.stop_)), told_(other.told_)
	{
	}

	lock &operator=(lock &&other) noexcept
	{
		lock(std::move(other)).swap(*this);
		return *this;
	}

	/** Release it, if that was not done; what goes wrong is told to client_options::on_error,
	 *  but not a loss that was thrown for this lock before. */
	~lock()
	{
		dblock_error err;
		int rc = lock_ ? let_go(&err) : DBLOCK_OK;

		/* What a child process has of its parent's lock is no lock. */
		if (rc != DBLOCK_OK && rc != DBLOCK_E_FORKED && !(rc == DBLOCK_LOST && told_))
			session_->report(err);
	}

	void swap(lock &other) noexcept
	{
		std::swap(session_, other.session_);
		std::swap(lock_, other.lock_);
		std::swap(ears_, other.ears_);
		std::swap(stop_, other.stop_);
		std::swap(told_, other.told_);
	}

	/** Is there a lock to release? Whether it may be relied on, valid() says. */
	explicit operator bool() const noexcept
	{
		return lock_ != nullptr;
	}

	/**
	 * Release it; nothing if there is none. Throws dblock::lost if it had been lost before, and
	 * error for what dblock_release() returns: it is no longer held by this object then, but
	 * after DBLOCK_FENCED, when it is held as before, and DBLOCK_E_FORKED.
	 */
	void release()
	{
		dblock_error err;

		if (!lock_)
			return;
		int rc = let_go(&err);

		if (rc == DBLOCK_FENCED && ears_)
			session_->listeners().listen_again(lock_, ears_);
		expect(rc, err);
	}

	/** Throws dblock::lost unless it is certainly still held: see valid(). */
	void check()
	{
		dblock_loss loss = DBLOCK_LOSS_INIT;

		if (valid())
			return;
		need();
		if (dblock_loss_of(lock_, &loss) == DBLOCK_E_FORKED)
			throw error(DBLOCK_E_FORKED, dblock_outcome_text(DBLOCK_E_FORKED));
		told_ = true;
		throw lost(DBLOCK_LOST,
			   "'" + std::string(name()) + "' is not held any more" +
				   (loss.text[0] ? std::string(": ") + loss.text : ""));
	}

	/** Is it certainly still held, and for so long? dblock_valid(): a memory read. */
	bool valid(std::chrono::milliseconds need = {}) const noexcept
	{
		return lock_ && dblock_valid(lock_, need.count());
	}

	/** Until valid() turns false unless it is renewed. */
	std::chrono::milliseconds remaining() const noexcept
	{
		return std::chrono::milliseconds(lock_ ? dblock_remaining_ms(lock_) : 0);
	}

	/** The fencing token; 0 if there is no lock. */
	std::int64_t token() const noexcept
	{
		return lock_ ? dblock_token(lock_) : 0;
	}

	/** Lives as long as the lock is held; "" if there is none. */
	const char *name() const noexcept
	{
		return lock_ ? dblock_name(lock_) : "";
	}

	dblock_mode mode() const noexcept
	{
		return lock_ ? dblock_mode_of(lock_) : DBLOCK_EXCLUSIVE;
	}

	/** Has somebody asked its holder to let go? dblock_release_requested(): a memory read. */
	bool release_requested() const noexcept
	{
		return lock_ && dblock_release_requested(lock_);
	}

	/** Why it was lost; its cause is DBLOCK_LOSS_NONE if it was not. */
	dblock_loss loss() const noexcept
	{
		dblock_loss loss = DBLOCK_LOSS_INIT;

		if (lock_)
			(void)dblock_loss_of(lock_, &loss);
		return loss;
	}

	/** Call this once if the lock is lost, as lock_options::on_loss; now if it is. */
	void on_loss(std::function<void()> call)
	{
		need();
		if (!ears_)
			ears_ = std::make_shared<detail::ears>();
		session_->listeners().listen(lock_, ears_, std::move(call));
	}

	/** Give its lease a new end, so long from now: dblock_extend(). */
	void extend(std::chrono::milliseconds lease)
	{
		dblock_error err;

		expect(dblock_extend(need(), lease.count(), &err), err);
	}

	/** Make it exclusive, and wait for the other holders to let go: dblock_upgrade(). */
	void upgrade()
	{
		(void)upgrade_in(DBLOCK_FOREVER);
	}

	/** The same, for so long at most; false: they have not, and it is held as before. */
	template <class Rep, class Period>
	[[nodiscard]] bool try_upgrade_for(const std::chrono::duration<Rep, Period> &time)
	{
		return upgrade_in(detail::wait_ms(time));
	}

	/** Go on in a weaker mode: dblock_downgrade(). */
	void downgrade(dblock_mode mode)
	{
		dblock_error err;

		expect(dblock_downgrade(need(), mode, &err), err);
	}

	/** Let a transaction prove that it is held, until its end: dblock_fence(). Throws for
	 *  DBLOCK_STALE as for all else. */
	void fence(dblock_tx *tx)
	{
		dblock_error err;

		expect(dblock_fence(tx, need(), &err), err);
	}

	/** For calls of the C library; not to be released by dblock_release(). */
	dblock_lock *get() const noexcept
	{
		return lock_;
	}

#if __cplusplus >= 202002L
	/** It is stopped if the lock is lost, before the database lets anybody else in. */
	std::stop_token loss_token()
	{
		if (!stop_) {
			auto stop = std::make_shared<std::stop_source>();

			on_loss([stop] { stop->request_stop(); });
			stop_ = stop;
		}
		return static_cast<std::stop_source *>(stop_.get())->get_token();
	}
#endif

      private:
	std::shared_ptr<detail::session> session_;
	dblock_lock *lock_ = nullptr;
	std::shared_ptr<detail::ears> ears_; /* NULL: nobody wants to hear of its loss */
	std::shared_ptr<void> stop_;         /* a std::stop_source, where there is C++20 */
	bool told_ = false;                  /* that it is lost has been thrown */

	friend struct detail::maker;

	lock(std::shared_ptr<detail::session> session, dblock_lock *held) noexcept
	    : session_(std::move(session)), lock_(held)
	{
	}

	dblock_lock *need() const
	{
		if (!lock_)
			throw error(DBLOCK_E_INVALID, "no lock is held here");
		return lock_;
	}

	/* As release(), which says what is left. */
	int let_go(dblock_error *err) noexcept
	{
		if (ears_)
			session_->listeners().ignore(lock_, ears_);
		int rc = dblock_release(lock_, err);

		if (rc != DBLOCK_FENCED && rc != DBLOCK_E_FORKED)
			lock_ = nullptr;
		return rc;
	}

	void expect(int rc, const dblock_error &err)
	{
		told_ = told_ || rc == DBLOCK_LOST;
		detail::expect_ok(rc, err);
	}

	bool upgrade_in(std::int64_t wait_ms)
	{
		dblock_upgrade_options options = DBLOCK_UPGRADE_OPTIONS_INIT;
		dblock_error err;

		options.wait_ms = wait_ms;
		int rc = dblock_upgrade(need(), &options, &err);

		if (rc == DBLOCK_BUSY || rc == DBLOCK_TIMEOUT)
			return false;
		expect(rc, err);
		return true;
	}
};

namespace detail
{

/* A client or a semaphore that was moved from has none. */
inline const std::shared_ptr<session> &expect_open(const std::shared_ptr<session> &session)
{
	if (!session)
		throw error(DBLOCK_E_INVALID, "there is no client here: it was moved from");
	return session;
}

/* Makes locks, of a session. */
struct maker {
	static const std::shared_ptr<session> &session_of(const client &client);

	/* A lock, or none if it is not free for as long as the call waits. */
	static lock acquire(const std::shared_ptr<session> &session, const std::string &name,
			    const lock_options &options, acquire_call &call)
	{
		dblock_lock *c = nullptr;
		dblock_error err;

		call.c.lost = session::hear;
		call.c.lost_arg = expect_open(session).get();
		int rc = dblock_acquire(session->get(), name.c_str(), &call.c, &c, &err);
		lock got(rc == DBLOCK_OK ? lock(session, c) : lock());

		call.rethrow();
		if (rc != DBLOCK_BUSY && rc != DBLOCK_TIMEOUT)
			expect_ok(rc, err);
		if (got && options.on_loss)
			got.on_loss(options.on_loss);
		return got;
	}

	static lock acquire(const std::shared_ptr<session> &session, const std::string &name,
			    const lock_options &options, std::int64_t wait_ms)
	{
		acquire_call call(options, wait_ms);

		return acquire(session, name, options, call);
	}
};

} // namespace detail

} // namespace dblock

#endif
