// The source of every random decision. A choice stream reads its decisions from bytes. The bytes
// are a fuzzer's input, the saved bytes of a finding, or an endless expansion of a seed. From equal
// bytes a generator draws equal results.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/hash.h"

namespace anecheck {

// Draws numbers from bytes. A stream over a finite span of bytes gives 0, the simplest choice, for
// every draw after the end of the span. A stream from a seed is endless (splitmix64). Draws are
// identical on every compiler and machine. Not thread-safe.
class ChoiceStream {
 public:
  static ChoiceStream FromSeed(uint64_t seed) {
    ChoiceStream stream;
    stream.endless_ = true;
    stream.state_ = seed;
    return stream;
  }
  // A draw from bytes: the offset of the bytes that it reads, and the bound of its value. A bound
  // of 0 means a draw of any 64-bit word.
  struct LoggedDraw {
    size_t position = 0;
    uint64_t bound = 0;
  };
  // Appends each draw that reads a byte to `log`, which must outlive the stream; a null `log`
  // records nothing.
  static ChoiceStream FromBytes(std::span<const uint8_t> bytes,
                                std::vector<LoggedDraw>* log = nullptr) {
    ChoiceStream stream;
    stream.bytes_ = bytes;
    stream.log_ = log;
    return stream;
  }

  // Uniform over all 64-bit words. A stream over bytes reads the next eight bytes as a
  // little-endian word. Bytes past the end are 0.
  uint64_t Word() {
    if (endless_) {
      return MixBits(state_ += kGoldenRatio64);
    }
    Note(0);
    return Take(8);
  }

  // A number in [0, bound). A bound of 0 or 1 gives 0 and consumes nothing. A stream over bytes
  // consumes as few bytes as the bound needs. A small edit of the bytes then changes the result
  // little.
  uint64_t Below(uint64_t bound) {
    if (bound <= 1) return 0;
    if (endless_) {
      return static_cast<uint64_t>((static_cast<unsigned __int128>(Word()) * bound) >> 64);
    }
    const int bits = 64 - std::countl_zero(bound - 1);
    Note(bound);
    return Take((bits + 7) / 8) % bound;
  }

  // A number in [low, high], both ends included. Precondition: low <= high.
  int64_t Range(int64_t low, int64_t high) {
    assert(low <= high);
    const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + (span == 0 ? Word() : Below(span)));
  }

  // True with probability numerator / denominator; false is the simplest choice.
  bool Chance(uint32_t numerator, uint32_t denominator) {
    return Below(denominator) >= denominator - numerator && numerator != 0;
  }
  bool Coin() { return Below(2) != 0; }

  // One element. Precondition: not empty. The first element is the simplest choice.
  template <typename T, size_t N>
  const T& Pick(const std::array<T, N>& items) {
    return items[Below(N)];
  }
  template <typename T>
  const T& Pick(std::span<const T> items) {
    return items[Below(items.size())];
  }
  template <typename T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }

  // True after a finite stream has consumed its last byte. Always false for a stream from a seed.
  bool Exhausted() const { return !endless_ && position_ >= bytes_.size(); }

 private:
  ChoiceStream() = default;

  void Note(uint64_t bound) {
    if (log_ != nullptr && position_ < bytes_.size()) log_->push_back({position_, bound});
  }

  uint64_t Take(int count) {
    uint64_t value = 0;
    for (int i = 0; i < count && position_ < bytes_.size(); ++i) {
      value |= static_cast<uint64_t>(bytes_[position_++]) << (8 * i);
    }
    return value;
  }

  std::span<const uint8_t> bytes_;
  std::vector<LoggedDraw>* log_ = nullptr;
  size_t position_ = 0;
  uint64_t state_ = 0;
  bool endless_ = false;
};

}  // namespace anecheck
