// The matrix as a table for people: first column `op`, then two for each target and route, the
// state with its basis and the answer of the rules alone. Shared by the report and `matrix`, so
// that both write the same words.
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
  // The next cell of the row: targets in order, of each the routes in order.
  void Add(const evidence::Cell& cell, legality::Outcome rules);

  std::string Csv() const;
  // For a terminal: a section per target, a line per operation, a column per route; the rules stand
  // beside a state that is another. A section wider than `columns` letters has a line per route
  // below each operation; 0 sets no limit.
  std::string Text(size_t columns) const;
  // GitHub Flavored Markdown; the heads name the chips beside their targets.
  std::string Markdown() const;

 private:
  std::vector<std::string> targets_;
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> rows_;  // the head of Csv() first
  std::vector<std::string> titles_;             // the head of Markdown()
};

}  // namespace anecheck::reports
