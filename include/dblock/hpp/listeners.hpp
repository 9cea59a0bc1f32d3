/* SPDX-License-Identifier: MIT */
/**
 * @file listeners.hpp  Who is to hear of the losses of a client's locks. Nothing here is for use by
 * itself.
 */
#ifndef DBLOCK_HPP_LISTENERS_HPP
#define DBLOCK_HPP_LISTENERS_HPP

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <dblock/lock.h>
#include <dblock/loss.h>

namespace dblock
{

namespace detail
{

/* Who wants to hear of one lock's loss: each of these once. The mutex of the listeners guards it. */
struct ears {
	std::vector<std::function<void()>> calls;
	std::vector<std::thread::id> tellers; /* the threads that run some of them now */
	bool listen = false;
};

/* By C handle, of which there is one for all locks that a thread has entered again. */
class listeners
{
      public:
	/* All of these. Whoever calls keeps us: what is called may end the client's last object. */
	void tell_all(const dblock_lock *lock) noexcept
	{
		for (auto &who : ears_of(lock))
			tell(*who);
	}

	/* Call this once if the lock is lost: now if it is, for then nobody may tell of it again. */
	void listen(dblock_lock *lock, const std::shared_ptr<ears> &who, std::function<void()> call)
	{
		std::unique_lock guard(mutex_);
		dblock_loss loss = DBLOCK_LOSS_INIT;

		who->calls.push_back(std::move(call));
		if (!who->listen)
			all_.emplace(lock, who);
		who->listen = true;
		guard.unlock();
		if (dblock_loss_of(lock, &loss) == DBLOCK_LOST)
			tell(*who);
	}

	/* After ignore(), as the release was refused. */
	void listen_again(dblock_lock *lock, const std::shared_ptr<ears> &who)
	{
		listen(lock, who, [] {});
	}

	/* None of its calls runs from now on, unless this is one. To be called before the lock is
	 * released, as another one may have the address then. In a child process the mutex, and
	 * who calls, may be what they were in the parent for ever: nothing is to be told there. */
	void ignore(const dblock_lock *lock, const std::shared_ptr<ears> &who) noexcept
	{
		if (pid_ != getpid())
			return;
		std::unique_lock guard(mutex_);
		auto [at, end] = all_.equal_range(lock);

		while (at != end && at->second != who)
			++at;
		if (at != end)
			all_.erase(at);
		who->listen = false;
		told_.wait(guard, [&] {
			for (auto teller : who->tellers)
				if (teller != std::this_thread::get_id())
					return false;
			return true;
		});
	}

      private:
	const pid_t pid_ = getpid();
	std::mutex mutex_;
	std::condition_variable told_;
	std::multimap<const dblock_lock *, std::shared_ptr<ears>> all_;

	std::vector<std::shared_ptr<ears>> ears_of(const dblock_lock *lock)
	{
		std::lock_guard guard(mutex_);
		auto [at, end] = all_.equal_range(lock);
		std::vector<std::shared_ptr<ears>> found;

		for (; at != end; ++at)
			found.push_back(at->second);
		return found;
	}

	/* They run without the mutex, as one may release the lock, or listen anew. */
	void tell(ears &who) noexcept
	{
		std::unique_lock guard(mutex_);
		auto calls = std::exchange(who.calls, {});
		const auto me = std::this_thread::get_id();

		if (!who.listen || calls.empty())
			return;
		who.tellers.push_back(me);
		guard.unlock();
		for (auto &call : calls)
			call();
		guard.lock();
		who.tellers.erase(std::find(who.tellers.begin(), who.tellers.end(), me));
		guard.unlock();
		told_.notify_all();
	}
};

} // namespace detail

} // namespace dblock

#endif
