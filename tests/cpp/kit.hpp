/* SPDX-License-Identifier: MIT */
/*
 * Tests of the C++ headers share these: by the public API only. Each file is a program with main.cpp;
 * build/cplusplus_standards.sh makes one of all of them, so what they declare has names of its own.
 */
#ifndef TESTS_CPP_KIT_HPP
#define TESTS_CPP_KIT_HPP

#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dblock/admin.h>
#include <dblock/dblock.hpp>

#include "support/env.h"
#include "support/slowness.h"

using namespace std::chrono_literals;

namespace kit
{

struct test {
	const char *name;
	void (*run)();
};

inline std::vector<test> &tests()
{
	static std::vector<test> all;

	return all;
}

inline bool add(const char *name, void (*run)())
{
	tests().push_back({name, run});
	return true;
}

inline void check(bool holds, const char *what, const char *file, int line)
{
	if (!holds)
		throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " +
				       what);
}

/* What the call throws, which must be an E. */
template <class E, class Call> E thrown_by(Call call)
{
	try {
		call();
	} catch (const E &e) {
		return e;
	}
	throw std::logic_error("nothing was thrown");
}

template <class Call> dblock_outcome outcome_of(Call call)
{
	return thrown_by<dblock::error>(call).outcome();
}

/* Waits until it is so. */
template <class Condition> bool eventually(Condition holds)
{
	auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(PLENTY_MS);

	while (!holds()) {
		if (std::chrono::steady_clock::now() > until)
			return false;
		std::this_thread::sleep_for(2ms);
	}
	return true;
}

/* On a thread of its own; what it throws is thrown here. */
template <class Call> auto elsewhere(Call call)
{
	return std::async(std::launch::async, call).get();
}

/* Keeps what a client has told its on_error. */
class told
{
      public:
	std::function<void(const dblock::error &)> handler()
	{
		return [this](const dblock::error &e) {
			std::lock_guard guard(mutex_);
			all_.push_back(e);
		};
	}

	std::vector<dblock::error> all()
	{
		std::lock_guard guard(mutex_);

		return all_;
	}

	/* It was this, once. */
	bool only(dblock_outcome outcome)
	{
		auto got = all();

		return got.size() == 1 && got[0].outcome() == outcome;
	}

      private:
	std::mutex mutex_;
	std::vector<dblock::error> all_;
};

inline dblock::client client(dblock::client_options options = {})
{
	if (!options.on_error)
		options.on_error = [](const dblock::error &e) {
			std::fprintf(stderr, "told to nobody: %s\n", e.what());
			std::terminate();
		};
	options.timeout = std::chrono::milliseconds(PLENTY_MS);
	options.auto_migrate = true;
	return dblock::client(test_url(), options);
}

inline dblock::client client(told &told)
{
	dblock::client_options options;

	options.on_error = told.handler();
	return client(options);
}

/* Another client takes the lock away, without waiting for its holder. */
inline void break_by_force(const char *name)
{
	dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	dblock::client other = client();
	dblock_error err = {};

	how.force = true;
	if (dblock_break(other.get(), name, &how, &err) != DBLOCK_OK)
		throw std::logic_error(std::string("not broken: ") + err.message);
}

} // namespace kit

#define TEST(name)                                                                                 \
	static void name();                                                                        \
	static const bool name##_is_a_test = kit::add(#name, name);                                \
	static void name()

#define CHECK(condition) kit::check((condition), #condition, __FILE__, __LINE__)

#endif
