// openpty(3) and forkpty(3):
// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/openpty.3.html
#pragma once
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>
extern "C" int openpty(int* primary, int* secondary, char* name, struct termios* settings,
                       struct winsize* size);
extern "C" int forkpty(int* primary, char* name, struct termios* settings, struct winsize* size);
