// posix_spawn(2): what macOS has beside POSIX.
#pragma once
#include_next <spawn.h>
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000
