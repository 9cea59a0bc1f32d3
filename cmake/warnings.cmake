# One set of warnings for everything that we compile; both gcc and clang must be clean.
add_library(dbl_warnings INTERFACE)
target_compile_options(dbl_warnings INTERFACE
  -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wformat=2 -Wundef
  $<$<BOOL:${DBLOCK_WERROR}>:-Werror>)
target_compile_definitions(dbl_warnings INTERFACE _GNU_SOURCE)
