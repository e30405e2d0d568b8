// xlocale(3): locales as values, which the host's C library declares in headers of POSIX.
#pragma once
#include <locale.h>
#include <stdlib.h>
