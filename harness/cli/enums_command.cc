// `anecheck enums`: prints the enumerations that formats use, with their sources.
#include <fmt/format.h>
#include <memory>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/near_words.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/formats/enums/enums.h"

namespace anecheck {
namespace {

struct EnumsFlags {
  std::string name;
  bool json = false;
};

std::string ListText() {
  std::string text;
  for (size_t i = 0; i < kEnumKindCount; ++i) {
    const EnumTable& table = GetEnumTable(static_cast<EnumKind>(i));
    text +=
        fmt::format("{:22} {:4} members  [{}]\n", table.name, table.entries.size(), table.source);
  }
  return text;
}

std::string TableText(const EnumTable& table) {
  std::string text = fmt::format("{}, {}  [{}]\n", table.name,
                                 Counted(table.entries.size(), "member"), table.source);
  for (const EnumEntry& entry : table.entries) {
    text += fmt::format("{:5}  {}\n", entry.code, entry.name);
  }
  for (const EnumEntry& entry : table.aliases) {
    text += fmt::format("{:5}  {} (another name)\n", entry.code, entry.name);
  }
  return text;
}

Json Members(std::span<const EnumEntry> entries) {
  Json members = Json::array();
  for (const EnumEntry& entry : entries) {
    members.push_back({{"code", entry.code}, {"name", entry.name}});
  }
  return members;
}

Json TableJson(const EnumTable& table) {
  return {{"name", table.name},
          {"source", table.source},
          {"members", Members(table.entries)},
          {"aliases", Members(table.aliases)}};
}

int PrintList(bool json) {
  if (!json) {
    PrintText(ListText());
    return kExitClean;
  }
  Json tables = Json::array();
  for (size_t i = 0; i < kEnumKindCount; ++i) {
    tables.push_back(TableJson(GetEnumTable(static_cast<EnumKind>(i))));
  }
  Print(tables.dump(2));
  return kExitClean;
}

int RunEnums(const EnumsFlags& flags) {
  if (flags.name.empty()) return PrintList(flags.json);
  const std::optional<EnumKind> kind = FindEnumKind(flags.name);
  if (!kind) {
    std::vector<std::string> names;
    names.reserve(kEnumKindCount);
    for (size_t i = 0; i < kEnumKindCount; ++i) {
      names.emplace_back(GetEnumTable(static_cast<EnumKind>(i)).name);
    }
    return Fail(
        MakeError(ErrorCode::kInvalid,
                  fmt::format("no enumeration is called \"{}\"{}; `anecheck enums` lists them",
                              flags.name, DidYouMean(flags.name, names))));
  }
  const EnumTable& table = GetEnumTable(*kind);
  flags.json ? Print(TableJson(table).dump(2)) : PrintText(TableText(table));
  return kExitClean;
}

}  // namespace

void AddEnumsCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("enums", "List the enumerations of the formats, or the members of one");
  auto flags = std::make_shared<EnumsFlags>();
  command.AddOption("name", flags->name, "An enumeration: operation_class, micro_op");
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer("Example: anecheck enums\nExample: anecheck enums operation_class");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunEnums(*flags); }; });
}

}  // namespace anecheck
