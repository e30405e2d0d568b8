#include "fuzz/words/words.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::fuzz {
namespace {

constexpr uint32_t kByteCodes = 0x100;

WordTable Commands() {
  WordTable commands = {"commands"};
  for (uint32_t id = 0; id < kByteCodes; ++id) {
    if (!hwx::CommandName(id).empty()) commands.Number(id, 4);
  }
  return commands;
}

WordTable Sections() {
  WordTable sections = {"section_kinds"};
  for (uint32_t kind = 0; kind < kByteCodes; ++kind) {
    if (hwx::SectionKindName(kind).empty()) continue;
    sections.Number(kind, 4);
    sections.Number(kind | hwx::kHasRelocations, 4);
  }
  return sections;
}

WordTable Subtypes() {
  WordTable subtypes = {"cpu_subtypes"};
  for (uint32_t subtype = 0; subtype < kByteCodes; ++subtype) {
    if (!hwx::FamilyOfSubtype(subtype).empty()) subtypes.Number(subtype, 4);
  }
  return subtypes;
}

WordTable Threads() {
  WordTable threads = {"threads"};
  for (const uint32_t word : {hwx::kHeaderFlavor, hwx::kTensorFlavor, hwx::kHeaderCountOld,
                              hwx::kHeaderCountNew, hwx::kTensorCountOld, hwx::kTensorCountNew}) {
    threads.Number(word, 4);
  }
  return threads;
}

// The names of the options in the specification's program, without their values.
WordTable BannerOptions() {
  WordTable options = {"banner_options"};
  for (const std::string& option : hwx::SpecificationOptions()) {
    options.Text(option.substr(0, option.find_first_of("= ")));
  }
  return options;
}

WordTable Catalog() {
  WordTable catalog = {"element_types"};
  constexpr size_t kLongest = 24;  // every other catalog is a prefix of this catalog
  for (const std::string_view entry : stabs::Catalog(kLongest)) catalog.Text(entry);
  return catalog;
}

}  // namespace

WordTables words::hwx() {
  WordTable magic = {"magic"};
  magic.Number(hwx::kMagic, 4);
  WordTables tables = {magic,     Commands(),      Sections(), Subtypes(),
                       Threads(), BannerOptions(), Catalog()};
  for (const td::Coding coding : {td::Coding::kByteAddress, td::Coding::kWordAddress}) {
    tables.push_back(RegisterRuns(coding));
  }
  return tables;
}

}  // namespace anecheck::fuzz
