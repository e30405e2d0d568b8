#include "reports/state_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "harness/targets/chip_names.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

constexpr size_t kGap = 2;

// An operation and its state by each route. The first such line of a table has the column heads.
using StateLine = std::vector<std::string>;

// Returns the table with one line for each route below each operation.
std::string StackedLines(std::span<const StateLine> lines) {
  size_t width = 0;
  for (const std::string& route : std::span(lines[0]).subspan(1)) {
    width = std::max(width, route.size());
  }
  std::string text;
  for (const StateLine& line : lines.subspan(1)) {
    text += line[0] + "\n";
    for (size_t i = 1; i < line.size(); ++i) {
      text += fmt::format("  {:{}}{}\n", lines[0][i], width + kGap, line[i]);
    }
  }
  return text;
}

std::string StateLines(std::span<const StateLine> lines, size_t columns) {
  size_t all = 0;
  std::vector<size_t> widths(lines[0].size(), 0);
  for (size_t i = 0; i < widths.size(); ++i) {
    for (const StateLine& line : lines) widths[i] = std::max(widths[i], line[i].size());
    all += widths[i] + (i == 0 ? 0 : kGap);
  }
  if (columns > 0 && all > columns) return StackedLines(lines);
  std::string text;
  for (const StateLine& line : lines) {
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      text += fmt::format("{:{}}", line[i], widths[i] + kGap);
    }
    text += line.back() + "\n";
  }
  return text;
}

}  // namespace

StateTable::StateTable(std::vector<std::string> targets, std::vector<Route> routes)
    : targets_(std::move(targets)),
      routes_(std::move(routes)),
      rows_(1, {"op"}),
      titles_({"operation"}) {
  for (const std::string& target : targets_) {
    for (const Route route : routes_) {
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

std::string StateTable::Text(size_t columns) const {
  std::string text;
  size_t from = 1;  // the first column of the target
  for (const std::string& target : targets_) {
    std::vector<StateLine> lines = {{"operation"}};
    for (const Route route : routes_) lines[0].emplace_back(ToText(route));
    for (size_t at = 1; at < rows_.size(); ++at) {
      StateLine& line = lines.emplace_back(1, rows_[at][0]);
      for (size_t i = from; i < from + 2 * routes_.size(); i += 2) {
        const std::string& state = rows_[at][i];
        const std::string& rules = rows_[at][i + 1];
        line.push_back(state.starts_with(rules) ? state
                                                : fmt::format("{}; by the rules {}", state, rules));
      }
    }
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", TargetTitle(target));
    text += StateLines(lines, columns);
    from += 2 * routes_.size();
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
