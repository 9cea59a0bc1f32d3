#!/bin/sh
# SPDX-License-Identifier: MIT
# A public header that leans on another, or is not C99 or C++11, is found.
set -eu
. "${0%/*}/planted"

# header TEXT: makes it the only public header.
header()
{
	echo "$1" >include/dblock/x.h
}

header 'int dblock_x(int a);'
clean headers
header 'int dblock_x(size_t a);'
caught headers 'include/dblock/x.h: does not compile alone as c -std=c99'
header 'struct dblock_x {
	int a;
};'
caught headers 'include/dblock/x.h:1: dblock_x has neither a size nor'
header '/** A pair. Frozen. */
struct dblock_x {
	int a;
};'
clean headers
header 'struct dblock_x { struct { int a; }; };'
caught headers 'include/dblock/x.h: does not compile alone as c -std=c99'
header 'int dblock_x(int class);'
caught headers 'include/dblock/x.h: does not compile alone as c++ -std=c++11'
header 'int dblock_x(int a);'
mkdir include/dblock/hpp
header_hpp()
{
	echo "$1" >include/dblock/hpp/y.hpp
}
header_hpp '#include <string>
inline std::string dblock_y() { return {}; }'
clean headers
header_hpp 'inline std::string dblock_y() { return {}; }'
caught headers 'include/dblock/hpp/y.hpp: does not compile alone as c++ -std=c++17'
header_hpp '#include <memory>
inline void dblock_y(std::auto_ptr<int>) {}'
caught headers 'include/dblock/hpp/y.hpp: does not compile alone as c++ -std=c++17'
header_hpp 'inline long dblock_y(long a) { return (short)a; }'
caught headers 'include/dblock/hpp/y.hpp: does not compile alone as c++ -std=c++2b'
