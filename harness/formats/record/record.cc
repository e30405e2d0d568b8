#include "harness/formats/record/record.h"

#include <charconv>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/base/little_endian.h"
#include "harness/formats/message.h"

namespace anecheck {
namespace {

using json_fields::Bad;

constexpr std::string_view kOpaque = "opaque";
// If fewer zeros than this separate two runs of opaque bytes, they become one run with the zeros.
constexpr size_t kRunGap = 8;

// Returns for each byte whether a field covers it.
std::vector<bool> Covered(std::span<const RecordField> fields, size_t size) {
  std::vector<bool> covered(size, false);
  for (const RecordField& field : fields) {
    for (size_t i = field.offset; i < field.offset + field.width && i < size; ++i) {
      covered[i] = true;
    }
  }
  return covered;
}

Json OpaqueRuns(std::span<const RecordField> fields, ByteSpan bytes) {
  const std::vector<bool> covered = Covered(fields, bytes.size());
  Json runs = Json::array();
  size_t i = 0;
  while (i < bytes.size()) {
    if (covered[i] || bytes[i] == 0) {
      ++i;
      continue;
    }
    size_t end = i + 1;  // one past the last non-zero byte of the run
    for (size_t j = end; j < bytes.size() && !covered[j] && j - end < kRunGap; ++j) {
      if (bytes[j] != 0) end = j + 1;
    }
    runs.push_back({{"offset", HexNumber(i)}, {"bytes", HexText(bytes.subspan(i, end - i))}});
    i = end;
  }
  return runs;
}

Status StoreNumber(const Json& json, std::span<uint8_t> out, size_t offset, size_t width,
                   std::string_view where) {
  ANECHECK_ASSIGN(const uint64_t value, json_fields::Number(json, where));
  if (width < 8 && value >> (8 * width) != 0) {
    return Bad(where, fmt::format("0x{:x} does not fit in {} bytes", value, width));
  }
  StoreLittle(out, offset, width, value);
  return {};
}

Json SparseToJson(const RecordField& field, ByteSpan bytes) {
  Json json = Json::object();
  for (uint32_t i = 0; i * field.element < field.width; ++i) {
    const uint64_t value = LoadLittle(bytes, field.offset + i * field.element, field.element);
    if (value != 0) json[std::to_string(i)] = value;
  }
  return json;
}

Status ReadSparse(const RecordField& field, const Json& json, std::span<uint8_t> out,
                  std::string_view where) {
  if (!json.is_object()) return Bad(where, "needs an object of index and number");
  const uint32_t count = field.width / field.element;
  for (const auto& [name, number] : json.items()) {
    uint32_t index = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), index);
    if (end.ec != std::errc() || end.ptr != name.data() + name.size() || index >= count) {
      return Bad(where, fmt::format("\"{}\" is no index below {}", Shown(name), count));
    }
    ANECHECK_RETURN_IF_ERROR(
        StoreNumber(number, out, field.offset + index * field.element, field.element, where));
  }
  return {};
}

Status ReadField(const RecordField& field, const Json& json, std::span<uint8_t> out,
                 std::string_view path) {
  const std::string where = fmt::format("{}.{}", path, field.name);
  const auto found = json.find(field.name);
  if (found == json.end()) return Bad(where, "is missing");
  if (field.kind == RecordKind::kSparse) return ReadSparse(field, *found, out, where);
  if (field.kind == RecordKind::kBytes) {
    if (!found->is_string()) return Bad(where, "needs hexadecimal digits");
    ANECHECK_ASSIGN(const Bytes bytes, ParseHexBytes(found->text(), where));
    if (bytes.size() != field.width) {
      return Bad(where, fmt::format("needs {} bytes, has {}", field.width, bytes.size()));
    }
    std::copy(bytes.begin(), bytes.end(), out.begin() + field.offset);
    return {};
  }
  return StoreNumber(*found, out, field.offset, field.width, where);
}

Status ReadOpaque(std::span<const RecordField> fields, const Json& json, std::span<uint8_t> out,
                  std::string_view path) {
  const std::string where = fmt::format("{}.{}", path, kOpaque);
  ANECHECK_ASSIGN(const std::vector<const Json*> runs, json_fields::Array(json, kOpaque, path));
  const std::vector<bool> covered = Covered(fields, out.size());
  for (const Json* run : runs) {
    if (!run->is_object()) return Bad(where, "needs objects of \"offset\" and \"bytes\"");
    ANECHECK_ASSIGN(const uint64_t offset, json_fields::Number(*run, "offset", where));
    ANECHECK_ASSIGN(const std::string text, json_fields::String(*run, "bytes", where));
    ANECHECK_ASSIGN(const Bytes bytes, ParseHexBytes(text, where));
    if (offset > out.size() || bytes.size() > out.size() - offset) {
      return Bad(where, fmt::format("0x{:x} + {} leaves the record of 0x{:x} bytes", offset,
                                    bytes.size(), out.size()));
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (covered[offset + i]) {
        return Bad(where, fmt::format("0x{:x} belongs to a named field", offset + i));
      }
      out[offset + i] = bytes[i];
    }
  }
  return {};
}

}  // namespace

Result<Bytes> ParseHexBytes(std::string_view text, std::string_view path) {
  Result<Bytes> bytes = BytesFromHex(text);
  if (!bytes.ok()) return Bad(path, bytes.error().message);
  return bytes;
}

Json RecordToJson(std::span<const RecordField> fields, ByteSpan bytes) {
  Json json = Json::object();
  for (const RecordField& field : fields) {
    std::string name(field.name);
    if (field.kind == RecordKind::kBytes) {
      json[std::move(name)] = HexText(bytes.subspan(field.offset, field.width));
      continue;
    }
    if (field.kind == RecordKind::kSparse) {
      json[std::move(name)] = SparseToJson(field, bytes);
      continue;
    }
    const uint64_t value = LoadLittle(bytes, field.offset, field.width);
    if (field.kind == RecordKind::kHex) {
      json[std::move(name)] = HexNumber(value);
    } else {
      json[std::move(name)] = value;
    }
  }
  json[std::string(kOpaque)] = OpaqueRuns(fields, bytes);
  return json;
}

Result<Bytes> RecordFromJson(std::span<const RecordField> fields, const Json& json, size_t size,
                             std::string_view path) {
  if (!json.is_object()) return Bad(path, "needs an object");
  Bytes bytes(size, 0);
  for (const RecordField& field : fields) {
    ANECHECK_RETURN_IF_ERROR(ReadField(field, json, bytes, path));
  }
  if (json.size() > fields.size() + (json.contains(kOpaque) ? 1 : 0)) {
    for (const auto& [name, value] : json.items()) {
      bool known = name == kOpaque;
      for (const RecordField& field : fields) known |= field.name == name;
      if (!known) return Bad(path, fmt::format("has no member \"{}\"", Shown(name)));
    }
  }
  ANECHECK_RETURN_IF_ERROR(ReadOpaque(fields, json, bytes, path));
  return bytes;
}

uint64_t RecordTypedBytes(std::span<const RecordField> fields) {
  uint64_t typed = 0;
  for (const RecordField& field : fields) typed += field.width;
  return typed;
}

}  // namespace anecheck
