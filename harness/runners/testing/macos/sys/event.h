// kqueue(2): events of descriptors.
#pragma once
#include <stdint.h>
#include <time.h>
struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  intptr_t data;
  void* udata;
};
#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EV_ADD 0x0001
#define EV_CLEAR 0x0020
#define EV_EOF 0x8000
#define EV_SET(event, a, b, c, d, e, f) \
  do {                                  \
    struct kevent* kev = (event);       \
    kev->ident = (a);                   \
    kev->filter = (b);                  \
    kev->flags = (c);                   \
    kev->fflags = (d);                  \
    kev->data = (e);                    \
    kev->udata = (f);                   \
  } while (0)
extern "C" int kqueue(void);
extern "C" int kevent(int queue, const struct kevent* changes, int change_count,
                      struct kevent* events, int event_count, const struct timespec* timeout);
