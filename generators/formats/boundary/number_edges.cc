// The edges of integers. Narrower fields take the low bytes and skip edges that do not fit.
#include <array>

#include "generators/formats/boundary/edges.h"

namespace anecheck::boundary {
namespace {

using Context = NumberContext;

template <uint64_t kValue>
uint64_t Constant(const Context&) {
  return kValue;
}

constexpr uint64_t kWrap32 = uint64_t{1} << 32;

// The least number of records whose total size reaches 2^kBits. In kBits bits this size wraps to 0
// or a few bytes.
template <unsigned kBits, uint64_t kRecord>
uint64_t WrappingCount(const Context&) {
  return (kBits == 64 ? ~uint64_t{0} : (uint64_t{1} << (kBits % 64)) - 1) / kRecord + 1;
}

template <unsigned kBits>
uint64_t WrappingCountOfUnit(const Context& c) {
  return (kBits == 64 ? ~uint64_t{0} : (uint64_t{1} << (kBits % 64)) - 1) / c.unit + 1;
}

constexpr auto kEdges = std::to_array<NumberEdge>({
    // The least and greatest values of each width, signed and unsigned.
    {"0", Constant<0>},
    {"1", Constant<1>},
    {"2^7 - 1", Constant<0x7f>},
    {"2^7", Constant<0x80>},
    {"2^8 - 1", Constant<0xff>},
    {"2^8", Constant<0x100>},
    {"2^15 - 1", Constant<0x7fff>},
    {"2^15", Constant<0x8000>},
    {"2^16 - 1", Constant<0xffff>},
    {"2^16", Constant<0x10000>},
    {"2^31 - 1", Constant<0x7fffffff>},
    {"2^31", Constant<0x80000000>},
    {"2^32 - 1", Constant<0xffffffff>},
    {"2^32", Constant<kWrap32>},
    {"2^63 - 1", Constant<0x7fffffffffffffff>},
    {"2^63", Constant<0x8000000000000000>},
    {"2^64 - 1", Constant<~uint64_t{0}>},
    // The old value, changed a little or scaled, and the neighbouring fields.
    {"old + 1", [](const Context& c) { return c.old + 1; }},
    {"old - 1", [](const Context& c) { return c.old - 1; }},
    {"old * 2", [](const Context& c) { return c.old * 2; }},
    {"old / 2", [](const Context& c) { return c.old / 2; }},
    {"old + 4", [](const Context& c) { return c.old + 4; }},
    {"old - 4", [](const Context& c) { return c.old - 4; }},
    {"-old", [](const Context& c) { return ~c.old + 1; }},
    {"the field before", [](const Context& c) { return c.before; }},
    {"the field behind", [](const Context& c) { return c.after; }},
    // Makes two records point to one offset. In a chain of forward links, the link of the record
    // before points to this record, so a copy of it makes the chain a ring. A copy of the link of
    // the record behind skips that record.
    {"the same field of the record before", [](const Context& c) { return c.in_record_before; }},
    {"the same field of the record behind", [](const Context& c) { return c.in_record_behind; }},
    // The low bits are unchanged. If a parser cuts the value to 8, 16 or 32 bits before a check,
    // the value passes that check.
    {"old + 2^8", [](const Context& c) { return c.old + 0x100; }},
    {"old + 2^16", [](const Context& c) { return c.old + 0x10000; }},
    {"old + 2^31", [](const Context& c) { return c.old + 0x80000000; }},
    {"old + 2^32", [](const Context& c) { return c.old + kWrap32; }},
    {"old + 2^63", [](const Context& c) { return c.old + 0x8000000000000000; }},
    // Counts just above the usual sizes of fixed tables.
    {"3", Constant<3>},
    {"5", Constant<5>},
    {"9", Constant<9>},
    {"17", Constant<17>},
    {"33", Constant<33>},
    {"65", Constant<65>},
    {"129", Constant<129>},
    {"257", Constant<257>},
    {"1025", Constant<1025>},
    {"4097", Constant<4097>},
    {"10^6", Constant<1000000>},
    // Numbers near the size of the file, or near this size minus a neighbouring field.
    {"file size", [](const Context& c) { return c.file_size; }},
    {"file size + 1", [](const Context& c) { return c.file_size + 1; }},
    {"file size - 1", [](const Context& c) { return c.file_size - 1; }},
    {"file size - 2", [](const Context& c) { return c.file_size - 2; }},
    {"file size - 4", [](const Context& c) { return c.file_size - 4; }},
    {"file size - 8", [](const Context& c) { return c.file_size - 8; }},
    {"file size - unit", [](const Context& c) { return c.file_size - c.unit; }},
    {"file size - the field behind", [](const Context& c) { return c.file_size - c.after; }},
    {"file size - the field behind + 1",
     [](const Context& c) { return c.file_size - c.after + 1; }},
    {"file size - the field before", [](const Context& c) { return c.file_size - c.before; }},
    {"file size - the field before + 1",
     [](const Context& c) { return c.file_size - c.before + 1; }},
    {"its own offset", [](const Context& c) { return c.offset; }},
    // Values whose sum with another field wraps to a small number.
    {"2^32 - old", [](const Context& c) { return kWrap32 - c.old; }},
    {"2^32 - 8", [](const Context&) { return kWrap32 - 8; }},
    {"2^32 - 256", [](const Context&) { return kWrap32 - 256; }},
    {"2^32 - the field behind", [](const Context& c) { return kWrap32 - c.after; }},
    {"2^32 - the field behind + 64", [](const Context& c) { return kWrap32 - c.after + 64; }},
    {"2^32 - the field before", [](const Context& c) { return kWrap32 - c.before; }},
    {"2^32 - the field before + 64", [](const Context& c) { return kWrap32 - c.before + 64; }},
    {"2^32 - file size", [](const Context& c) { return kWrap32 - c.file_size; }},
    {"2^64 - 8", [](const Context&) { return ~uint64_t{7}; }},
    {"2^64 - the field behind", [](const Context& c) { return ~c.after + 1; }},
    {"2^64 - the field before", [](const Context& c) { return ~c.before + 1; }},
    {"2^64 - the field before + 64", [](const Context& c) { return ~c.before + 65; }},
    {"2^64 - file size", [](const Context& c) { return ~c.file_size + 1; }},
    // Counts whose product with the record size wraps to a small number.
    {"2^32 / unit", WrappingCountOfUnit<32>},
    {"2^31 / unit", WrappingCountOfUnit<31>},
    {"2^64 / unit", WrappingCountOfUnit<64>},
    {"2^16 / unit", WrappingCountOfUnit<16>},
    {"2^32 / 2", WrappingCount<32, 2>},
    {"2^32 / 4", WrappingCount<32, 4>},
    {"2^32 / 8", WrappingCount<32, 8>},
    {"2^32 / 12", WrappingCount<32, 12>},
    {"2^32 / 16", WrappingCount<32, 16>},
    {"2^32 / 24", WrappingCount<32, 24>},
    {"2^32 / 64", WrappingCount<32, 64>},
    {"2^64 / 2", WrappingCount<64, 2>},
    {"2^64 / 4", WrappingCount<64, 4>},
    {"2^64 / 8", WrappingCount<64, 8>},
    {"2^64 / 16", WrappingCount<64, 16>},
});

}  // namespace

std::span<const NumberEdge> NumberEdges() { return kEdges; }

}  // namespace anecheck::boundary
