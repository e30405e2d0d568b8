// Two hashes with the same values on every machine and compiler. Their values are recorded and seed
// random draws, so they must not change.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck {

// 2^64 divided by the golden ratio: the increment of splitmix64.
inline constexpr uint64_t kGoldenRatio64 = 0x9e3779b97f4a7c15;

// The finaliser of splitmix64: every bit of `z` affects every bit of the result. Source: G. L.
// Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators".
constexpr uint64_t MixBits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// FNV-1a in 64 bits. Source: RFC 9923 (draft-eastlake-fnv).
class Fnv1a {
 public:
  static constexpr uint64_t kBasis = 0xcbf29ce484222325;

  explicit constexpr Fnv1a(uint64_t state = kBasis) : state_(state) {}

  // Mixes in `byte`. A number above 255 is mixed in as one unit, not byte by byte.
  constexpr Fnv1a& Add(uint64_t byte) {
    state_ = (state_ ^ byte) * 0x100000001b3;
    return *this;
  }
  constexpr Fnv1a& Add(std::string_view text) {
    for (const char c : text) Add(static_cast<uint8_t>(c));
    return *this;
  }
  constexpr Fnv1a& Add(std::span<const uint8_t> bytes) {
    for (const uint8_t byte : bytes) Add(byte);
    return *this;
  }
  // Mixes in the eight bytes of `word`, the lowest first.
  constexpr Fnv1a& AddWord(uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) Add(word >> shift & 0xff);
    return *this;
  }
  constexpr uint64_t value() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace anecheck
