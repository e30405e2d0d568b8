#include "harness/formats/firmware/firmware.h"

#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/little_endian.h"

namespace anecheck::firmware {
namespace {

constexpr std::string_view kC5 = "public guide, appendix C.5";
constexpr std::string_view kC30 = "public guide, chapter 30";
constexpr Limit kLimits[] = {
    {"signal events a call", 16, kC5},
    {"custom barriers on the wire", 32, kC5},
    {"custom barriers in a program", 128, kC5},
    {"custom execute-order entries", 128, kC5},
    {"trigger input buffers", 16, kC5},
    {"active shared events, fewer than", 2, kC5},
    {"largest priority", 7, kC5, "rule command-priority"},
    {"task-descriptor partitions, M1 single path", 1, kC30},
    {"requests in a list, M1 single path", 1, kC30},
    {"output buffer sets, single path", 1, kC5, "driver law output-sets"},
    {"task-queue watchdog, seconds", 2, "public guide, chapter 19"},
    {"pause after a failed compile, seconds, about", 15, "public guide, chapter 19"},
};

}  // namespace

std::string_view MagicName(uint32_t word) {
  switch (word) {
    case kPackageMagic:
      return "ANEH";
    case kProgramMagic:
      return "ANEP";
    case kSectionMagic:
      return "ANES";
    case kControlMagic:
      return "AFPP";
    default:
      return {};
  }
}

bool IsPackage(ByteSpan bytes) {
  return bytes.size() >= 4 && !MagicName(static_cast<uint32_t>(LoadLittle(bytes, 0, 4))).empty();
}

Result<std::vector<Part>> ParsePackage(ByteSpan bytes) {
  if (!IsPackage(bytes)) {
    return MakeError(ErrorCode::kMalformed,
                     "file-form: a package begins with ANEH, ANEP, ANES or AFPP", 0);
  }
  std::vector<Part> parts;
  size_t begin = 0;
  for (size_t at = 4; at <= bytes.size(); at += 4) {
    const bool last = bytes.size() - at < 4;
    if (!last && MagicName(static_cast<uint32_t>(LoadLittle(bytes, at, 4))).empty()) continue;
    const size_t end = last ? bytes.size() : at;
    const ByteSpan body = bytes.subspan(begin + 4, end - begin - 4);
    parts.push_back({begin, static_cast<uint32_t>(LoadLittle(bytes, begin, 4)),
                     Bytes(body.begin(), body.end())});
    begin = at;
    if (last) break;
  }
  return parts;
}

Bytes WritePackage(std::span<const Part> parts) {
  ByteWriter writer;
  for (const Part& part : parts) {
    writer.U32(part.magic);
    writer.Bytes(part.body);
  }
  return std::move(writer).Take();
}

Result<Command> ParseCommand(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "command");
  Command command;
  kCommandRecord.Read(reader, command);
  const ByteSpan payload = reader.Bytes(reader.remaining(), "payload");
  if (!reader.ok()) {
    const Error& error = reader.status().error();
    return MakeError(error.code,
                     fmt::format("file-form: neither a package nor a command: {}", error.message),
                     error.offset);
  }
  command.payload.assign(payload.begin(), payload.end());
  return command;
}

Bytes WriteCommand(const Command& command) {
  ByteWriter writer;
  kCommandRecord.Write(command, writer);
  writer.Bytes(command.payload);
  return std::move(writer).Take();
}

Result<File> Parse(ByteSpan bytes) {
  if (IsPackage(bytes)) {
    ANECHECK_ASSIGN(std::vector<Part> parts, ParsePackage(bytes));
    return File(std::move(parts));
  }
  ANECHECK_ASSIGN(Command command, ParseCommand(bytes));
  return File(std::move(command));
}

std::span<const Limit> Limits() { return kLimits; }

}  // namespace anecheck::firmware
