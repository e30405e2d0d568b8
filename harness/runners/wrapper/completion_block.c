/* An Objective-C block in plain C, from the published block ABI (clang's "Block Implementation
   Specification"). It is marked global: retaining and releasing such a block do nothing, so that it
   may stand in ordinary memory and needs no Objective-C runtime. */
/* RTLD_DEFAULT is an extension of POSIX. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdlib.h>

#include "harness/runners/wrapper/ane_e5rt.h"

enum { kBlockIsGlobal = 1 << 28 };

struct BlockDescriptor {
  unsigned long reserved;
  unsigned long size;
};

struct CompletionBlock {
  void* isa;
  int flags;
  int reserved;
  void (*invoke)(void* literal);
  const struct BlockDescriptor* descriptor;
  /* Captured. */
  ane_e5rt_completion_cb_t callback;
  void* context;
};

static const struct BlockDescriptor kDescriptor = {0, sizeof(struct CompletionBlock)};

static void Invoke(void* literal) {
  const struct CompletionBlock* block = literal;
  block->callback(block->context);
}

/* The class of global blocks: the runtime's where there is one, else an address of our own that
   nobody follows. */
static void* GlobalBlockClass(void) {
  static int own_class;
  void* found = dlsym(RTLD_DEFAULT, "_NSConcreteGlobalBlock");
  return found != NULL ? found : &own_class;
}

void* ane_e5rt_make_completion_block(ane_e5rt_completion_cb_t cb, void* ctx) {
  struct CompletionBlock* block = malloc(sizeof *block);
  if (block == NULL) return NULL;
  block->isa = GlobalBlockClass();
  block->flags = kBlockIsGlobal;
  block->reserved = 0;
  block->invoke = Invoke;
  block->descriptor = &kDescriptor;
  block->callback = cb;
  block->context = ctx;
  return block;
}

void ane_e5rt_free_completion_block(void* block) { free(block); }
