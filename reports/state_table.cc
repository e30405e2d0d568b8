#include "reports/state_table.h"

#include <fmt/format.h>

#include "harness/targets/chip_names.h"
#include "reports/text.h"

namespace anecheck::reports {

StateTable::StateTable(std::vector<std::string> targets, std::vector<Route> routes)
    : rows_(1, {"op"}), titles_({"operation"}) {
  for (const std::string& target : targets) {
    for (const Route route : routes) {
      titles_.push_back(fmt::format("{} {}", TargetTitle(target), route));
      titles_.push_back(fmt::format("{} {} rules", TargetTitle(target), route));
      rows_[0].push_back(fmt::format("{} {}", target, route));
      rows_[0].push_back(fmt::format("{} {} rules", target, route));
    }
  }
}

void StateTable::BeginRow(std::string_view op) { rows_.push_back({std::string(op)}); }

void StateTable::Add(const evidence::Cell& cell, legality::Outcome rules) {
  rows_.back().push_back(evidence::CellText(cell));
  rows_.back().emplace_back(evidence::StageText(evidence::StageOfRules(rules)));
}

std::string StateTable::Csv() const {
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + CsvField(row[i]);
    text += "\n";
  }
  return text;
}

std::string StateTable::Markdown() const {
  std::string text = "|", rule = "|";
  for (const std::string& title : titles_) {
    text += fmt::format(" {} |", EscapeMarkdown(title));
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (size_t at = 1; at < rows_.size(); ++at) {
    text += fmt::format("| {} |", MarkdownCode(rows_[at][0]));
    for (size_t i = 1; i < rows_[at].size(); ++i) {
      text += fmt::format(" {} |", EscapeMarkdown(rows_[at][i]));
    }
    text += "\n";
  }
  return text;
}

}  // namespace anecheck::reports
