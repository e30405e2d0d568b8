// dyld(3): the path of the running executable.
#pragma once
#include <stdint.h>
extern "C" int _NSGetExecutablePath(char* buffer, uint32_t* size);
// dyld(3): the current version of a loaded library, -1 where it is not loaded.
extern "C" int32_t NSVersionOfRunTimeLibrary(const char* library_name);
