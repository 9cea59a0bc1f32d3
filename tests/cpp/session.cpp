/* SPDX-License-Identifier: MIT */
/* A client's session, and its calls, as they are told to who wants to know. */
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "cpp/kit.hpp"

namespace
{

/* What a client is told of, on whatever thread. */
template <class T> class heard
{
      public:
	void add(T one)
	{
		std::lock_guard guard(mutex_);
		all_.push_back(std::move(one));
	}

	std::vector<T> all()
	{
		std::lock_guard guard(mutex_);

		return all_;
	}

      private:
	std::mutex mutex_;
	std::vector<T> all_;
};

/* As long as this process does not run, its heart does not beat. */
void stop_for(std::chrono::milliseconds time)
{
	pid_t waker = fork();

	if (waker == 0)
		for (;;) {
			usleep(static_cast<useconds_t>(std::chrono::microseconds(time).count()));
			kill(getppid(), SIGCONT);
		}
	CHECK(waker > 0);
	kill(getpid(), SIGSTOP);
	kill(waker, SIGKILL);
	CHECK(waitpid(waker, nullptr, 0) == waker);
}

struct change {
	dblock_connection_state state;
	bool has_why;
	std::string why;
};

} // namespace

TEST(the_states_of_the_session_are_told)
{
	heard<change> heard;
	dblock::client_options options;
	auto hears = [&](dblock_connection_state state, size_t *at) {
		auto all = heard.all();

		while (*at < all.size() && all[*at].state != state)
			++*at;
		return *at < all.size();
	};
	size_t at = 0;

	options.ttl = std::chrono::milliseconds(SLOWLY_MS(1000));
	options.state_changed = [&](dblock_connection_state state, const dblock::error *why) {
		heard.add({state, why != nullptr, why ? why->what() : ""});
	};
	kit::told told;
	options.on_error = told.handler();
	{
		dblock::client client = kit::client(options);
		dblock::lock lock = client.acquire("session");

		stop_for(options.ttl + options.ttl / 4);
		CHECK(kit::eventually([&] { return hears(DBLOCK_STATE_LOST, &at); }));
		CHECK(heard.all()[at].has_why && !heard.all()[at].why.empty());
		CHECK(!lock.valid());
		CHECK(kit::eventually([&] { return hears(DBLOCK_STATE_CONNECTED, &at); }));
		CHECK(!heard.all()[at].has_why);
	}
	CHECK(told.only(DBLOCK_LOST));
}

TEST(what_calls_did_is_told_as_spans)
{
	struct span {
		dblock_phase phase;
		std::string name;
		int outcome;
	};
	heard<span> heard;
	dblock::client_options options;
	auto told = [&](dblock_phase phase, int outcome) {
		for (auto &span : heard.all())
			if (span.phase == phase && span.outcome == outcome && span.name == "traced")
				return true;
		return false;
	};

	options.trace = [&](const dblock_span &s) { heard.add({s.phase, s.name, s.outcome}); };
	{
		dblock::client client = kit::client(options);

		client.acquire("traced").release();
		CHECK(told(DBLOCK_PHASE_ACQUIRE, DBLOCK_OK));
		CHECK(told(DBLOCK_PHASE_HOLD, DBLOCK_OK) && told(DBLOCK_PHASE_RELEASE, DBLOCK_OK));
	}
	auto before = heard.all().size();

	CHECK(before >= 3);
	/* Only what takes an hour. */
	options.slow_wait = options.long_hold = 1h;
	kit::client(options).acquire("traced").release();
	CHECK(heard.all().size() == before);
}
