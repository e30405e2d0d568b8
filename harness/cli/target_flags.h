// The flags with which a user replaces the tool's data on a target. Used by the subcommands that
// judge legality or list targets.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/command_line.h"
#include "harness/targets/catalog.h"

namespace anecheck {

struct TargetFlags {
  std::vector<std::string> files;  // JSON of the form of harness/targets/data
  std::vector<std::string> blobs;  // "h13=hal.bin": a table of 0x938 or 0xa10 bytes
  std::string family_order = "specification";
};

void AddTargetFlags(CommandLine& command, TargetFlags& flags);

// Returns the built-in targets, changed first by the user's files and then by the blobs, each in
// the order given.
Result<TargetCatalog> LoadCatalog(const TargetFlags& flags);

// Returns which of the two published numberings of the families to use.
FamilyOrder Order(const TargetFlags& flags);

}  // namespace anecheck
