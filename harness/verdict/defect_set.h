// The documented defects that together explain one deviation.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anecheck {

// Ids of defects, such as "D01", sorted, each once.
class DefectSet {
 public:
  DefectSet() = default;
  DefectSet(std::initializer_list<std::string_view> ids);
  explicit DefectSet(std::span<const std::string_view> ids);

  void Add(std::string_view id);
  void Add(const DefectSet& other);
  void clear() { ids_.clear(); }

  bool Has(std::string_view id) const;
  bool HasOneOf(const DefectSet& other) const;
  bool empty() const { return ids_.empty(); }
  size_t size() const { return ids_.size(); }
  auto begin() const { return ids_.begin(); }
  auto end() const { return ids_.end(); }
  bool operator==(const DefectSet&) const = default;
  auto operator<=>(const DefectSet&) const = default;

  // Returns "D01,D03"; an empty text for no defects.
  std::string ToText() const;
  // Reads the ids between commas. Any text is valid; empty ids are skipped.
  static DefectSet FromText(std::string_view text);

 private:
  std::vector<std::string> ids_;
};

}  // namespace anecheck
