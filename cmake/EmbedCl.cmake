# Script: cmake -DIN=FILE -DOUT=FILE -P EmbedCl.cmake
# Writes the bytes of IN as the initializers of a C array, with a final 0 for use as a string.
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE "${OUT}" "${bytes}\n0x00\n")
