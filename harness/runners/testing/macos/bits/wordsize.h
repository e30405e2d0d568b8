// The host's headers tell the word size by the processor; see README.md.
#pragma once
#define __WORDSIZE 64
#define __WORDSIZE_TIME64_COMPAT32 0
