// A network description as plain values. Network descriptions are the compiler's second input
// language. They are property lists of layers and their connections. The lowering of graphs writes
// them and reads them back.
//
// There are two styles of keys. Files of version 1.0.9 list the names of ports in the network
// (Inputs, Outputs), with one dictionary per port. Files of version 1.0.10 list procedures at the
// top level (ProcedureList with InputList, OperationList, OutputList). Parse and Write support
// both. Sources: the 20 real files; specification 000, table 23.1; specification 004, "Method";
// facts/more/netplist_keys.csv; public netlists of version 1.0.10.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/netlist/layers.h"
#include "harness/formats/plist/plist.h"
#include "harness/formats/tree/value.h"

namespace anecheck::netlist {

inline constexpr std::string_view kVersionPorts = "1.0.9";
inline constexpr std::string_view kVersionProcedures = "1.0.10";

enum class KeyStyle : uint8_t { kPorts, kProcedures };

// Extents of a port or constant in elements. An absent extent counts as 1.
struct Extents {
  std::optional<int64_t> batch;
  std::optional<int64_t> channels;
  std::optional<int64_t> depth;
  std::optional<int64_t> height;
  std::optional<int64_t> width;
  std::optional<int64_t> interleave;  // channels that share a plane: 1, 2, 3, 4 or 8
  friend bool operator==(const Extents&, const Extents&) = default;
};

// The distance in bytes from one element to the next along an axis. The compiler chooses an absent
// stride. A plane is one channel, or one interleave group of channels.
struct Strides {
  std::optional<int64_t> batch;
  std::optional<int64_t> depth;
  std::optional<int64_t> plane;
  std::optional<int64_t> row;
  friend bool operator==(const Strides&, const Strides&) = default;
};

// A tensor that the caller binds. A procedure may list the same symbol once for each unit that
// reads it.
struct Input {
  std::string name;                 // the symbol that a unit's Bottom names
  std::optional<std::string> type;  // Float16, UInt8, ...
  Extents extents;
  Strides strides;
  std::string unit;       // procedures: the unit that reads it (Name)
  std::string operation;  // procedures: OperationName
  std::vector<tree::Entry> extra;
  friend bool operator==(const Input&, const Input&) = default;
};

struct Output {
  std::string name;    // the symbol that the caller binds; by convention unit@output in 1.0.9
  std::string bottom;  // the unit whose result it is
  std::optional<std::string> type;
  std::optional<int64_t> interleave;
  Strides strides;
  std::string operation;  // procedures: OperationName
  std::vector<tree::Entry> extra;
  friend bool operator==(const Output&, const Output&) = default;
};

// A tensor whose values are in a weight file.
struct Constant {
  std::string name;
  std::optional<std::string> type;
  Extents extents;
  std::optional<int64_t> index;        // the number of the weight file
  std::optional<int64_t> byte_offset;  // in the weight file
  std::vector<tree::Entry> extra;
  friend bool operator==(const Constant&, const Constant&) = default;
};

// One layer. `params` has the keys of the layer's table (layers.h). The functions below read them.
struct Unit {
  std::string name;
  std::string type;
  std::vector<std::string> bottoms;
  std::vector<std::string> input_types;  // written in version 1.0.10 only
  std::optional<int64_t> output_channels;
  std::optional<int64_t> num_groups;
  std::optional<std::string> output_type;
  std::optional<tree::Dict> params;
  std::vector<tree::Entry> extra;  // other keys of the unit, for example UnescapedName

  // Return the parameter with that key, or nothing if it is absent or of another kind.
  std::optional<int64_t> Integer(std::string_view key) const;
  std::optional<bool> Boolean(std::string_view key) const;
  std::optional<double> Real(std::string_view key) const;  // accepts an integer too
  std::optional<std::string_view> Name(std::string_view key) const;
  std::optional<Half> HalfBits(std::string_view key) const;
  // Return the integers of an array, and the names in an array or the single name. Empty for other
  // values.
  std::vector<int64_t> Integers(std::string_view key) const;
  std::vector<std::string> Names(std::string_view key) const;
  const tree::Value* Param(std::string_view key) const;
  void SetParam(std::string_view key, tree::Value value);
  friend bool operator==(const Unit&, const Unit&) = default;
};

// The layers and connections of one network of the file.
struct Network {
  std::string name;
  std::vector<Input> inputs;    // listed inputs; for kProcedures see Procedure
  std::vector<Output> outputs;  // for both key styles; in kProcedures the ports with a Bottom
  std::vector<Constant> constants;
  std::vector<Unit> units;  // in the order of the list Units
  std::vector<std::string> weight_files;
  std::vector<tree::Entry> extra;

  const Unit* FindUnit(std::string_view unit_name) const;
  friend bool operator==(const Network&, const Network&) = default;
};

struct Operation {
  std::string network;
  std::string name;
  friend bool operator==(const Operation&, const Operation&) = default;
};

struct Procedure {
  std::string name;
  std::vector<Input> inputs;
  std::vector<Operation> operations;
  std::vector<Output> outputs;
  std::vector<tree::Entry> extra;
  friend bool operator==(const Procedure&, const Procedure&) = default;
};

struct Description {
  std::string version = std::string(kVersionPorts);
  KeyStyle key_style = KeyStyle::kPorts;
  std::vector<Network> networks;
  std::vector<Procedure> procedures;
  std::vector<tree::Entry> extra;
  friend bool operator==(const Description&, const Description&) = default;
};

// Reads a property list of either encoding. Keys without a field go to `extra`. Does not check the
// rules, which Verify does. Errors: kMalformed, with the offset in the file, if a key that the
// structure needs is missing or of another kind.
Result<Description> Parse(ByteSpan bytes);
Result<Description> FromTree(const tree::Value& root);

// Return the property list of a description, with keys sorted as Apple's tools sort them.
tree::Value ToTree(const Description& description);
Bytes Write(const Description& description, plist::Encoding encoding = plist::Encoding::kXml);

// Checks Params like the compiler's parser of this unit. The error is "InvalidParamSyntax: ..."
// with the unit and the first wrong key in the order of the layer's table, or kNotFound for a
// `Type` that is not in the catalog.
Status CheckParams(const Unit& unit);

// One wrong or doubtful parameter. `key` is the path inside Params, for example
// BroadcastInfo[0].Size.
struct ParamFault {
  enum class Kind : uint8_t { kUnknownKey, kMissing, kMissingAssumed, kWrongKind, kUnknownName };
  Kind kind;
  std::string key;
  std::string message;  // begins with the compiler's error name if the compiler reports it
  uint64_t offset = Error::kNoOffset;
};

// Returns every wrong parameter of a unit of this layer, and every name that is in no source.
std::vector<ParamFault> FindParamFaults(const LayerSpec& layer, std::string_view unit_name,
                                        const tree::Value* params);

}  // namespace anecheck::netlist
