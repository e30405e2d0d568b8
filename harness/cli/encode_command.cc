// `anecheck encode`: a file from the JSON that `inspect --json` prints.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

struct EncodeFlags {
  std::string format;
  std::string in;
  std::string out;
};

Status Encode(const EncodeFlags& flags) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(flags.in));
  ANECHECK_ASSIGN(const Json json, ParseJson(text, flags.in));
  std::string name = flags.format;
  if (name.empty() && json.is_object() && json.contains("format") && json["format"].is_string()) {
    name = json["format"].get<std::string>();
  }
  if (name.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: has no \"format\"; name one with --format", flags.in));
  }
  ANECHECK_ASSIGN(const Format* format, FindFormat(name));
  const bool wrapped = json.is_object() && json.contains("content");
  auto bytes = format->from_json(wrapped ? json["content"] : json);
  if (!bytes.ok()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", flags.in, bytes.error().message));
  }
  return WriteFileAtomic(flags.out, std::span<const uint8_t>(*bytes));
}

}  // namespace

void AddEncodeCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("encode", "Make a file from the JSON of `inspect --json`");
  auto flags = std::make_shared<EncodeFlags>();
  command->add_option("in", flags->in, "JSON file")->required();
  command->add_option("out", flags->out, "File to write")->required();
  command->add_option("--format", flags->format, "Format, where the JSON does not name it");
  command->footer("Example: anecheck encode a.json b.hwx");
  command->callback([flags, &selected] {
    selected = [flags] {
      const Status status = Encode(*flags);
      return status.ok() ? kExitClean : Fail(status.error());
    };
  });
}

}  // namespace anecheck
