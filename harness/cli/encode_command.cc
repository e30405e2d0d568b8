// `anecheck encode`: makes a file from the JSON that `inspect --json` prints.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/address.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/json.h"
#include "harness/formats/hwx/relocate.h"
#include "harness/formats/message.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

struct EncodeFlags {
  std::string format;
  std::string in;
  std::string out;
  bool json = false;
  bool make_room = false;
  std::vector<std::string> rebase;  // one address for the lowest segment, or one for each
};

struct Encoded {
  std::string_view format;
  size_t bytes = 0;
};

// Members under "derived" are computed from other members, and encoding does not read them. Lists
// in `stale` the first few that differ from the encoded file, because the tool ignores a user's
// edit of them.
void CompareDerived(const Json& given, const Json& made, bool derived, const std::string& path,
                    std::vector<std::string>& stale) {
  constexpr size_t kMost = 5;
  if (stale.size() >= kMost) return;
  if (given.is_object() && made.is_object()) {
    // Both objects mostly have the same order of members, so the next member of `made` is tried
    // first.
    auto next = made.begin();
    for (const auto& [key, value] : given.items()) {
      const auto other = next != made.end() && next.key() == key ? next : made.find(key);
      if (other != made.end()) next = std::next(other);
      const std::string place = path.empty() ? key : fmt::format("{}.{}", path, key);
      if (other != made.end()) {
        CompareDerived(value, *other, derived || key == "derived", place, stale);
      } else if (derived) {
        stale.push_back(place);
      }
      if (stale.size() >= kMost) return;
    }
  } else if (given.is_array() && made.is_array() && (!derived || given.size() == made.size())) {
    for (size_t i = 0; i < std::min(given.size(), made.size()); ++i) {
      CompareDerived(given[i], made[i], derived, fmt::format("{}[{}]", path, i), stale);
    }
  } else if (derived && given != made) {
    stale.push_back(path);
  }
}

bool HasDerived(const Json& json) {
  if (!json.is_structured()) return false;
  if (json.is_object() && json.size() < kMaxJsonMembers && json.contains("derived")) return true;
  return std::any_of(json.begin(), json.end(), HasDerived);
}

void NoteStaleMembers(const Format& format, const Json& given, ByteSpan bytes) {
  if (!HasDerived(given)) return;
  const auto made = format.to_json(bytes);
  if (!made.ok()) return;
  std::vector<std::string> stale;
  CompareDerived(given, *made, false, "", stale);
  for (const std::string& path : stale) {
    fmt::print(stderr,
               "anecheck: note: {} was ignored, because it follows from other members; the written "
               "file has another value\n",
               path);
  }
}

// Moves the segments of a container to other addresses, then encodes it.
Result<Bytes> EncodeMoved(const EncodeFlags& flags, const Format& format, const Json& content) {
  if (&format != &kFormat_hwx) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("--rebase and --make-room are for hardware containers (hwx), not {}",
                    format.name));
  }
  ANECHECK_ASSIGN(hwx::Container container, hwx::FromJson(content));
  if (flags.make_room) hwx::MakeRoom(container);
  std::vector<uint64_t> addresses;
  for (const std::string& text : flags.rebase) {
    ANECHECK_ASSIGN(const uint64_t address, ReadAddress("--rebase", text));
    addresses.push_back(address);
  }
  if (addresses.size() == 1) {
    ANECHECK_RETURN_IF_ERROR(hwx::RebaseAll(container, addresses.front()));
  } else if (!addresses.empty()) {
    ANECHECK_RETURN_IF_ERROR(hwx::Rebase(container, addresses));
  }
  return hwx::Write(container);
}

Result<Encoded> Encode(const EncodeFlags& flags) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(flags.in));
  ANECHECK_ASSIGN(const Json json, ParseLargeJson(text, flags.in));
  std::string name = flags.format;
  if (json.is_object() && json.contains("format") && json["format"].is_string()) {
    const std::string said = json["format"].get<std::string>();
    if (name.empty()) name = said;
    // A name may end in a version: "td:17" is format td, version 17.
    if (name.substr(0, name.find(':')) != said.substr(0, said.find(':'))) {
      return MakeError(ErrorCode::kInvalid, fmt::format("{}: is of format {}, --format says {}",
                                                        flags.in, Shown(said), name));
    }
  }
  if (name.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: has no \"format\"; name one with --format", flags.in));
  }
  ANECHECK_ASSIGN(const Format* format, FindFormat(name));
  const bool wrapped = json.is_object() && json.contains("content");
  const Json& content = wrapped ? json["content"] : json;
  const bool moves = flags.make_room || !flags.rebase.empty();
  auto bytes = moves ? EncodeMoved(flags, *format, content) : format->from_json(content);
  if (!bytes.ok()) return WithFile(flags.in, bytes.error());
  if (!moves) NoteStaleMembers(*format, content, *bytes);
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(flags.out, std::span<const uint8_t>(*bytes)));
  return Encoded{format->name, bytes->size()};
}

}  // namespace

void AddEncodeCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("encode", "Make a file from the JSON of `inspect --json`");
  auto flags = std::make_shared<EncodeFlags>();
  command.AddOption("in", flags->in, "JSON file").Required();
  command.AddOption("out", flags->out, "File to write").Check(FileName()).Required();
  command.AddOption("--format", flags->format, "Format, if the JSON does not name it");
  command
      .AddOption("--rebase", flags->rebase,
                 "Move a hardware container to other addresses: one for its lowest segment, or one "
                 "for each segment, separated by commas")
      .Delimiter(',')
      .TypeName("ADDRESS");
  command.AddFlag("--make-room", flags->make_room,
                  "Move the parts of a hardware container that follow grown tasks or sections");
  command.AddFlag("--json", flags->json, "Print a summary as JSON");
  command.Footer(
      "Only \"content\" is read. Edits of its \"derived\" members, and of the members beside it "
      "(coverage, evidence, rules, violations), have no effect, because these members follow from "
      "the rest of \"content\".\nExample: anecheck encode "
      "a.json b.hwx; anecheck encode --rebase 0x70000000 a.json b.hwx");
  command.WhenChosen([flags, &selected] {
    selected = [flags] {
      const Result<Encoded> encoded = Encode(*flags);
      if (!encoded.ok()) return Fail(encoded.error());
      if (flags->json) {
        Print(DumpJson(
            {{"out", flags->out}, {"format", encoded->format}, {"bytes", encoded->bytes}}, 2));
      }
      return kExitClean;
    };
  });
}

}  // namespace anecheck
