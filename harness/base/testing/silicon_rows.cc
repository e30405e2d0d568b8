#include "harness/base/testing/silicon_rows.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <map>

#include "harness/base/real_text.h"

namespace anecheck::testing {
namespace {

// Returns the cells of one line. A quoted cell may contain commas.
std::vector<std::string> CellsOf(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::optional<double> Decimal(std::string_view text) { return RealFromText<double>(text); }

std::optional<Half> HalfOf(std::string_view text) {
  if (text.starts_with("0x")) {
    uint16_t bits = 0;
    const auto [end, code] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(Half{bits})
                                                                   : std::nullopt;
  }
  const auto number = SiliconNumber(text);
  return number ? std::optional(DoubleToHalf(*number)) : std::nullopt;
}

std::vector<Half> HalvesOf(std::string_view text) {
  std::vector<Half> halves;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const auto half = HalfOf(text.substr(0, end));
    if (!half) return {};
    halves.push_back(*half);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return halves;
}

}  // namespace

std::optional<double> SiliconNumber(std::string_view text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text.ends_with(" step")) {
    const auto steps = Decimal(text.substr(0, text.size() - 5));
    return steps ? std::optional(*steps * 0x1p-16) : std::nullopt;
  }
  const size_t plus = text.find('+', 1);
  if (plus != std::string_view::npos && text.find('^') != std::string_view::npos) {
    const auto a = SiliconNumber(text.substr(0, plus));
    const auto b = SiliconNumber(text.substr(plus + 1));
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }
  const size_t times = text.find('*');
  if (times != std::string_view::npos) {
    const auto a = SiliconNumber(text.substr(0, times));
    const auto b = SiliconNumber(text.substr(times + 1));
    return a && b ? std::optional(*a * *b) : std::nullopt;
  }
  const bool negative = text.starts_with("-2^");
  const std::string_view power = negative ? text.substr(1) : text;
  if (!power.starts_with("2^")) return Decimal(text);
  const auto exponent = Decimal(power.substr(2));
  if (!exponent) return std::nullopt;
  return (negative ? -1 : 1) * std::exp2(*exponent);
}

Result<std::vector<SiliconRow>> ReadSiliconRows(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return MakeError(ErrorCode::kNotFound, path + ": cannot read");
  std::map<std::string, size_t, std::less<>> column;
  const std::vector<std::string> names = CellsOf(line);
  for (size_t i = 0; i < names.size(); ++i) column[names[i]] = i;
  for (const char* name :
       {"id", "path", "group", "inputs", "weight", "bias", "engine_output", "law"}) {
    if (!column.contains(name)) {
      return MakeError(ErrorCode::kMalformed, path + ": no column " + name);
    }
  }
  std::vector<SiliconRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = CellsOf(line);
    if (cells.size() != names.size()) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: a row has other columns: {}", path, line));
    }
    const auto at = [&](const char* name) -> const std::string& { return cells[column[name]]; };
    rows.push_back({at("id"), at("path"), at("group"), at("inputs"), HalvesOf(at("inputs")),
                    HalfOf(at("weight")), HalfOf(at("bias")), HalfOf(at("engine_output")),
                    at("engine_output"), at("law")});
  }
  return rows;
}

}  // namespace anecheck::testing
