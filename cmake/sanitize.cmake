# -DDBLOCK_SANITIZE=address,undefined or =thread: everything is built so. A report ends the program.
set(DBLOCK_SANITIZE "" CACHE STRING "sanitizers, as for -fsanitize; empty for none")

if(DBLOCK_SANITIZE)
  add_compile_options(-fsanitize=${DBLOCK_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DBLOCK_SANITIZE})
endif()
