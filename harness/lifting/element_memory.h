// The symbolic memory of a program. Each place has the element of a graph's value that is stored
// there, or a number of the container. A copy adds no operation to the graph.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/program.h"
#include "harness/graph/graph.h"

namespace anecheck::lifting {

// Element `index` of a value in row-major order. Without a value, `index` has the bits of an fp16
// number, even for an element of one byte. A bool is 0 or 1, in one byte or two.
struct Element {
  ValueId value = kNoValue;
  uint32_t index = 0;

  bool IsNumber() const { return value == kNoValue; }
  friend bool operator==(const Element&, const Element&) = default;
};
using Elements = std::vector<Element>;

// A surface: L2, or the memory at a base address.
struct Surface {
  bool l2 = false;
  uint32_t bar = 0;
};

// The maximum number of places that are tracked at a time. A place has two bytes, or one byte in a
// region with elements of one byte. More places are an error of kLimit.
inline constexpr uint64_t kMostTracked = uint64_t{1} << 26;
// The maximum number of elements that a task accesses in one surface. More are an error of kLimit.
inline constexpr uint64_t kMostOfTask = uint64_t{1} << 24;

// Keeps a reference to the program's memory, which must outlive this object. Not thread-safe.
class ElementMemory {
 public:
  explicit ElementMemory(emulator::Memory& memory) : memory_(memory) {}

  // Stores the elements of `value` at the places of the port's elements.
  Status Bind(const emulator::Port& port, ValueId value);
  Result<Elements> ReadPort(const emulator::Port& port);

  // Reads or writes the elements of a pattern in the order g, d, c, y, x. Errors, which name `who`:
  // kInvalid if the pattern leaves its surface; kUnsupported if a read element is a part of a wider
  // element or spans narrower elements, or if a number that is written as one byte does not fit it.
  Result<Elements> Read(const Surface& surface, const emulator::Pattern& pattern,
                        const emulator::Extents& extents, const std::string& who);
  Status Write(const Surface& surface, const emulator::Pattern& pattern,
               const emulator::Extents& extents, std::span<const Element> elements,
               const std::string& who);
  // Reads the elements of `width` bytes at byte offsets from the start of a surface.
  Result<Elements> ReadAt(const Surface& surface, std::span<const uint64_t> offsets, uint32_t width,
                          const std::string& who);

 private:
  // The position of a surface's first byte: its region, and its offset in the region.
  struct Home {
    size_t region = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;  // from `offset` to the end
  };
  // The tracked content of a region. Each place is `unit` bytes, which is 2, or 1 after the first
  // access to a single byte. With a unit of 1, the second byte of an element has the value
  // kSecondByte.
  struct Content {
    uint64_t unit = 2;
    Elements places;  // empty until something is written
  };
  Result<Home> HomeOf(const Surface& surface, bool write, const std::string& who);
  Result<std::vector<uint64_t>> OffsetsIn(const Home& home, const emulator::Pattern& pattern,
                                          const emulator::Extents& extents, const std::string& who);
  Result<Elements> ReadOffsets(size_t region, std::span<const uint64_t> offsets, uint32_t width,
                               const std::string& who);
  Status WriteOffsets(size_t region, std::span<const uint64_t> offsets, uint32_t width,
                      std::span<const Element> elements, const std::string& who);
  // Makes the places of a region small enough for elements of `width` bytes at these offsets.
  Status Refine(size_t region, std::span<const uint64_t> offsets, uint32_t width);
  Result<Element> At(size_t region, uint64_t offset, uint32_t width, const std::string& who) const;
  Status Put(Elements& places, uint64_t offset, uint32_t width, const Element& element,
             const std::string& who);
  Status Track(size_t region);
  Elements Initial(size_t region, uint64_t unit) const;
  Content& ContentOf(size_t region);
  size_t L2Region() const { return memory_.regions().size(); }
  uint64_t BytesOf(size_t region) const;
  std::span<const uint8_t> ConstantsOf(size_t region) const;

  emulator::Memory& memory_;
  std::vector<Content> contents_;  // of each region, then of L2
  uint64_t tracked_ = 0;
};

}  // namespace anecheck::lifting
