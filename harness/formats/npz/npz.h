// Reads and writes named arrays in .npz files. Users, external runners and the command line
// exchange tensors in this form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npy.h"

namespace anecheck::npz {

struct NamedArray {
  std::string name;  // without ".npy"
  Array array;

  friend bool operator==(const NamedArray&, const NamedArray&) = default;
};

inline constexpr uint64_t kDefaultUnpackedLimit = uint64_t{1} << 30;

// Reads every member, stored or deflated, in the directory's order, and verifies the checksums.
// Errors: a member is not an .npy array, a name occurs twice, or kLimit if all members together
// unpack to more than `limit` bytes.
Result<std::vector<NamedArray>> ReadNpz(std::span<const uint8_t> bytes,
                                        uint64_t limit = kDefaultUnpackedLimit);

// Without `compress`, the bytes depend only on `arrays`. Dates are constant, and members have the
// order of `arrays`. Errors: kInvalid for an empty or repeated name.
Result<std::vector<uint8_t>> WriteNpz(std::span<const NamedArray> arrays, bool compress = false);

Result<std::vector<NamedArray>> ReadNpzFile(const std::string& path,
                                            uint64_t limit = kDefaultUnpackedLimit);
Status WriteNpzFile(const std::string& path, std::span<const NamedArray> arrays,
                    bool compress = false);

}  // namespace anecheck::npz
