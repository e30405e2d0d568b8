/* An Objective-C block in plain C, from the published block ABI (clang's "Block Implementation
   Specification"). It is marked global, so retaining and releasing it only read its header.
   Therefore the block needs no Objective-C runtime and may be in ordinary memory. That memory must
   stay valid as long as the engine may retain or release the block. No source states when the
   engine does that for the last time, so blocks stay until the process ends. */
/* RTLD_DEFAULT is an extension of POSIX. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdatomic.h>
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
  int64_t (*invoke)(void* literal);
  const struct BlockDescriptor* descriptor;
  /* The captured values, and the link to the block made before this one. */
  ane_e5rt_completion_cb_t callback;
  void* context;
  struct CompletionBlock* older;
};

/* A list of all blocks, which keeps their memory reachable for leak detectors. */
static _Atomic(struct CompletionBlock*) newest_block;

static const struct BlockDescriptor kDescriptor = {0, sizeof(struct CompletionBlock)};

/* The engine treats the result as one of its own error codes; 0 is success. */
static int64_t Invoke(void* literal) {
  const struct CompletionBlock* block = literal;
  block->callback(block->context, 0);
  return 0;
}

/* Returns the class of global blocks, which is that of the Objective-C runtime if there is one.
   Otherwise it is the address of a variable of this file, which nothing reads. */
static void* GlobalBlockClass(void) {
  static int own_class;
  void* found = dlsym(RTLD_DEFAULT, "_NSConcreteGlobalBlock");
  return found != NULL ? found : &own_class;
}

void* ane_e5rt_make_completion_block(ane_e5rt_completion_cb_t cb, void* ctx) {
  struct CompletionBlock* block = cb == NULL ? NULL : malloc(sizeof *block);
  if (block == NULL) return NULL;
  block->isa = GlobalBlockClass();
  block->flags = kBlockIsGlobal;
  block->reserved = 0;
  block->invoke = Invoke;
  block->descriptor = &kDescriptor;
  block->callback = cb;
  block->context = ctx;
  block->older = atomic_load(&newest_block);
  while (!atomic_compare_exchange_weak(&newest_block, &block->older, block)) {
  }
  return block;
}

void ane_e5rt_free_completion_block(void* block) { (void)block; }
