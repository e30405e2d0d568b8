// Blocks whose literals and matches are coded with finite state entropy. A block has tables of
// frequencies, then the literals, coded by four states in turn. Then each match has the number of
// literals before it, its length and its distance, each coded by its own state. Both bit streams
// are read from the end to the beginning.
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <span>

#include "harness/formats/lzfse/blocks.h"

namespace anecheck::lzfse {
namespace {

constexpr size_t kLengths = 20, kDistances = 64, kLiterals = 256;
constexpr uint32_t kLengthStates = 64, kDistanceStates = 256, kLiteralStates = 1024;

// The values of the symbols for lengths or distances. A value is the base of the symbol plus a
// number of extra bits from the stream.
struct Values {
  std::span<const uint8_t> bits;
  std::span<const uint32_t> base;
};
constexpr std::array<uint8_t, kLengths> kRunBits = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                    0, 0, 0, 0, 0, 0, 2, 3, 5, 8};
constexpr std::array<uint8_t, kLengths> kMatchBits = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                                      0, 0, 0, 0, 0, 0, 3, 5, 8, 11};
// Each group of four consecutive symbols has the same number of bits.
constexpr std::array<uint8_t, kDistances> kDistanceBits = [] {
  std::array<uint8_t, kDistances> bits = {};
  for (size_t i = 0; i < kDistances; ++i) bits[i] = static_cast<uint8_t>(i / 4);
  return bits;
}();
// The range of each symbol begins where the previous range ends.
template <size_t kCount>
constexpr std::array<uint32_t, kCount> Bases(const std::array<uint8_t, kCount>& bits) {
  std::array<uint32_t, kCount> base = {};
  for (size_t i = 1; i < kCount; ++i) base[i] = base[i - 1] + (uint32_t{1} << bits[i - 1]);
  return base;
}
constexpr auto kRunBase = Bases(kRunBits);
constexpr auto kMatchBase = Bases(kMatchBits);
constexpr auto kDistanceBase = Bases(kDistanceBits);
static_assert(kRunBase[19] == 60 && kMatchBase[19] == 312 && kDistanceBase[63] == 229372);

struct Header {
  uint32_t size = 0;  // number of unpacked bytes of the block
  uint32_t literals = 0, matches = 0, literal_bytes = 0, match_bytes = 0;
  int literal_bits = 0, match_bits = 0;  // 0 to -7: negated number of unused bits at the end
  std::array<uint32_t, 4> literal_states = {};
  uint32_t run_state = 0, length_state = 0, distance_state = 0;
  std::array<uint16_t, kLengths> runs = {}, lengths = {};
  std::array<uint16_t, kDistances> distances = {};
  std::array<uint16_t, kLiterals> bytes = {};

  std::array<std::span<uint16_t>, 4> tables() { return {runs, lengths, distances, bytes}; }
};

uint32_t Field(uint64_t word, int at, int width) {
  return static_cast<uint32_t>(word >> at & ((uint64_t{1} << width) - 1));
}

// Reads frequencies in a prefix code of 2 to 14 bits, least significant bit first.
Status ReadPackedTables(std::span<const uint8_t> bytes, uint64_t offset, Header& header) {
  constexpr std::array<uint8_t, 32> kWidth = {2, 3, 2, 5, 2, 3, 2, 8, 2, 3, 2, 5, 2, 3, 2, 14,
                                              2, 3, 2, 5, 2, 3, 2, 8, 2, 3, 2, 5, 2, 3, 2, 14};
  constexpr std::array<uint8_t, 32> kValue = {0, 2, 1, 4, 0, 3, 1, 0, 0, 2, 1, 5, 0, 3, 1, 0,
                                              0, 2, 1, 6, 0, 3, 1, 0, 0, 2, 1, 7, 0, 3, 1, 0};
  uint64_t bits = 0;
  uint32_t held = 0;
  size_t next = 0;
  for (const std::span<uint16_t> table : header.tables()) {
    for (uint16_t& frequency : table) {
      while (held <= 32 && next < bytes.size()) {
        bits |= uint64_t{bytes[next++]} << held;
        held += 8;
      }
      const uint32_t width = kWidth[bits & 31];
      if (width > held) return Broken(offset + next, "frequencies that end early");
      frequency = static_cast<uint16_t>(width == 8    ? 8 + Field(bits, 4, 4)
                                        : width == 14 ? 24 + Field(bits, 4, 10)
                                                      : kValue[bits & 31]);
      bits >>= width;
      held -= width;
    }
  }
  return {};
}

Status ReadPackedHeader(ByteReader& reader, Header& header) {
  constexpr uint32_t kFixed = 32;  // bytes of a header without frequencies
  const uint64_t begin = reader.offset() - 4;
  header.size = reader.U32("size of a block");
  const uint64_t counts = reader.U64("counts"), states = reader.U64("states"),
                 further = reader.U64("further states");
  header.literals = Field(counts, 0, 20);
  header.literal_bytes = Field(counts, 20, 20);
  header.matches = Field(counts, 40, 20);
  header.literal_bits = static_cast<int>(Field(counts, 60, 3)) - 7;
  for (int i = 0; i < 4; ++i) {
    header.literal_states[static_cast<size_t>(i)] = Field(states, 10 * i, 10);
  }
  header.match_bytes = Field(states, 40, 20);
  header.match_bits = static_cast<int>(Field(states, 60, 3)) - 7;
  const uint32_t size = Field(further, 0, 32);
  header.run_state = Field(further, 32, 10);
  header.length_state = Field(further, 42, 10);
  header.distance_state = Field(further, 52, 10);
  ANECHECK_RETURN_IF_ERROR(reader.status());
  if (size < kFixed) return Broken(begin, fmt::format("a header of {} bytes", size));
  const uint64_t at = reader.offset();
  const std::span<const uint8_t> tables = reader.Bytes(size - kFixed, "frequencies");
  ANECHECK_RETURN_IF_ERROR(reader.status());
  return tables.empty() ? Status() : ReadPackedTables(tables, at, header);
}

Status ReadPlainHeader(ByteReader& reader, Header& header) {
  header.size = reader.U32("size of a block");
  reader.U32("packed size of a block");
  header.literals = reader.U32("literals");
  header.matches = reader.U32("matches");
  header.literal_bytes = reader.U32("bytes of literals");
  header.match_bytes = reader.U32("bytes of matches");
  header.literal_bits = reader.I32("bits of literals");
  for (uint32_t& state : header.literal_states) state = reader.U16("state of literals");
  header.match_bits = reader.I32("bits of matches");
  header.run_state = reader.U16("state of runs");
  header.length_state = reader.U16("state of lengths");
  header.distance_state = reader.U16("state of distances");
  for (const std::span<uint16_t> table : header.tables()) {
    for (uint16_t& frequency : table) frequency = reader.U16("frequency");
  }
  return reader.status();
}

// Reads bits from the end of a stream towards its beginning.
class BackwardBits {
 public:
  // `unused` is the negated number of bits at the end that do not belong to the stream, 0 to -7.
  BackwardBits(std::span<const uint8_t> bytes, int unused)
      : bytes_(bytes), left_(8 * static_cast<int64_t>(bytes.size()) + unused) {}

  // Returns the next `width` bits as a number. `width` is at most 32. If the stream has fewer bits,
  // returns 0, and failed() becomes true.
  uint32_t Pull(uint32_t width) {
    left_ -= width;
    if (left_ < 0) {
      failed_ = true;
      return 0;
    }
    uint64_t window = 0;
    const auto first = static_cast<size_t>(left_ / 8);
    for (size_t i = 0; i < 5 && first + i < bytes_.size(); ++i) {
      window |= uint64_t{bytes_[first + i]} << (8 * i);
    }
    return Field(window, static_cast<int>(left_ % 8), static_cast<int>(width));
  }
  bool failed() const { return failed_; }

 private:
  std::span<const uint8_t> bytes_;
  int64_t left_;
  bool failed_ = false;
};

// A table of states. A state has the symbol that it outputs and its next state.
class States {
 public:
  // Returns nothing if the frequencies add up to more than `count` states.
  static std::optional<States> Of(std::span<const uint16_t> frequencies, uint32_t count) {
    States states;
    for (size_t symbol = 0; symbol < frequencies.size(); ++symbol) {
      const uint32_t frequency = frequencies[symbol];
      if (frequency == 0) continue;
      if (frequency > count - states.rows_.size()) return std::nullopt;
      const auto wide =
          static_cast<uint32_t>(std::countl_zero(frequency) - std::countl_zero(count));
      // The first states of a symbol read one bit more than the others.
      const uint32_t first = (2 * count >> wide) - frequency;
      for (uint32_t i = 0; i < frequency; ++i) {
        const uint32_t bits = i < first ? wide : wide - 1;
        const uint32_t next = i < first ? ((frequency + i) << wide) - count : (i - first) << bits;
        states.rows_.push_back({static_cast<uint8_t>(symbol), static_cast<uint8_t>(bits),
                                static_cast<uint16_t>(next)});
      }
    }
    // States without a symbol output 0, and their next state is the first state.
    states.rows_.resize(count);
    return states;
  }

  uint8_t Symbol(BackwardBits& bits, uint32_t& state) const {
    const Row& row = rows_[state];
    state = row.next + bits.Pull(row.bits);
    return row.symbol;
  }

  // Reads the bits of the state first, then the extra bits of the value.
  uint32_t Value(BackwardBits& bits, const Values& values, uint32_t& state) const {
    const uint8_t symbol = Symbol(bits, state);
    return values.base[symbol] + bits.Pull(values.bits[symbol]);
  }

 private:
  struct Row {
    uint8_t symbol = 0, bits = 0;
    uint16_t next = 0;
  };
  std::vector<Row> rows_;
};

bool AreStates(const Header& header) {
  return std::ranges::all_of(header.literal_states,
                             [](uint32_t state) { return state < kLiteralStates; }) &&
         header.run_state < kLengthStates && header.length_state < kLengthStates &&
         header.distance_state < kDistanceStates;
}

Result<std::vector<uint8_t>> ReadLiterals(const Header& header, std::span<const uint8_t> stream,
                                          uint64_t offset) {
  const auto states = States::Of(header.bytes, kLiteralStates);
  if (!states) return Broken(offset, "frequencies of more literals than states");
  std::vector<uint8_t> literals;
  literals.reserve(header.literals);
  BackwardBits bits(stream, header.literal_bits);
  std::array<uint32_t, 4> state = header.literal_states;
  for (uint32_t i = 0; i < header.literals && !bits.failed(); ++i) {
    literals.push_back(states->Symbol(bits, state[i % 4]));
  }
  if (bits.failed()) return Broken(offset, "literals that end early");
  return literals;
}

Status AppendMatches(const Header& header, std::span<const uint8_t> literals,
                     std::span<const uint8_t> stream, uint64_t offset, std::vector<uint8_t>& out) {
  const auto runs = States::Of(header.runs, kLengthStates);
  const auto lengths = States::Of(header.lengths, kLengthStates);
  const auto distances = States::Of(header.distances, kDistanceStates);
  if (!runs || !lengths || !distances) return Broken(offset, "frequencies of more than all states");
  BackwardBits bits(stream, header.match_bits);
  uint32_t run_state = header.run_state, length_state = header.length_state,
           distance_state = header.distance_state, distance = 0;
  const uint64_t end = out.size() + header.size;
  for (uint32_t i = 0; i < header.matches; ++i) {
    const uint32_t run = runs->Value(bits, {kRunBits, kRunBase}, run_state);
    const uint32_t length = lengths->Value(bits, {kMatchBits, kMatchBase}, length_state);
    const uint32_t apart = distances->Value(bits, {kDistanceBits, kDistanceBase}, distance_state);
    if (bits.failed()) return Broken(offset, "matches that end early");
    if (apart != 0) distance = apart;
    if (run > literals.size()) return Broken(offset, "more literals than there are");
    if (uint64_t{run} + length > end - out.size()) return Broken(offset, "more bytes than claimed");
    out.insert(out.end(), literals.begin(), literals.begin() + run);
    literals = literals.subspan(run);
    if (length > 0 && !AppendMatch(distance, length, out)) {
      return Broken(offset, "a match before the stream");
    }
  }
  if (out.size() != end) return Broken(offset, "fewer bytes than claimed");
  return {};
}

}  // namespace

Status UnpackEntropyBlock(ByteReader& reader, bool packed, uint64_t limit,
                          std::vector<uint8_t>& out) {
  Header header;
  const uint64_t begin = reader.offset() - 4;
  ANECHECK_RETURN_IF_ERROR(packed ? ReadPackedHeader(reader, header)
                                  : ReadPlainHeader(reader, header));
  ANECHECK_RETURN_IF_ERROR(CheckClaim(header.size, limit, reader, out));
  const auto is_tail = [](int bits) { return bits >= -7 && bits <= 0; };
  // The encoder's limits: at most 10,000 matches in a block, and four literals per match.
  constexpr uint32_t kMostLiterals = 40'000, kMostMatches = 10'000;
  if (!AreStates(header) || !is_tail(header.literal_bits) || !is_tail(header.match_bits) ||
      header.literals > kMostLiterals || header.matches > kMostMatches) {
    return Broken(begin, "a header out of range");
  }
  const uint64_t at = reader.offset();
  const std::span<const uint8_t> literal_stream = reader.Bytes(header.literal_bytes, "literals");
  const std::span<const uint8_t> match_stream = reader.Bytes(header.match_bytes, "matches");
  ANECHECK_RETURN_IF_ERROR(reader.status());
  ANECHECK_ASSIGN(const std::vector<uint8_t> literals, ReadLiterals(header, literal_stream, at));
  return AppendMatches(header, literals, match_stream, at + header.literal_bytes, out);
}

}  // namespace anecheck::lzfse
