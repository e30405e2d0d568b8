// The flags by which a user replaces the tool's data about targets. Subcommands that judge legality
// or list targets have them.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/command_line.h"
#include "harness/targets/catalog.h"

namespace anecheck {

struct TargetFlags {
  std::vector<std::string> files;  // JSON files in the form of harness/targets/data
  std::vector<std::string> blobs;  // "h13=hal.bin": a table of 0x938 or 0xa10 bytes
  std::string family_order = "specification";
};

void AddTargetFlags(CommandLine& command, TargetFlags& flags);

// Returns the built-in targets. The user's files change them first and then the blobs, each in the
// order of the command line.
Result<TargetCatalog> LoadCatalog(const TargetFlags& flags);

// Returns the numbering of the families to use, of the two that are published.
FamilyOrder Order(const TargetFlags& flags);

}  // namespace anecheck
