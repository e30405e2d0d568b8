// Memory that processes share by a name, to hand tensors from one to another: a compiled program
// cannot be loaded by a fresh process, so that one which keeps it is fed and read by others
// (specification 001, section 4.4). On macOS it is an IOSurface whose Mach port the bootstrap
// server names, elsewhere POSIX shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace anecheck {

// Not thread-safe. The processes agree on who writes and who reads when.
class SharedBuffer {
 public:
  // New memory of `bytes`, at least 1, all zero. The name is letters, digits, '-', '_' and '.', at
  // most 100 of them; it is free again when this object goes, and who has opened the memory keeps
  // it. Errors: kInvalid for the name or the size, kIo with the system's words, also where the name
  // is taken.
  static Result<SharedBuffer> Create(const std::string& name, uint64_t bytes);
  // The memory that another process, or this one, created. Errors: kInvalid for the name, kNotFound
  // where nothing has it.
  static Result<SharedBuffer> Open(const std::string& name);

  SharedBuffer(SharedBuffer&&) noexcept;
  SharedBuffer& operator=(SharedBuffer&&) noexcept;
  ~SharedBuffer();

  uint64_t size() const;  // bytes, `bytes` of Create or somewhat more

  // From the first byte on. Errors: kInvalid for more than size(), kIo.
  Status Write(std::span<const uint8_t> bytes);
  Status Read(std::span<uint8_t> bytes) const;

 private:
  struct Memory;
  explicit SharedBuffer(std::unique_ptr<Memory> memory);

  std::unique_ptr<Memory> memory_;
};

}  // namespace anecheck
