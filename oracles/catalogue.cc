#include "oracles/catalogue.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, kEffectCount> kEffectNames = {
    "port_overflow",  "interior_overflow", "width_slice_gain",   "tile_lattice",  "sum_lattice",
    "flush_in_mac",   "nan_as_infinity",   "nan_result_as_zero", "unsigned_zero", "ties_away",
    "value_at",       "value_from",        "absolute_error",     "any_of_axis",   "reciprocal",
    "table_at_zero",  "cast_wraps",        "swish_of_product",   "forgets_scale", "may_be_from",
    "one_mask_plane", "unshifted_softmax", "moved_zero"};

// Whether the effect reads operands and attributes by their positions. These positions are known
// only for the operations in the documented list of departures.
bool IsOfItsOperations(Effect effect) {
  return effect == Effect::kAnyOfAxis || effect == Effect::kReciprocal ||
         effect == Effect::kSwishOfProduct || effect == Effect::kForgetsScale ||
         effect == Effect::kOneMaskPlane || effect == Effect::kUnshiftedSoftmax;
}

bool NeedsOperation(Effect effect) {
  return effect == Effect::kValueAt || effect == Effect::kValueFrom ||
         effect == Effect::kAbsoluteError || effect == Effect::kMayBeFrom ||
         IsOfItsOperations(effect);
}

bool IsDocumentedAt(Effect effect, std::string_view op) {
  return std::ranges::any_of(KnownDepartures(), [&](const Departure& row) {
    return row.effect == effect && row.op == op;
  });
}

std::optional<Effect> EffectFromName(std::string_view name) {
  for (size_t i = 0; i < kEffectNames.size(); ++i) {
    if (kEffectNames[i] == name) return static_cast<Effect>(i);
  }
  return std::nullopt;
}

Error Invalid(size_t row, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("departures[{}]: {}", row, what));
}

// The text at `key`, "" if there is none, or an error if the value is not a text.
Result<std::string> TextAt(const Json& row, size_t index, const char* key) {
  const auto found = row.find(key);
  if (found == row.end()) return std::string();
  if (!found->is_string()) return Invalid(index, fmt::format("{} must be a string", key));
  return found->get<std::string>();
}

Result<double> NumberAt(const Json& row, size_t index, const char* key) {
  const auto found = row.find(key);
  if (found == row.end()) return 0.0;
  if (found->is_number()) return found->get<double>();
  if (found->is_string() && *found == "inf") return std::numeric_limits<double>::infinity();
  if (found->is_string() && *found == "-inf") return -std::numeric_limits<double>::infinity();
  return Invalid(index, fmt::format("{} must be a number, \"inf\" or \"-inf\"", key));
}

Result<uint32_t> FamiliesAt(const Json& row, size_t index, bool own) {
  const auto found = row.find("families");
  if (own && found == row.end()) return uint32_t{1} << kOwnFamily;
  if (found == row.end() || !found->is_array() || found->empty()) {
    return Invalid(index, "families must be a list of names such as \"A13\" or \"h13\"");
  }
  uint32_t families = 0;
  for (const Json& name : *found) {
    const auto contract = ContractFromName(name.is_string() ? name.get<std::string>() : "");
    if (!contract.ok() || contract.value().ideal) {
      return Invalid(index, fmt::format("{} names no family", name.dump()));
    }
    families |= uint32_t{1} << contract.value().family;
  }
  return families;
}

// One departure and its strings, before the catalogue owns them.
struct Draft {
  Departure departure;
  std::string id, op, what, source;
};

Result<Draft> ReadRow(const Json& row, size_t index, bool own) {
  if (!row.is_object()) return Invalid(index, "must be an object");
  Draft draft;
  ANECHECK_ASSIGN(draft.id, TextAt(row, index, "id"));
  ANECHECK_ASSIGN(draft.op, TextAt(row, index, "op"));
  ANECHECK_ASSIGN(draft.what, TextAt(row, index, "what"));
  ANECHECK_ASSIGN(draft.source, TextAt(row, index, "source"));
  ANECHECK_ASSIGN(const std::string name, TextAt(row, index, "effect"));
  ANECHECK_ASSIGN(draft.departure.a, NumberAt(row, index, "a"));
  ANECHECK_ASSIGN(draft.departure.b, NumberAt(row, index, "b"));
  ANECHECK_ASSIGN(draft.departure.families, FamiliesAt(row, index, own));
  const auto effect = EffectFromName(name);
  if (draft.id.empty()) return Invalid(index, "id is missing");
  if (!effect) return Invalid(index, fmt::format("\"{}\" is no effect", name));
  if (!draft.op.empty() && FindOp(draft.op) == nullptr) {
    return Invalid(index, fmt::format("\"{}\" is no operation", draft.op));
  }
  if (draft.op.empty() && NeedsOperation(*effect)) {
    return Invalid(index, fmt::format("{} needs an op", name));
  }
  if (IsOfItsOperations(*effect) && !IsDocumentedAt(*effect, draft.op)) {
    return Invalid(index, fmt::format("{} cannot be the effect of {}: `anecheck ops --json` lists "
                                      "where the documented departures have it",
                                      name, draft.op));
  }
  const bool tile = *effect == Effect::kTileLattice || *effect == Effect::kSumLattice;
  if (tile && !(draft.departure.a >= 1 && draft.departure.a <= 53 && draft.departure.b >= 1 &&
                draft.departure.b <= 65536)) {
    return Invalid(index,
                   fmt::format("{} needs a in 1 to 53 (bits) and b in 1 to 65536 (lanes)", name));
  }
  draft.departure.effect = *effect;
  return draft;
}

// Sets the size of one freedom of a chosen contract, by its name.
Status ReadTerm(const std::string& name, const Json& value, Contract& contract) {
  const auto fact = std::ranges::find(TermFacts(), name, &TermFact::name);
  if (fact == TermFacts().end()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("contract.terms: \"{}\" is no term", name));
  }
  constexpr double kMost = 65504;
  const double number = value.is_number() ? value.get<double>() : -1;
  if (!(number >= 0 && number <= kMost)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("contract.terms: {} must be a number from 0 to 65504", name));
  }
  contract.terms[static_cast<size_t>(fact->term)] = number;
  return {};
}

Result<Contract> ReadContract(const Json& json) {
  const auto base = json.is_object() ? json.find("base") : json.end();
  const std::string name = base != json.end() && base->is_string() ? base->get<std::string>() : "";
  const auto known = ContractFromName(name);
  const int family = known.ok() ? known->family : kOwnFamily;
  if (family != kFloatFamily && family != kIeeeFamily) {
    return MakeError(ErrorCode::kInvalid, "contract: the \"base\" must be float or ieee");
  }
  Contract contract = ConformingContract(family);
  const auto terms = json.find("terms");
  if (terms == json.end()) return contract;
  if (!terms->is_object()) {
    return MakeError(ErrorCode::kInvalid, "contract: \"terms\" must be an object");
  }
  for (const auto& [term, value] : terms->items()) {
    ANECHECK_RETURN_IF_ERROR(ReadTerm(term, value, contract));
  }
  contract.ideal &= std::ranges::all_of(contract.terms, [](double term) { return term == 0; });
  return contract;
}

}  // namespace

std::string_view EffectName(Effect effect) { return kEffectNames[static_cast<size_t>(effect)]; }

DepartureCatalogue::DepartureCatalogue()
    : rows_(KnownDepartures().begin(), KnownDepartures().end()) {}

Status DepartureCatalogue::AddJson(std::string_view text) {
  const Result<Json> read = ParseJson(text);
  if (!read.ok()) return MakeError(ErrorCode::kMalformed, "the departure catalogue is not JSON");
  const Json& document = *read;
  const bool chooses = document.is_object() && document.contains("contract");
  const Json none = Json::array();
  const bool listed = document.is_object() && document.contains("departures");
  const Json& list = listed ? document.at("departures") : none;
  if (!(listed || chooses) || !list.is_array()) {
    return MakeError(ErrorCode::kMalformed,
                     "the departure catalogue must be an object with a list \"departures\"");
  }
  std::optional<Contract> own;
  if (chooses) {
    ANECHECK_ASSIGN(own, ReadContract(document.at("contract")));
  }
  std::vector<Draft> drafts;
  for (size_t i = 0; i < list.size(); ++i) {
    ANECHECK_ASSIGN(Draft draft, ReadRow(list[i], i, chooses));
    drafts.push_back(std::move(draft));
  }
  if (own) own_ = own;
  for (Draft& draft : drafts) {
    draft.departure.id = text_.emplace_back(std::move(draft.id));
    draft.departure.op = text_.emplace_back(std::move(draft.op));
    draft.departure.what = text_.emplace_back(std::move(draft.what));
    draft.departure.source = text_.emplace_back(std::move(draft.source));
    rows_.push_back(draft.departure);
  }
  return {};
}

namespace {

DepartureCatalogue& InForce() {
  static DepartureCatalogue catalogue;
  return catalogue;
}

}  // namespace

std::span<const Departure> DeparturesInForce() { return InForce().rows(); }

Status AddDeparturesInForce(std::string_view json) {
  ANECHECK_RETURN_IF_ERROR(InForce().AddJson(json));
  if (InForce().own()) SetOwnContract(*InForce().own());
  return {};
}

}  // namespace anecheck
