#include "harness/formats/fieldsources/field_sources.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "harness/base/json.h"

namespace anecheck {
namespace {

constexpr std::string_view kElements = "[]";
constexpr std::string_view kAnyName = "*";
constexpr size_t kMostUnknown = 100;

using Steps = std::vector<std::string_view>;

// Splits a path, for example "commands[].segname" into "commands", "[]", "segname".
Steps StepsOf(std::string_view path) {
  Steps steps;
  while (!path.empty()) {
    if (path.starts_with(kElements)) {
      steps.push_back(kElements);
      path.remove_prefix(kElements.size());
    } else {
      const size_t end = std::min({path.find('.'), path.find(kElements), path.size()});
      steps.push_back(path.substr(0, end));
      path.remove_prefix(end);
    }
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return steps;
}

std::string PathOf(const Steps& steps) {
  std::string path;
  for (const std::string_view step : steps) {
    if (step != kElements && !path.empty()) path += '.';
    path += step;
  }
  return path;
}

bool Fits(const Steps& row, const Steps& path) {
  if (row.size() > path.size()) return false;
  for (size_t i = 0; i < row.size(); ++i) {
    const bool any = row[i] == kAnyName && path[i] != kElements;
    if (!any && row[i] != path[i]) return false;
  }
  return true;
}

// The rows that every format has.
const FieldFact& FormatFact() {
  static const FieldFact fact = {"format", FactEvidence::kNotation,
                                 "the name of the format, as --format takes it"};
  return fact;
}
const FieldFact& DerivedFact() {
  static const FieldFact fact = {"derived", FactEvidence::kNotation,
                                 "follows from other fields; encode does not read it"};
  return fact;
}

class Collector {
 public:
  explicit Collector(std::span<const FieldFact> facts) : facts_(facts), used_(facts.size(), false) {
    rows_.reserve(facts.size());
    for (const FieldFact& fact : facts) rows_.push_back(StepsOf(fact.path));
  }

  FieldSources Run(const Json& json) {
    Visit({&json});
    std::ranges::sort(evidence_.fields, {}, &SourcedField::path);
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (used_[i]) evidence_.rows.push_back(&facts_[i]);
    }
    for (const FieldFact* shared : {&FormatFact(), &DerivedFact()}) {
      const bool used = std::ranges::any_of(
          evidence_.fields, [&](const SourcedField& field) { return field.fact == shared; });
      if (used) evidence_.rows.push_back(shared);
    }
    return std::move(evidence_);
  }

 private:
  // Visits all values at one path together, so that each path is searched once.
  void Visit(const std::vector<const Json*>& values) {
    bool is_field = false;
    std::vector<const Json*> elements;
    std::map<std::string_view, std::vector<const Json*>> members;
    for (const Json* value : values) {
      is_field |= !value->is_structured();
      for (auto it = value->begin(); value->is_structured() && it != value->end(); ++it) {
        if (value->is_array()) {
          elements.push_back(&*it);
        } else {
          members[it.key()].push_back(&*it);
        }
      }
    }
    if (is_field) AddField();
    if (!elements.empty()) VisitBelow(kElements, elements);
    for (const auto& [name, below] : members) VisitBelow(name, below);
  }

  void VisitBelow(std::string_view step, const std::vector<const Json*>& values) {
    path_.push_back(step);
    Visit(values);
    path_.pop_back();
  }

  void AddField() {
    const FieldFact* fact = nullptr;
    for (size_t i = 0; i < rows_.size() && fact == nullptr; ++i) {
      if (!Fits(rows_[i], path_)) continue;
      fact = &facts_[i];
      used_[i] = true;
    }
    if (fact == nullptr) fact = SharedFact();
    evidence_.fields.push_back({PathOf(path_), fact});
  }

  const FieldFact* SharedFact() const {
    if (path_.size() == 1 && path_[0] == FormatFact().path) return &FormatFact();
    return std::ranges::find(path_, DerivedFact().path) != path_.end() ? &DerivedFact() : nullptr;
  }

  std::span<const FieldFact> facts_;
  std::vector<Steps> rows_;
  std::vector<bool> used_;
  Steps path_;
  FieldSources evidence_;
};

// Returns the fields that match no row, up to a limit.
std::vector<std::string_view> UnknownFields(const FieldSources& sources) {
  std::vector<std::string_view> unknown;
  for (const SourcedField& field : sources.fields) {
    if (field.fact == nullptr && unknown.size() < kMostUnknown) unknown.push_back(field.path);
  }
  return unknown;
}

}  // namespace

FieldSources SourcesOf(std::span<const FieldFact> facts, const Json& json) {
  return Collector(facts).Run(json);
}

Json FieldSourcesToJson(const FieldSources& sources) {
  Json list = Json::array();
  for (const FieldFact* row : sources.rows) {
    list.push_back({{"fields", row->path},
                    {"evidence", FactEvidenceName(row->evidence)},
                    {"source", row->source}});
  }
  for (const std::string_view path : UnknownFields(sources)) {
    list.push_back({{"fields", path}, {"evidence", "unknown"}});
  }
  return list;
}

std::string FieldSourcesText(const FieldSources& sources) {
  std::string text =
      "evidence of the fields (a row also covers the fields below it; if several rows fit a field, "
      "the first counts):\n";
  for (size_t i = 0; i < sources.rows.size();) {
    const FieldFact& first = *sources.rows[i];
    text += fmt::format("  {} [{}]:", FactEvidenceName(first.evidence), first.source);
    std::string_view separator = " ";
    for (; i < sources.rows.size(); ++i) {
      const FieldFact& row = *sources.rows[i];
      if (row.evidence != first.evidence || row.source != first.source) break;
      text += separator;
      text += row.path;
      separator = ", ";
    }
    text += '\n';
  }
  for (const std::string_view path : UnknownFields(sources)) {
    text += fmt::format("  unknown: {}\n", path);
  }
  return text;
}

}  // namespace anecheck
