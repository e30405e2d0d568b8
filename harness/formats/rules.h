// Tables of a format's rules. A row states a rule, names its source, and has its check. Code can
// report a rule only through its row, so every reported rule has a statement and a source.
//
//   constexpr auto kRules = RulesOf<WeightFile>({
//       {"blob-ids", "The ids of the table are 0, 1, 2, ...", "the real file", kReal,
//        [](const WeightFile& file, RuleReport& broken) {
//          if (...) broken(offset, "blob {} has the id {}", i, id);
//        }},
//   });
#pragma once

#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/message.h"
#include "harness/formats/violation_list.h"

namespace anecheck {

// Collects the violations of one rule. Not thread-safe.
class RuleReport {
 public:
  // `base`, the offset of the model in its file, is added to every offset.
  RuleReport(const Rule& rule, uint64_t base, ViolationList& violations)
      : rule_(rule), base_(base), violations_(violations) {}

  // Reports that the rule is broken at `offset`. The message is the rule's id and the text. Strings
  // in `args` may come from a file, so Shown escapes and shortens them.
  template <typename... Args>
  [[gnu::noinline, gnu::cold]] void operator()(uint64_t offset, fmt::format_string<Args...> text,
                                               const Args&... args) {
    violations_.Add(rule_, base_ + offset, [&] {
      return fmt::format("{}: {}", rule_.id, fmt::format(fmt::runtime(text), ShownText(args)...));
    });
  }

  // Reports a complete message, which Shown does not shorten.
  [[gnu::noinline, gnu::cold]] void Say(uint64_t offset, std::string_view message) {
    violations_.Add(rule_, base_ + offset,
                    [&] { return fmt::format("{}: {}", rule_.id, message); });
  }

 private:
  const Rule& rule_;
  uint64_t base_;
  ViolationList& violations_;
};

// The check of a rule that the parser enforces. A file that breaks the rule does not parse, and the
// error begins with the rule's id.
template <typename Model>
void CheckedWhileParsing(const Model& /*model*/, RuleReport& /*broken*/) {}

// `evidence` decides the severity: an assumed rule warns, and any other rule is an error.
template <typename Model>
struct RuleRow {
  std::string_view id;
  std::string_view statement;
  std::string_view source;
  FactEvidence evidence;
  void (*check)(const Model& model, RuleReport& broken);
};

// The rules of a format, each with its own check. A row that lacks a part, or repeats an id, does
// not compile.
template <typename Model, size_t kCount>
class RuleTable {
 public:
  consteval explicit RuleTable(const RuleRow<Model> (&rows)[kCount]) {
    for (size_t i = 0; i < kCount; ++i) {
      const RuleRow<Model>& row = rows[i];
      if (row.id.empty() || row.statement.empty() || row.source.empty() || row.check == nullptr) {
        throw "a row of rules lacks a part";
      }
      for (size_t k = 0; k < i; ++k) {
        if (rules_[k].id == row.id) throw "two rules have one id";
      }
      rules_[i] = {row.id, row.statement, row.source, row.evidence};
      checks_[i] = row.check;
    }
  }

  constexpr std::span<const Rule> rules() const { return rules_; }

  // Returns the violations in file order.
  std::vector<Violation> Verify(const Model& model) const {
    ViolationList violations;
    Verify(model, 0, violations);
    return std::move(violations).Take();
  }
  // Adds the violations of a model that begins at offset `base` of another file.
  void Verify(const Model& model, uint64_t base, ViolationList& violations) const {
    for (size_t i = 0; i < kCount; ++i) {
      RuleReport report(rules_[i], base, violations);
      checks_[i](model, report);
    }
  }

 private:
  std::array<Rule, kCount> rules_{};
  std::array<void (*)(const Model&, RuleReport&), kCount> checks_{};
};

template <typename Model, size_t kCount>
consteval RuleTable<Model, kCount> RulesOf(const RuleRow<Model> (&rows)[kCount]) {
  return RuleTable<Model, kCount>(rows);
}

// The rules of a format that one walk over the model checks together, because the checks need the
// same context. The walk names a rule by its id. An id without a row does not compile.
template <size_t kCount>
class WalkRules {
 public:
  consteval explicit WalkRules(const Rule (&rows)[kCount]) {
    for (size_t i = 0; i < kCount; ++i) {
      if (rows[i].id.empty() || rows[i].statement.empty() || rows[i].source.empty()) {
        throw "a row of rules lacks a part";
      }
      for (size_t k = 0; k < i; ++k) {
        if (rules_[k].id == rows[i].id) throw "two rules have one id";
      }
      rules_[i] = rows[i];
    }
  }

  constexpr std::span<const Rule> rules() const { return rules_; }

  consteval const Rule& operator[](std::string_view id) const {
    for (const Rule& rule : rules_) {
      if (rule.id == id) return rule;
    }
    throw "no row has this id";
  }

 private:
  std::array<Rule, kCount> rules_{};
};

// Gathers the violations that a walk finds. Not thread-safe.
class WalkReport {
 public:
  template <typename... Args>
  void Add(const Rule& rule, uint64_t offset, fmt::format_string<Args...> text,
           const Args&... args) {
    RuleReport(rule, 0, violations_)(offset, text, args...);
  }
  void Say(const Rule& rule, uint64_t offset, std::string_view message) {
    RuleReport(rule, 0, violations_).Say(offset, message);
  }
  ViolationList& list() { return violations_; }
  std::vector<Violation> Take() && { return std::move(violations_).Take(); }

 private:
  ViolationList violations_;
};

}  // namespace anecheck
