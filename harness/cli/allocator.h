// Options of the allocator that a program is linked with.
#pragma once

namespace anecheck {

// Makes mimalloc take memory in pages of 2 MiB where the kernel gives them, and keep freed memory
// for a second. An evaluation makes and drops tensors of megabytes, and with pages of 4 KiB each
// new tensor causes hundreds of page faults. Variables MIMALLOC_* of the environment take
// precedence. Call it first in main(), before other threads run. Does nothing without mimalloc 2.0.
void TuneAllocator();

}  // namespace anecheck
