// Fuzzes the JSON that people write for `anecheck encode`, for every format. The JSON is encoded,
// or refused with one line. The encoded file keeps the format's laws or does not parse.
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/input_text.h"
#include "fuzz/targets/json_text_format.h"
#include "generators/formats/registry/registry.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/formats/registry/registry.h"

namespace anecheck::fuzz {
namespace {

bool Check(ByteSpan input) {
  const std::string_view text = AsText(input);
  const auto json = ParseJson(text);
  if (!json.ok()) {
    RequireGoodError(json.error(), input.size());
    return true;
  }
  if (!json->is_object()) return true;
  const auto name = json->find("format");
  if (name == json->end() || !name->is_string()) return true;
  const auto format = FindFormat(name->text());
  if (!format.ok()) return true;
  const auto bytes = (*format)->from_json(*json);
  if (!bytes.ok()) {
    RequireGoodError(bytes.error(), ~size_t{0});
    return true;
  }
  CheckFormatLaws(**format, *bytes);
  return true;
}

WordTables Words() {
  WordTable formats = {"formats"};
  for (const Format* format : AllFormats()) formats.Text(format->name);
  return {formats};
}

Bytes Generate(ChoiceStream& choices) {
  const DescriptorGenerator& generator = *choices.Pick(AllGenerators());
  const Format& format = **FindFormat(generator.format);
  const std::string text = DumpJson(format.to_json(generator.generate(choices)).value());
  return AsBytes(text);
}

}  // namespace

extern const FuzzTarget kTarget_encode;
const FuzzTarget kTarget_encode = {.name = "encode",
                                   .check = Check,
                                   .laws = kFormatLaws,
                                   .words = Words,
                                   .format = &kJsonTextFormat,
                                   .generate = Generate};

}  // namespace anecheck::fuzz
