# -DDBLOCK_COVERAGE=ON: what runs counts its lines and branches, for gcovr. `./dev test coverage`.
option(DBLOCK_COVERAGE "count the lines and branches that are reached" OFF)

if(DBLOCK_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()

# For a program that ends without exit(), or becomes another.
function(dbl_count_to_the_end target)
  if(DBLOCK_COVERAGE)
    target_compile_options(${target} PRIVATE -include ${PROJECT_SOURCE_DIR}/cmake/coverage.h)
  endif()
endfunction()
