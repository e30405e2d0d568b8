#include "harness/evidence/csv.h"

#include <cstdlib>
#include <fmt/format.h>

#include "harness/base/log.h"

namespace anecheck::evidence {
namespace {

// Takes one record from the front of `text`. Returns false if a quote is still open at the end.
bool TakeRecord(std::string_view& text, std::vector<std::string>& fields, size_t& lines) {
  fields.assign(1, "");
  bool quoted = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    lines += c == '\n' ? 1 : 0;
    if (quoted) {
      const bool twice = c == '"' && at + 1 < text.size() && text[at + 1] == '"';
      if (twice) ++at;
      if (c != '"' || twice)
        fields.back() += c;
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  text.remove_prefix(at < text.size() ? at + 1 : at);
  return !quoted;
}

}  // namespace

Result<std::vector<CsvRow>> ParseCsv(std::string_view text, std::string_view name) {
  std::vector<CsvRow> rows;
  std::vector<std::string> header, fields;
  size_t line = 1;
  while (!text.empty()) {
    const size_t begin = line;
    if (!TakeRecord(text, fields, line)) {
      return MakeError(ErrorCode::kMalformed, fmt::format("{}:{}: a quote is open", name, begin));
    }
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (header.empty()) {
      header = fields;
      continue;
    }
    if (fields.size() != header.size()) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}:{}: {} fields, the header has {}", name, begin,
                                   fields.size(), header.size()));
    }
    CsvRow& row = rows.emplace_back();
    for (size_t i = 0; i < header.size(); ++i) row.insert_or_assign(header[i], fields[i]);
  }
  return rows;
}

std::vector<CsvRow> EmbeddedCsv(std::string_view text, std::string_view name) {
  auto rows = ParseCsv(text, name);
  if (!rows.ok()) {
    LogError("embedded evidence: " + rows.error().message);
    std::abort();
  }
  return std::move(*rows);
}

}  // namespace anecheck::evidence
