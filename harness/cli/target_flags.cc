#include "harness/cli/target_flags.h"

#include <fmt/format.h>

#include "harness/base/file.h"
#include "harness/cli/command_line.h"
#include "oracles/legality/rules.h"

namespace anecheck {

void AddTargetFlags(CommandLine& command, TargetFlags& flags) {
  command.AddOption(
      "--targets-file", flags.files,
      "JSON file in the form of harness/targets/data; its values replace the built-in ones");
  command.AddOption("--hal", flags.blobs, "TARGET=FILE: read a HAL table of 0x938 or 0xa10 bytes");
  command.AddOption("--family-order", flags.family_order, "Numbering of the families")
      .OneOf({"specification", "guide"})
      .ShowDefault();
}

namespace {

// Refuses a floor (FamilyFloor) of a name that is no operation. It would have no effect.
Status CheckFloors(const TargetCatalog& catalog, const std::string& file) {
  for (const FamilyFloor& floor : catalog.floors()) {
    if (!floor.operations.empty() || legality::Rules::Builtin().Find(floor.op) != nullptr) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: floors: \"{}\" is no operation; `anecheck ops` lists them",
                                 file, floor.op));
  }
  return {};
}

}  // namespace

Result<TargetCatalog> LoadCatalog(const TargetFlags& flags) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  for (const std::string& path : flags.files) {
    ANECHECK_ASSIGN(const std::string text, ReadTextFile(path));
    ANECHECK_RETURN_IF_ERROR(catalog.ApplyUserFile(text, path));
    ANECHECK_RETURN_IF_ERROR(CheckFloors(catalog, path));
  }
  for (const std::string& text : flags.blobs) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("--hal \"{}\": write TARGET=FILE, as h13=hal.bin", text));
    }
    const std::string path = text.substr(equals + 1);
    ANECHECK_ASSIGN(const std::vector<uint8_t> blob, ReadFile(path));
    ANECHECK_RETURN_IF_ERROR(catalog.ReplaceHal(text.substr(0, equals), blob, path));
  }
  return catalog;
}

FamilyOrder Order(const TargetFlags& flags) {
  return flags.family_order == "guide" ? FamilyOrder::kPublicGuide : FamilyOrder::kSpecification;
}

}  // namespace anecheck
