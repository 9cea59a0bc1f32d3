/* SPDX-License-Identifier: MIT */
/* Runs the tests of a program. */
#include "cpp/kit.hpp"

int main()
{
	int failed = 0;

	for (auto &test : kit::tests()) {
		try {
			test.run();
			std::printf("ok: %s\n", test.name);
		} catch (const std::exception &e) {
			std::printf("FAILED: %s: %s\n", test.name, e.what());
			failed++;
		}
		std::fflush(stdout);
	}
	return failed || kit::tests().empty();
}
