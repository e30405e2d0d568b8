// Options of the allocator that a program is linked with.
#pragma once

namespace anecheck {

// Makes mimalloc take memory in pages of 2 MiB where the kernel gives them, and keep freed memory
// for a second. An evaluation makes and drops tensors of megabytes; with pages of 4 KiB, faults are
// a third of its time. Variables MIMALLOC_* of the environment take precedence. Call first in
// main(), before other threads run. Does nothing without mimalloc 2.0.
void TuneAllocator();

}  // namespace anecheck
