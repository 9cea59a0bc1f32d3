# Turns src/cli/complete/dblock.<shell>, the scripts by which shells complete our command lines, into C.
# Called as: cmake -D OUT=file.c -D FOLDER=... -P completion.cmake
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake)

set(c "/* Made by cmake/completion.cmake from src/cli/complete/. */\n#include \"cli/complete/complete.h\"\n\n")
set(table "")
foreach(shell IN ITEMS bash zsh fish)
  embed_file(${FOLDER}/dblock.${shell} ${shell})
  string(APPEND table "\t{\"${shell}\", ${shell}},\n")
endforeach()
file(WRITE ${OUT} "${c}const struct dbl_script dbl_scripts[] = {\n${table}\t{0}};\n")
