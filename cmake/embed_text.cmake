# For embed.cmake, templates.cmake and completion.cmake: all collect C in `c`.

# A text as a C array, with a NUL behind it.
function(embed_text text symbol)
  string(HEX "${text}" hex)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(.................................................................)" "\\1\n"
    bytes "${bytes}")
  set(c "${c}static const char ${symbol}[] = {\n${bytes}0};\n" PARENT_SCOPE)
endfunction()

function(embed_file file symbol)
  file(READ ${file} text)
  embed_text("${text}" ${symbol})
  set(c "${c}" PARENT_SCOPE)
endfunction()
