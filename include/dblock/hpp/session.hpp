/* SPDX-License-Identifier: MIT */
/**
 * @file session.hpp  The C client behind a dblock::client and all that was made with it. It is
 * closed with the last of these. Nothing here is for use by itself.
 */
#ifndef DBLOCK_HPP_SESSION_HPP
#define DBLOCK_HPP_SESSION_HPP

#include <memory>
#include <string>
#include <utility>

#include <dblock/hpp/error.hpp>
#include <dblock/hpp/listeners.hpp>
#include <dblock/hpp/options.hpp>
#include <dblock/lock.h>

namespace dblock
{

namespace detail
{

class session
{
      public:
	session(std::string_view url, client_options options) : told_(std::make_unique<told>())
	{
		dblock_error err;

		told_->on_error = std::move(options.on_error);
		told_->state_changed = std::move(options.state_changed);
		told_->trace = std::move(options.trace);
		expect_ok(open(whole(url, "the URL"), options, &err), err);
	}

	session(const session &) = delete;
	session &operator=(const session &) = delete;

	/* A child process has nothing to close: it is all its parent's. */
	~session()
	{
		dblock_error err;
		int rc = dblock_close(client_, &err);

		if (rc != DBLOCK_OK && rc != DBLOCK_E_FORKED)
			report(error(err));
		/* Refused, as in a callback: the C client goes on, and tells as before. */
		if (rc == DBLOCK_E_INVALID)
			(void)told_.release();
	}

	dblock_client *get() const noexcept
	{
		return client_;
	}

	/* What can be thrown to nobody. */
	void report(const error &e) const noexcept
	{
		told_->report(e);
	}

	void report(const dblock_error &err) const noexcept
	{
		told_->report(err);
	}

	/* Every acquire gives this as `lost`, with the session: so whoever enters a lock again
	 * hears of its loss, too, though in C the first one's options stay. */
	static void hear(void *arg, dblock_lock *lock) noexcept
	{
		auto kept = static_cast<session *>(arg)->listeners_;

		kept->tell_all(lock);
	}

	detail::listeners &listeners() const noexcept
	{
		return *listeners_;
	}

      private:
	/* What the C client calls: so it outlives that. */
	struct told {
		std::function<void(const error &)> on_error;
		std::function<void(dblock_connection_state, const error *)> state_changed;
		std::function<void(const dblock_span &)> trace;

		void report(const error &e) const noexcept
		{
			if (on_error)
				on_error(e);
			else
				std::fprintf(stderr, "dblock: %s\n", e.what());
		}

		void report(const dblock_error &err) const noexcept
		{
			if (err.code == DBLOCK_LOST)
				report(lost(err));
			else
				report(error(err));
		}
	};

	dblock_client *client_ = nullptr;
	std::unique_ptr<told> told_;
	const std::shared_ptr<detail::listeners> listeners_ = std::make_shared<detail::listeners>();

	int open(const std::string &url, const client_options &options, dblock_error *err)
	{
		dblock_client_options c = DBLOCK_CLIENT_OPTIONS_INIT;
		dblock_tuning tuning = DBLOCK_TUNING_INIT;
		const std::string app = whole(options.app, "app");
		const std::string prefix = whole(options.prefix, "prefix");
		const std::string schema = whole(options.schema, "schema");

		c.ttl_ms = options.ttl.count();
		c.timeout_ms = options.timeout.count();
		c.app = c_text(app);
		c.prefix = c_text(prefix);
		c.schema = c_text(schema);
		c.durability = options.durability;
		c.alive_fd = options.alive_fd;
		c.auto_migrate = options.auto_migrate;
		c.observe = options.observe;
		if (options.tuning)
			tuning = *options.tuning;
		if (!tuning.release_failed) {
			tuning.release_failed = release_failed;
			tuning.release_failed_arg = told_.get();
		}
		c.tuning = &tuning;
		if (told_->state_changed)
			c.state_changed = state_changed;
		if (told_->trace)
			c.trace = trace;
		c.state_changed_arg = c.trace_arg = told_.get();
		c.slow_wait_ms = options.slow_wait.count();
		c.long_hold_ms = options.long_hold.count();
		return dblock_open(url.c_str(), &c, &client_, err);
	}

	static void release_failed(void *arg, const char *, std::int64_t,
				   const dblock_error *err) noexcept
	{
		static_cast<told *>(arg)->report(*err);
	}

	static void state_changed(void *arg, dblock_connection_state state,
				  const dblock_error *why) noexcept
	{
		auto &call = static_cast<told *>(arg)->state_changed;

		if (!why)
			return call(state, nullptr);
		error e(*why);
		call(state, &e);
	}

	static void trace(void *arg, const dblock_span *span) noexcept
	{
		static_cast<told *>(arg)->trace(*span);
	}
};

} // namespace detail

} // namespace dblock

#endif
