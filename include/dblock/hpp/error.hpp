/* SPDX-License-Identifier: MIT */
/**
 * @file error.hpp  What is thrown: an outcome of the C library, with its message.
 */
#ifndef DBLOCK_HPP_ERROR_HPP
#define DBLOCK_HPP_ERROR_HPP

#if __cplusplus < 201703L
#error "dblock.hpp is for C++17 and later; C++11 has the C headers, as dblock/dblock.h"
#endif

#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include <dblock/error.h>

namespace dblock
{

namespace detail
{

class DBLOCK_API outcomes final : public std::error_category
{
      public:
	const char *name() const noexcept override
	{
		return "dblock";
	}

	std::string message(int code) const override
	{
		return dblock_outcome_text(code);
	}

	/* So that code() == std::errc::timed_out is true where that fits. */
	std::error_condition default_error_condition(int code) const noexcept override
	{
		switch (code) {
		case DBLOCK_BUSY:
			return std::errc::device_or_resource_busy;
		case DBLOCK_TIMEOUT:
		case DBLOCK_E_NO_ANSWER:
			return std::errc::timed_out;
		case DBLOCK_CANCELED:
			return std::errc::operation_canceled;
		case DBLOCK_DEADLOCK:
			return std::errc::resource_deadlock_would_occur;
		case DBLOCK_E_INVALID:
			return std::errc::invalid_argument;
		case DBLOCK_E_NOMEM:
			return std::errc::not_enough_memory;
		case DBLOCK_E_DENIED:
			return std::errc::permission_denied;
		case DBLOCK_E_READONLY:
			return std::errc::read_only_file_system;
		case DBLOCK_E_FULL:
			return std::errc::no_space_on_device;
		default:
			return {code, *this};
		}
	}
};

} // namespace detail

/** The category of error::code(): its values are those of enum dblock_outcome. */
DBLOCK_API inline const std::error_category &category() noexcept
{
	static const detail::outcomes outcomes;

	return outcomes;
}

/** A call that did not do what was asked for, with all that the C library says of it. */
class DBLOCK_API error : public std::system_error
{
      public:
	/** Of a detail that the C library has written. */
	explicit error(const dblock_error &detail)
	    : std::system_error(std::error_code(detail.code, category()), detail.message),
	      detail_(std::make_shared<const dblock_error>(detail))
	{
	}

	error(dblock_outcome outcome, const std::string &message)
	    : error(make_detail(outcome, message))
	{
	}

	/** In English: what, and the next step; never a password. */
	const char *what() const noexcept override
	{
		return detail_->message;
	}

	/** Which one: DBLOCK_E_UNAVAILABLE, DBLOCK_DEADLOCK, ... */
	dblock_outcome outcome() const noexcept
	{
		return static_cast<dblock_outcome>(detail_->code);
	}

	/** errno, SQLite result code or MySQL error number; 0 if none. */
	int native() const noexcept
	{
		return detail_->native;
	}

	/** Five characters where the database has one, else "". */
	const char *sqlstate() const noexcept
	{
		return detail_->sqlstate;
	}

	const dblock_error &detail() const noexcept
	{
		return *detail_;
	}

      private:
	std::shared_ptr<const dblock_error> detail_; /* copying an exception must not throw */

	static dblock_error make_detail(dblock_outcome outcome, const std::string &message)
	{
		dblock_error detail = {};

		detail.code = outcome;
		std::snprintf(detail.message, sizeof(detail.message), "%s", message.c_str());
		return detail;
	}
};

/** DBLOCK_LOST: the lock was held, and is no longer. what() says why, when, and by whom. */
class DBLOCK_API lost : public error
{
      public:
	using error::error;
};

namespace detail
{

[[noreturn]] inline void fail(const dblock_error &err)
{
	if (err.code == DBLOCK_LOST)
		throw lost(err);
	throw error(err);
}

/* Any outcome but DBLOCK_OK is thrown. */
inline void expect_ok(int rc, const dblock_error &err)
{
	if (rc != DBLOCK_OK)
		fail(err);
}

} // namespace detail

} // namespace dblock

#endif
