/* SPDX-License-Identifier: MIT */
/**
 * @file dblock.hpp  The lock library for C++17 and later: headers only, on top of the C library.
 *
 *     dblock::client client("postgresql://app@db/app");
 *     dblock::mutex nightly(client, "nightly");
 *     std::unique_lock guard(nightly);             a lock that the whole fleet shares
 *     ...
 *     nightly.held().check();                      throws dblock::lost if it is no longer ours
 *
 * What goes wrong is thrown as dblock::error; that a lock is not free is `false`. What a destructor
 * or unlock() finds, which must not throw, goes to client_options::on_error: no loss is silent.
 * Text and more: docs/user/cpp.md.
 *
 * Everything else of the C library is had with client::get() and lock::get().
 */
#ifndef DBLOCK_DBLOCK_HPP
#define DBLOCK_DBLOCK_HPP

#include <dblock/hpp/client.hpp>
#include <dblock/hpp/error.hpp>
#include <dblock/hpp/lock.hpp>
#include <dblock/hpp/mutex.hpp>
#include <dblock/hpp/options.hpp>
#include <dblock/hpp/semaphore.hpp>
#include <dblock/hpp/shared_mutex.hpp>

#endif
