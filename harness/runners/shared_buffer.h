// Memory that processes share by a name, to pass tensors between them. A fresh process cannot load
// a compiled program, so other processes feed and read the one that keeps it (specification 001,
// section 4.4). On macOS it is an IOSurface whose Mach port the bootstrap server names, elsewhere
// POSIX shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace anecheck {

// Not thread-safe. The processes must agree on the order of reads and writes.
class SharedBuffer {
 public:
  // Creates memory of `bytes` bytes, all zero. `bytes` must be at least 1. The name has at most 100
  // letters, digits, '-', '_' and '.'. The name is free again when this object is destroyed.
  // Processes that have opened the memory keep the memory. Errors: kInvalid for the name or the
  // size, kIo with the system's message, also if the name is taken.
  static Result<SharedBuffer> Create(const std::string& name, uint64_t bytes);
  // The memory that another process, or this one, created. Errors: kInvalid for the name, kNotFound
  // if no memory has it.
  static Result<SharedBuffer> Open(const std::string& name);

  SharedBuffer(SharedBuffer&&) noexcept;
  SharedBuffer& operator=(SharedBuffer&&) noexcept;
  ~SharedBuffer();

  uint64_t size() const;  // in bytes; at least `bytes` of Create

  // Both functions start at the first byte. Errors: kInvalid for more than size(), kIo.
  Status Write(std::span<const uint8_t> bytes);
  Status Read(std::span<uint8_t> bytes) const;

 private:
  struct Memory;
  explicit SharedBuffer(std::unique_ptr<Memory> memory);

  std::unique_ptr<Memory> memory_;
};

}  // namespace anecheck
