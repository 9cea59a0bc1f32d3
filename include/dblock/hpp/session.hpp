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
	session(std::string_view url, client_options options)
	    : on_error_(std::move(options.on_error))
	{
		dblock_error err;

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
	}

	dblock_client *get() const noexcept
	{
		return client_;
	}

	/* What can be thrown to nobody. */
	void report(const error &e) const noexcept
	{
		if (on_error_)
			on_error_(e);
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
	dblock_client *client_ = nullptr;
	std::function<void(const error &)> on_error_;
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
			tuning.release_failed_arg = this;
		}
		c.tuning = &tuning;
		return dblock_open(url.c_str(), &c, &client_, err);
	}

	static void release_failed(void *arg, const char *, std::int64_t,
				   const dblock_error *err) noexcept
	{
		static_cast<session *>(arg)->report(*err);
	}
};

} // namespace detail

} // namespace dblock

#endif
