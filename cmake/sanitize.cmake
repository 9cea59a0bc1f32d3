# -DDBLOCK_SANITIZE=address,undefined or =thread: everything is built so. A report ends the program.
set(DBLOCK_SANITIZE "" CACHE STRING "sanitizers, as for -fsanitize; empty for none")

if(DBLOCK_SANITIZE)
  add_compile_options(-fsanitize=${DBLOCK_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DBLOCK_SANITIZE})
endif()

# -DDBLOCK_FUZZ=ON, with clang: what is compiled tells libFuzzer which way it went (./dev fuzz).
option(DBLOCK_FUZZ "instrument for libFuzzer" OFF)
if(DBLOCK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
