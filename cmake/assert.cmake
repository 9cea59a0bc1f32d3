# -DDBLOCK_ASSERT=ON: what src/base/assert.h asserts is looked at while the program runs, and ends it if
# it does not hold. AUTO: for the tests, where they are built, but not in what is to be shipped.
set(DBLOCK_ASSERT AUTO CACHE STRING "assertions that run: AUTO (with the tests, but not in a Release), ON or OFF")
set_property(CACHE DBLOCK_ASSERT PROPERTY STRINGS AUTO ON OFF)

set(with_assert ${DBLOCK_ASSERT})
if(DBLOCK_ASSERT STREQUAL "AUTO")
  set(with_assert OFF)
  if(DBLOCK_TESTS AND CMAKE_BUILD_TYPE MATCHES "^(Debug|RelWithDebInfo)$")
    set(with_assert ON)
  endif()
endif()
# Everywhere: a mutex has a member more.
if(with_assert)
  add_compile_definitions(DBLOCK_ASSERT)
  message(STATUS "dblock: assertions run; for tests, not to be installed (-DDBLOCK_ASSERT=OFF)")
endif()
