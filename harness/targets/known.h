// A value with the sources that state it. Several sources may state different values, and the value
// is unknown if no source states it. Every per-target fact of harness/targets is such a value, so
// that a verdict can report that it depends on an unknown value.
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

// The statements of sources about one value, the strongest first. A default-constructed Known has
// no statements, so it is unknown.
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

  // Return the value and the source of the strongest statement. Precondition: known().
  const T& value() const { return statements_.front().value; }
  const std::string& source() const { return statements_.front().source; }

  // Returns the reason why the value is unknown; empty if known().
  const std::string& unknown_reason() const { return unknown_reason_; }

  // Returns every statement, the strongest first, including equal values from several sources.
  std::span<const SourcedValue<T>> statements() const { return statements_; }

  // Returns the distinct values, the strongest first.
  std::vector<T> values() const {
    std::vector<T> distinct;
    for (const SourcedValue<T>& statement : statements_) {
      if (std::find(distinct.begin(), distinct.end(), statement.value) == distinct.end()) {
        distinct.push_back(statement.value);
      }
    }
    return distinct;
  }

  // Returns whether sources state different values.
  bool conflicting() const { return values().size() > 1; }

  // Replaces all earlier statements by `statement`.
  void Replace(SourcedValue<T> statement) {
    statements_.clear();
    Add(std::move(statement));
  }

 private:
  std::vector<SourcedValue<T>> statements_;
  std::string unknown_reason_ = "no source gives this value";
};

}  // namespace anecheck
