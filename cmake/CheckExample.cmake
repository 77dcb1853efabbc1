# Fails unless a text contains a program as one ```c block: cmake -DREADME=... -DEXAMPLE=... -P CheckExample.cmake
file(READ "${README}" text)
file(READ "${EXAMPLE}" program)
string(FIND "${text}" "```c\n${program}```\n" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${README} does not show ${EXAMPLE} as it is")
endif()
