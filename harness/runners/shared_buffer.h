// Named memory that processes share to pass tensors. A compiled program can only run in the process
// that compiled it, so other processes pass inputs to that process and read its outputs
// (specification 001, section 4.4). On macOS the memory is an IOSurface whose Mach port has a name
// in the bootstrap server. On other systems it is POSIX shared memory.
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
  // letters, digits, '-', '_' and '.'. The destructor frees the name. Processes that have already
  // opened the memory can still use it. Errors: kInvalid for the name or the size, kIo with the
  // system's message, also if the name is taken.
  static Result<SharedBuffer> Create(const std::string& name, uint64_t bytes);
  // Opens memory that another process or this process created. Errors: kInvalid for the name,
  // kNotFound if no memory has this name.
  static Result<SharedBuffer> Open(const std::string& name);

  SharedBuffer(SharedBuffer&&) noexcept;
  SharedBuffer& operator=(SharedBuffer&&) noexcept;
  ~SharedBuffer();

  uint64_t size() const;  // in bytes; at least `bytes` of Create

  // Both functions start at the memory's first byte. Errors: kInvalid for more than size(), kIo.
  Status Write(std::span<const uint8_t> bytes);
  Status Read(std::span<uint8_t> bytes) const;

 private:
  struct Memory;
  explicit SharedBuffer(std::unique_ptr<Memory> memory);

  std::unique_ptr<Memory> memory_;
};

}  // namespace anecheck
