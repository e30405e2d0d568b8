// The matrix as a table for people. The first column is `op`. Each target and route has two
// columns, the state with its basis and the answer of the rules alone. The report and `anecheck
// matrix` share this class, so both write the same text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/evidence/cell.h"

namespace anecheck::reports {

class StateTable {
 public:
  StateTable(std::vector<std::string> targets, std::vector<Route> routes);

  void BeginRow(std::string_view op);
  // Adds the next cell of the row. The order is by target, and by route within a target.
  void Add(const evidence::Cell& cell, legality::Outcome rules);

  std::string Csv() const;
  // Returns the table for a terminal, with a section for each target, a line for each operation and
  // a column for each route. If a state differs from the answer of the rules, the answer follows
  // the state. A section that would be wider than `columns` characters has a line for each route
  // below each operation instead. 0 sets no limit.
  std::string Text(size_t columns) const;
  // Returns GitHub Flavored Markdown, in which the column heads name each target and its chips.
  std::string Markdown() const;

 private:
  std::vector<std::string> targets_;
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> rows_;  // the head of Csv() first
  std::vector<std::string> titles_;             // the head of Markdown()
};

}  // namespace anecheck::reports
