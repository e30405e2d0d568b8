// The matrix as a table for people: the first column is `op`; each target and route has two more,
// the state with its basis and the answer of the rules alone. The report and `matrix` share it, so
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
  // Adds the next cell of the row: target by target, and route by route within a target.
  void Add(const evidence::Cell& cell, legality::Outcome rules);

  std::string Csv() const;
  // For a terminal: a section for each target, a line for each operation, a column for each route.
  // The answer of the rules follows a state that differs from it. A section wider than `columns`
  // characters has a line for each route below each operation; 0 sets no limit.
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
