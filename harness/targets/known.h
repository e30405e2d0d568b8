// A value that one source states, that several sources state with different values, or that no
// source states. Every per-target fact of harness/targets is such a value, so a verdict that rests
// on an unknown value can report it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace anecheck {

// A value with the source that states it.
template <typename T>
struct SourcedValue {
  T value{};
  std::string source;  // "specification 003, table 24.4"
  std::string note;    // a caveat; often empty
};

// Zero or more statements about one value, the strongest first. A default-constructed Known is
// unknown, never 0.
template <typename T>
class Known {
 public:
  Known() = default;
  static Known Unknown(std::string reason) {
    Known known;
    known.unknown_reason_ = std::move(reason);
    return known;
  }

  void Add(SourcedValue<T> statement) { statements_.push_back(std::move(statement)); }

  bool known() const { return !statements_.empty(); }
  explicit operator bool() const { return known(); }

  // The strongest statement's value and source. Precondition: known().
  const T& value() const { return statements_.front().value; }
  const std::string& source() const { return statements_.front().source; }

  // The reason that the value is unknown; empty if known().
  const std::string& unknown_reason() const { return unknown_reason_; }

  // Every statement, in order of strength, including equal values from several sources.
  std::span<const SourcedValue<T>> statements() const { return statements_; }

  // The distinct values, in order of strength.
  std::vector<T> values() const {
    std::vector<T> distinct;
    for (const SourcedValue<T>& statement : statements_) {
      if (std::find(distinct.begin(), distinct.end(), statement.value) == distinct.end()) {
        distinct.push_back(statement.value);
      }
    }
    return distinct;
  }

  // Returns whether two sources state different values.
  bool conflicting() const { return values().size() > 1; }

  // Replaces all earlier statements.
  void Replace(SourcedValue<T> statement) {
    statements_.clear();
    Add(std::move(statement));
  }

 private:
  std::vector<SourcedValue<T>> statements_;
  std::string unknown_reason_ = "no source gives this value";
};

}  // namespace anecheck
