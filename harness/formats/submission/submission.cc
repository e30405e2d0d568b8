#include "harness/formats/submission/submission.h"

#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/counted.h"

namespace anecheck::submission {
namespace {

Call ReadCall(ByteReader& reader) {
  Call call;
  call.offset = reader.offset();
  kCallRecord.Read(reader, call);
  const auto scalars = [&](uint32_t count, std::string_view field, std::vector<uint64_t>& out) {
    if (!reader.CheckCount(count, 8, field)) return;
    for (uint32_t i = 0; i < count; ++i) out.push_back(reader.U64(field));
  };
  const auto structure = [&](uint32_t size, std::string_view field, Bytes& out) {
    const ByteSpan bytes = reader.Bytes(size, field);
    out.assign(bytes.begin(), bytes.end());
  };
  scalars(call.scalars_in_count, "scalars_in", call.scalars_in);
  structure(call.struct_in_size, "struct_in", call.struct_in);
  scalars(call.scalars_out_count, "scalars_out", call.scalars_out);
  structure(call.struct_out_size, "struct_out", call.struct_out);
  return call;
}

}  // namespace

Result<Capture> Parse(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "capture");
  CaptureHead head{.magic = {}};
  kHeadRecord.Read(reader, head);
  if (head.magic != kMagic) {
    return MakeError(ErrorCode::kMalformed,
                     "capture-magic: the file does not begin with ANESUBM and 1", 0);
  }
  Capture capture;
  if (reader.CheckCount(head.count, kCallRecord.kSize, "count")) {
    for (uint32_t i = 0; i < head.count && reader.ok(); ++i)
      capture.calls.push_back(ReadCall(reader));
  }
  if (!reader.ok()) {
    const Error& error = reader.status().error();
    return MakeError(error.code, fmt::format("capture-complete: {}", error.message), error.offset);
  }
  if (!reader.AtEnd()) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("capture-end: {} after the last call, at 0x{:x}",
                                 Counted(reader.remaining(), "byte"), reader.offset()),
                     reader.offset());
  }
  return capture;
}

const Structure* StructureOf(const Call& call, Direction direction) {
  if (call.client >= kClientCount) return nullptr;
  const auto rows = FindMethods(static_cast<Client>(call.client), call.selector,
                                static_cast<uint32_t>(call.struct_in.size()));
  if (!rows.ok()) return nullptr;
  const std::vector<std::string_view> names = MethodNames(*rows);
  if (names.size() != 1) return nullptr;
  const Bytes& bytes = direction == Direction::kIn ? call.struct_in : call.struct_out;
  return FindStructure(names[0], direction, bytes.size());
}

Bytes Write(const Capture& capture) {
  ByteWriter writer;
  kHeadRecord.Write({.count = static_cast<uint32_t>(capture.calls.size())}, writer);
  for (const Call& call : capture.calls) {
    CallHeader header = call;
    header.scalars_in_count = static_cast<uint32_t>(call.scalars_in.size());
    header.struct_in_size = static_cast<uint32_t>(call.struct_in.size());
    header.scalars_out_count = static_cast<uint32_t>(call.scalars_out.size());
    header.struct_out_size = static_cast<uint32_t>(call.struct_out.size());
    kCallRecord.Write(header, writer);
    for (const uint64_t scalar : call.scalars_in) writer.U64(scalar);
    writer.Bytes(call.struct_in);
    for (const uint64_t scalar : call.scalars_out) writer.U64(scalar);
    writer.Bytes(call.struct_out);
  }
  return std::move(writer).Take();
}

}  // namespace anecheck::submission
