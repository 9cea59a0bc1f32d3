/* SPDX-License-Identifier: MIT */
/* A lock of the whole fleet in a guard of the standard library. */
#include <iostream>
#include <mutex>

#include <dblock/dblock.hpp>

int main(int argc, char **argv)
try {
	dblock::client client(argc > 1 ? argv[1] : "sqlite:hello.db");
	dblock::mutex mutex(client, "hello");
	std::unique_lock guard(mutex, std::chrono::seconds(2));

	if (!guard)
		throw std::runtime_error("somebody else says hello");
	std::cout << "Hello! 'hello' is mine, with token " << mutex.held().token() << ".\n";
} catch (const std::exception &e) {
	std::cerr << "hello: " << e.what() << '\n';
	return EXIT_FAILURE;
}
