// openpty(3), which macOS declares here.
#pragma once
#include <pty.h>
