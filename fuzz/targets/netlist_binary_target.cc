// Fuzzes network descriptions in the form of binary property lists.
#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/input_text.h"
#include "generators/formats/netlist/binary_tables.h"
#include "generators/formats/netlist/netlist_generator.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    MoreLaws(kFormatLaws, "a table is canonical exactly if its tree gives an equal table");
using Laws = LawBook<kLaws>;

bool Check(ByteSpan input) {
  const std::string_view text = AsText(input);
  if (!text.starts_with("bplist")) return false;
  const bool parses = CheckFormatLaws(kFormat_netlist, input);
  if (parses && MeetsReaderLaws(input)) {
    const plist::BinaryDocument document = plist::ParseBinary(input).value();
    Laws::Require(plist::IsCanonical(document.table) ==
                      (plist::TableFromValue(document.root) == document.table),
                  "a table is canonical exactly if its tree gives an equal table");
    const auto written = plist::Write(plist::Parse(input).value());
    Laws::Require(written.ok() && std::ranges::equal(*written, input), "write(parse(x)) is x",
                  "by way of the tree");
  }
  return true;
}

// Returns the names in a description, and the first bytes of a binary property list.
WordTables Words() {
  WordTables tables = words::netlist();
  std::erase_if(tables, [](const WordTable& table) { return table.name == "xml_tags"; });
  constexpr size_t kMagicAndVersion = 8;
  const Bytes file = plist::WriteBinary(plist::TableFromValue(tree::Value(tree::Dict{}))).value();
  WordTable magic = {"binary_magic"};
  magic.Text(std::string(file.begin(), file.begin() + kMagicAndVersion));
  tables.push_back(magic);
  return tables;
}

// Makes a dictionary of up to three values of random kinds. It can be read as a property list but
// is not a network description. It is small, so that edits are likely to change relevant bytes.
tree::Value GenerateSmall(ChoiceStream& choices) {
  tree::Dict dict;
  const uint64_t entries = choices.Below(4);
  for (uint64_t i = 0; i < entries; ++i) {
    const std::string key(1, static_cast<char>('a' + i));
    switch (choices.Below(7)) {
      case 0:
        dict.Set(key, tree::Value::Bool(choices.Coin()));
        break;
      case 1:
        dict.Set(key, tree::Value::Integer(choices.Range(-2, 300)));
        break;
      case 2:
        dict.Set(key, tree::Value::Real(static_cast<double>(choices.Below(9)) / 4));
        break;
      case 3:
        dict.Set(key, tree::Value::String(choices.Coin() ? "text" : "\xc3\xa9"));
        break;
      case 4:
        dict.Set(key, tree::Value(tree::Data{Bytes(choices.Below(20), uint8_t{0x61})}));
        break;
      case 5:
        dict.Set(key, tree::Value(tree::Date{static_cast<double>(choices.Below(1u << 30))}));
        break;
      default:
        dict.Set(key, tree::Value(tree::Array{tree::Value::Bool(true), tree::Value::Integer(7)}));
    }
  }
  return tree::Value(std::move(dict));
}

Bytes Generate(ChoiceStream& choices) {
  plist::Document document;
  if (choices.Coin()) {
    document.root = GenerateSmall(choices);
  } else {
    document.root = plist::Parse(kGenerator_netlist.generate(choices)).value().root;
  }
  document.encoding = plist::Encoding::kBinary;
  if (choices.Coin()) document.table = GenerateOtherTable(document.root, choices);
  return plist::Write(document).value();
}

}  // namespace

extern const FuzzTarget kTarget_netlist_binary;
const FuzzTarget kTarget_netlist_binary = {.name = "netlist_binary",
                                           .check = Check,
                                           .laws = kLaws,
                                           .words = Words,
                                           .format = &kFormat_netlist,
                                           .generator = &kGenerator_netlist,
                                           .generate = Generate};

}  // namespace anecheck::fuzz
