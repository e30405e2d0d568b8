#include "harness/formats/submission/submission.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/formats/violation_list.h"

namespace anecheck::submission {
namespace {

constexpr std::string_view kOwnForm = "the capture form (harness/formats/submission/submission.h)";

constexpr Rule kRules[] = {
    {"capture-magic", "A capture begins with its magic.", kOwnForm, FactEvidence::kSpecification},
    {"capture-complete", "Every call lies inside the capture.", kOwnForm,
     FactEvidence::kSpecification},
    {"capture-end", "Nothing follows the last call.", kOwnForm, FactEvidence::kSpecification},
    {"client-known", "The client is merged, control or direct.", kOwnForm,
     FactEvidence::kSpecification},
    {"known-method", "Selector and structure size name a method.",
     "specification 000, table 23.14; facts/more/iokit_selectors.csv",
     FactEvidence::kSpecification},
    {"scalar-inputs", "The method takes that many scalars.",
     "facts/more/iokit_selectors.csv (public guide, chapter 27)", FactEvidence::kPublicNotes},
    {"scalar-outputs", "The method returns that many scalars, or none where it fails.",
     "facts/more/iokit_selectors.csv (public guide, chapter 27)", FactEvidence::kPublicNotes},
    {"struct-output", "The method returns a structure of that size, or none where it fails.",
     "specification 000, table 23.14; facts/more/iokit_selectors.csv",
     FactEvidence::kSpecification},
    {"load-firmware-result", "ANE_LoadFirmware returns 0xe00002c7.",
     "facts/more/iokit_selectors.csv (public guide, chapter 27)", FactEvidence::kPublicNotes},
    {"result-named", "The result is a code that some source names.",
     "no source: facts/more/error_codes.csv need not be all", FactEvidence::kAssumed},
    {"open-first", "The first call opens the device.", "no source", FactEvidence::kAssumed},
};

const Rule* Named(std::string_view id) {
  return std::find_if(std::begin(kRules), std::end(kRules),
                      [&](const Rule& rule) { return rule.id == id; });
}

Call ReadCall(ByteReader& reader) {
  Call call;
  call.offset = reader.offset();
  call.client = reader.U32("client");
  call.selector = reader.U32("selector");
  const uint32_t scalars_in = reader.U32("scalars_in");
  const uint32_t struct_in = reader.U32("struct_in");
  const uint32_t scalars_out = reader.U32("scalars_out");
  const uint32_t struct_out = reader.U32("struct_out");
  call.result = reader.U32("result");
  const auto scalars = [&](uint32_t count, std::string_view field, std::vector<uint64_t>& out) {
    if (!reader.CheckCount(count, 8, field)) return;
    for (uint32_t i = 0; i < count; ++i) out.push_back(reader.U64(field));
  };
  const auto structure = [&](uint32_t size, std::string_view field, Bytes& out) {
    const ByteSpan bytes = reader.Bytes(size, field);
    out.assign(bytes.begin(), bytes.end());
  };
  scalars(scalars_in, "scalars_in", call.scalars_in);
  structure(struct_in, "struct_in", call.struct_in);
  scalars(scalars_out, "scalars_out", call.scalars_out);
  structure(struct_out, "struct_out", call.struct_out);
  return call;
}

class Verifier {
 public:
  std::vector<Violation> Run(const Capture& capture) {
    for (size_t i = 0; i < capture.calls.size(); ++i) CheckCall(i, capture.calls[i]);
    if (!capture.calls.empty() && capture.calls[0].selector != 0) {
      Add(0, "open-first", capture.calls[0].offset + 4,
          fmt::format("selector {} comes first", capture.calls[0].selector));
    }
    return std::move(violations_).Take();
  }

 private:
  void Add(size_t index, std::string_view rule, uint64_t offset, std::string_view what) {
    violations_.Add(*Named(rule), offset, "{}: call[{}]: {}", rule, index, what);
  }

  void CheckCall(size_t index, const Call& call) {
    if (call.client >= kClientCount) {
      Add(index, "client-known", call.offset, fmt::format("client {}", call.client));
      return;
    }
    if (ReturnCodeText(call.result).starts_with("0x")) {
      Add(index, "result-named", call.offset + 24, ReturnCodeText(call.result));
    }
    const auto rows = FindMethods(static_cast<Client>(call.client), call.selector,
                                  static_cast<uint32_t>(call.struct_in.size()));
    if (!rows.ok()) {
      Add(index, "known-method", call.offset + 4, rows.error().message);
      return;
    }
    CheckSizes(index, call, *rows);
    const bool load_firmware = MethodNames(*rows).front() == "ANE_LoadFirmware";
    if (load_firmware && call.result != kReturnUnsupported) {
      Add(index, "load-firmware-result", call.offset + 24,
          fmt::format("the result is {}", ReturnCodeText(call.result)));
    }
  }

  // One row must agree in all that it states. The rule that is reported is the first one that no
  // row keeps together with those before it.
  void CheckSizes(size_t index, const Call& call, std::vector<const Method*> rows) {
    const bool failed = call.result != 0;
    const auto agrees = [&](uint32_t stated, size_t actual, bool output) {
      return stated == kUnstated || stated == actual || (output && failed && actual == 0);
    };
    const auto keep = [&](auto member, size_t actual, bool output, std::string_view rule,
                          uint64_t offset) {
      const uint32_t wanted = rows.front()->*member;
      std::erase_if(rows, [&](const Method* row) { return !agrees(row->*member, actual, output); });
      if (!rows.empty()) return true;
      Add(index, rule, offset, fmt::format("{} where the method has {}", actual, wanted));
      return false;
    };
    (void)(keep(&Method::scalars_in, call.scalars_in.size(), false, "scalar-inputs",
                call.offset + 8) &&
           keep(&Method::scalars_out, call.scalars_out.size(), true, "scalar-outputs",
                call.offset + 16) &&
           keep(&Method::struct_out, call.struct_out.size(), true, "struct-output",
                call.offset + 20));
  }

  ViolationList violations_;
};

}  // namespace

Result<Capture> Parse(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "capture");
  const ByteSpan magic = reader.Bytes(kMagic.size(), "magic");
  if (!reader.ok() || !std::equal(magic.begin(), magic.end(), kMagic.begin())) {
    return MakeError(ErrorCode::kMalformed,
                     "capture-magic: the file does not begin with ANESUBM and 1", 0);
  }
  const uint32_t count = reader.U32("count");
  Capture capture;
  if (reader.CheckCount(count, kCallHeaderSize, "count")) {
    for (uint32_t i = 0; i < count && reader.ok(); ++i) capture.calls.push_back(ReadCall(reader));
  }
  if (!reader.ok()) {
    const Error& error = reader.status().error();
    return MakeError(error.code, fmt::format("capture-complete: {}", error.message), error.offset);
  }
  if (!reader.AtEnd()) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("capture-end: {} bytes follow the last call at 0x{:x}",
                                 reader.remaining(), reader.offset()),
                     reader.offset());
  }
  return capture;
}

Bytes Write(const Capture& capture) {
  ByteWriter writer;
  writer.Bytes(kMagic);
  writer.U32(static_cast<uint32_t>(capture.calls.size()));
  for (const Call& call : capture.calls) {
    writer.U32(call.client);
    writer.U32(call.selector);
    writer.U32(static_cast<uint32_t>(call.scalars_in.size()));
    writer.U32(static_cast<uint32_t>(call.struct_in.size()));
    writer.U32(static_cast<uint32_t>(call.scalars_out.size()));
    writer.U32(static_cast<uint32_t>(call.struct_out.size()));
    writer.U32(call.result);
    for (const uint64_t scalar : call.scalars_in) writer.U64(scalar);
    writer.Bytes(call.struct_in);
    for (const uint64_t scalar : call.scalars_out) writer.U64(scalar);
    writer.Bytes(call.struct_out);
  }
  return std::move(writer).Take();
}

std::span<const Rule> Rules() { return kRules; }

std::vector<Violation> Verify(const Capture& capture) { return Verifier().Run(capture); }

}  // namespace anecheck::submission
