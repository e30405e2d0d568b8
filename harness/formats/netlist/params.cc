#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "harness/formats/message.h"
#include "harness/formats/netlist/model.h"

namespace anecheck::netlist {

namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

constexpr std::array<std::string_view, 5> kDimensionNames = {"Batch", "Depth", "Channel", "Height",
                                                             "Width"};

bool IsDimension(const Value& value) {
  const std::string* name = value.AsString();
  return name != nullptr && std::ranges::find(kDimensionNames, *name) != kDimensionNames.end();
}

template <typename Predicate>
bool IsArrayOf(const Value& value, Predicate predicate) {
  const Array* array = value.AsArray();
  return array != nullptr && std::ranges::all_of(*array, predicate);
}

bool IsKind(const ParamSpec& spec, const Value& value) {
  const auto is_integer = [](const Value& item) { return item.AsInteger() != nullptr; };
  const auto is_dict = [](const Value& item) { return item.AsDict() != nullptr; };
  switch (spec.kind) {
    case ParamKind::kAny:
      return true;
    case ParamKind::kInteger:
      return is_integer(value);
    case ParamKind::kBoolean:
      return value.AsBool() != nullptr;
    case ParamKind::kReal:
      return value.IsNumber();
    case ParamKind::kHalfBits:
      return is_integer(value) && *value.AsInteger() >= 0 && *value.AsInteger() <= 0xffff;
    case ParamKind::kName:
      return value.AsString() != nullptr &&
             (spec.names.empty() ||
              std::ranges::find(spec.names, *value.AsString()) != spec.names.end());
    case ParamKind::kNameOrInteger:
      return value.AsString() != nullptr || is_integer(value);
    case ParamKind::kDimension:
      return IsDimension(value);
    case ParamKind::kDimensions:
      return IsDimension(value) || IsArrayOf(value, IsDimension);
    case ParamKind::kIntegers:
      return IsArrayOf(value, is_integer);
    case ParamKind::kDictionary:
      return is_dict(value);
    case ParamKind::kDictionaries:
      return IsArrayOf(value, is_dict);
  }
  return false;
}

std::string_view KindText(ParamKind kind) {
  switch (kind) {
    case ParamKind::kAny:
      return "a value";
    case ParamKind::kInteger:
      return "an integer";
    case ParamKind::kBoolean:
      return "a boolean";
    case ParamKind::kReal:
      return "a number";
    case ParamKind::kHalfBits:
      return "the bits of an fp16 value as an integer from 0 to 65535";
    case ParamKind::kName:
      return "one of its names";
    case ParamKind::kNameOrInteger:
      return "a name or an integer";
    case ParamKind::kDimension:
      return "Batch, Depth, Channel, Height or Width";
    case ParamKind::kDimensions:
      return "dimension names";
    case ParamKind::kIntegers:
      return "an array of integers";
    case ParamKind::kDictionary:
      return "a dictionary";
    case ParamKind::kDictionaries:
      return "an array of dictionaries";
  }
  return "a value";
}

class ParamChecker {
 public:
  ParamChecker(const LayerSpec& layer, std::string_view unit) : layer_(layer), unit_(unit) {}

  void Check(std::span<const ParamSpec> specs, const Dict& dict, const std::string& path,
             bool closed, uint64_t offset) {
    for (const ParamSpec& spec : specs) {
      const std::string key = path + std::string(spec.key);
      const Value* value = dict.Find(spec.key);
      if (value == nullptr) {
        if (spec.required) AddMissing(spec, key, offset);
        continue;
      }
      if (!IsKind(spec, *value)) {
        Add(ParamFault::Kind::kWrongKind, key, fmt::format("takes {}", KindText(spec.kind)),
            value->offset);
        continue;
      }
      CheckName(spec, *value, key);
      CheckMembers(spec, *value, key);
    }
    if (!closed) return;
    for (const Entry& entry : dict.entries) {
      if (FindParam(specs, entry.key) == nullptr) {
        Add(ParamFault::Kind::kUnknownKey, path + entry.key, "is no key that the parser reads",
            entry.key_offset);
      }
    }
  }

  std::vector<ParamFault> Take() && { return std::move(faults_); }

 private:
  void CheckMembers(const ParamSpec& spec, const Value& value, const std::string& key) {
    if (const Dict* dict = value.AsDict(); dict != nullptr && !spec.members.empty()) {
      Check(spec.members, *dict, key + ".", true, value.offset);
    } else if (const Array* array = value.AsArray();
               array != nullptr && spec.kind == ParamKind::kDictionaries) {
      for (size_t i = 0; i < array->size(); ++i) {
        Check(spec.members, *(*array)[i].AsDict(), fmt::format("{}[{}].", key, i), true,
              (*array)[i].offset);
      }
    }
  }

  void CheckName(const ParamSpec& spec, const Value& value, const std::string& key) {
    const std::string* name = value.AsString();
    if (name == nullptr || IsKnownName(spec, *name)) return;
    faults_.push_back(
        {ParamFault::Kind::kUnknownName, key,
         fmt::format("unit {} of type {}: Params key {} is {}, which no source spells",
                     Quoted(unit_), layer_.type, Quoted(key), Quoted(*name)),
         value.offset});
  }

  void AddMissing(const ParamSpec& spec, const std::string& key, uint64_t offset) {
    const bool assumed = spec.required_evidence == FactEvidence::kAssumed;
    Add(assumed ? ParamFault::Kind::kMissingAssumed : ParamFault::Kind::kMissing, key, "is missing",
        offset);
  }

  void Add(ParamFault::Kind kind, const std::string& key, std::string_view what, uint64_t offset) {
    std::string error(layer_.key_error);
    if (error.ends_with('*')) error.replace(error.size() - 1, 1, key);
    faults_.push_back(ParamFault{kind, key,
                                 fmt::format("{}: unit {} of type {}: Params key {} {}", error,
                                             Quoted(unit_), layer_.type, Quoted(key), what),
                                 offset});
  }

  const LayerSpec& layer_;
  std::string_view unit_;
  std::vector<ParamFault> faults_;
};

}  // namespace

std::vector<ParamFault> FindParamFaults(const LayerSpec& layer, std::string_view unit_name,
                                        const Value* params) {
  static const Dict kEmpty;
  ParamChecker checker(layer, unit_name);
  const Dict* dict = params == nullptr ? &kEmpty : params->AsDict();
  checker.Check(layer.params, dict == nullptr ? kEmpty : *dict, "", layer.closed,
                params == nullptr ? Error::kNoOffset : params->offset);
  return std::move(checker).Take();
}

Status CheckParams(const Unit& unit) {
  const LayerSpec* layer = FindLayer(unit.type);
  if (layer == nullptr) {
    return MakeError(ErrorCode::kNotFound, fmt::format("unit {}: no layer has the Type {}",
                                                       Quoted(unit.name), Quoted(unit.type)));
  }
  std::optional<Value> params;
  if (unit.params) params = Value(*unit.params);
  for (const ParamFault& fault : FindParamFaults(*layer, unit.name, params ? &*params : nullptr)) {
    const bool assumed = fault.kind == ParamFault::Kind::kMissingAssumed ||
                         fault.kind == ParamFault::Kind::kUnknownName;
    if (!assumed) {
      return MakeError(ErrorCode::kInvalid, fault.message, fault.offset);
    }
  }
  return {};
}

const Value* Unit::Param(std::string_view key) const {
  return params ? params->Find(key) : nullptr;
}

void Unit::SetParam(std::string_view key, Value value) {
  if (!params) params.emplace();
  params->Set(key, std::move(value));
}

std::optional<int64_t> Unit::Integer(std::string_view key) const {
  const Value* value = Param(key);
  const int64_t* integer = value == nullptr ? nullptr : value->AsInteger();
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

std::optional<bool> Unit::Boolean(std::string_view key) const {
  const Value* value = Param(key);
  const bool* flag = value == nullptr ? nullptr : value->AsBool();
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::optional<double> Unit::Real(std::string_view key) const {
  const Value* value = Param(key);
  if (value == nullptr) return std::nullopt;
  if (const double* real = value->AsReal()) return *real;
  if (const int64_t* integer = value->AsInteger()) return static_cast<double>(*integer);
  return std::nullopt;
}

std::optional<std::string_view> Unit::Name(std::string_view key) const {
  const Value* value = Param(key);
  const std::string* text = value == nullptr ? nullptr : value->AsString();
  return text == nullptr ? std::nullopt : std::optional<std::string_view>(*text);
}

std::optional<Half> Unit::HalfBits(std::string_view key) const {
  const std::optional<int64_t> bits = Integer(key);
  if (!bits || *bits < 0 || *bits > 0xffff) return std::nullopt;
  return Half{static_cast<uint16_t>(*bits)};
}

std::vector<int64_t> Unit::Integers(std::string_view key) const {
  std::vector<int64_t> integers;
  const Value* value = Param(key);
  if (value == nullptr || value->AsArray() == nullptr) return integers;
  for (const Value& item : *value->AsArray()) {
    if (const int64_t* integer = item.AsInteger()) integers.push_back(*integer);
  }
  return integers;
}

std::vector<std::string> Unit::Names(std::string_view key) const {
  std::vector<std::string> names;
  const Value* value = Param(key);
  if (value == nullptr) return names;
  if (const std::string* text = value->AsString()) names.push_back(*text);
  if (const Array* array = value->AsArray()) {
    for (const Value& item : *array) {
      if (const std::string* text = item.AsString()) names.push_back(*text);
    }
  }
  return names;
}

}  // namespace anecheck::netlist
