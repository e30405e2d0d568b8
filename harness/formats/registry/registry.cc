#include "harness/formats/registry/registry.h"

#include <fmt/format.h>
#include <string>

#include "harness/formats/message.h"
#include "harness/formats/td/td.h"

namespace anecheck {

#define ANECHECK_FORMAT(name) extern const Format kFormat_##name;
#include "harness/formats/formats.def"
#undef ANECHECK_FORMAT

namespace {

constexpr const Format* kFormats[] = {
#define ANECHECK_FORMAT(name) &kFormat_##name,
#include "harness/formats/formats.def"
#undef ANECHECK_FORMAT
};

}  // namespace

std::span<const Format* const> AllFormats() { return kFormats; }

Result<const Format*> FindFormat(std::string_view name) {
  // A text section without its container does not have its version, so "td:17" states it.
  constexpr std::string_view kChain = "td:";
  if (name.starts_with(kChain)) return td::FormatOfVersion(name.substr(kChain.size()));
  std::string names;
  for (const Format* format : kFormats) {
    if (format->name == name) return format;
    names += names.empty() ? "" : ", ";
    names += format->name;
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("format \"{}\" is unknown; there are {}", Shown(name), names));
}

std::vector<const Format*> ReadingsOf(const Format& format) {
  std::vector<const Format*> readings = {&format};
  if (format.name == "td") {
    for (const Format& version : td::VersionFormats()) readings.push_back(&version);
  }
  return readings;
}

Result<const Format*> RecogniseFormat(ByteSpan bytes, std::string_view path) {
  const Format* best = nullptr;
  int most = 0;
  for (const Format* format : kFormats) {
    const int sure = format->recognise(bytes, path);
    if (sure > most) {
      most = sure;
      best = format;
    }
  }
  if (best != nullptr) return best;
  return MakeError(ErrorCode::kUnsupported,
                   "no format recognises this file; name one with --format");
}

}  // namespace anecheck
