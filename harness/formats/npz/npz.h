// Named arrays in and out of .npz files: how tensors travel to and from people, external runners
// and the command line.
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

// Every member, in the directory's order, stored or deflated, checksums verified. A member that is
// no .npy array, or a name that comes twice, is an error. kLimit where all members together unpack
// to more than `limit` bytes.
Result<std::vector<NamedArray>> ReadNpz(std::span<const uint8_t> bytes,
                                        uint64_t limit = kDefaultUnpackedLimit);

// Deterministic for stored members: fixed dates, members in the order given. kInvalid for a name
// that is empty or comes twice.
Result<std::vector<uint8_t>> WriteNpz(std::span<const NamedArray> arrays, bool compress = false);

Result<std::vector<NamedArray>> ReadNpzFile(const std::string& path,
                                            uint64_t limit = kDefaultUnpackedLimit);
Status WriteNpzFile(const std::string& path, std::span<const NamedArray> arrays,
                    bool compress = false);

}  // namespace anecheck::npz
