#include "harness/lowering/unread_operations.h"

#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>

#include "harness/lowering/mil_types.h"

namespace anecheck {
namespace {

// Returns a text such as "; nor can: list_read (2), list_write (2)". It lists the program's
// operations other than `first` that graphs cannot express, and is empty if there are none.
std::string OthersText(const mil::Program& program, std::string_view first,
                       const Vocabulary& vocabulary) {
  std::map<std::string_view, size_t> counts;
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    const std::string_view op = mil::StatementView(&program, i).op();
    if (op != first && !vocabulary.ReasonWithout(op).empty()) ++counts[op];
  }
  std::string text;
  for (const auto& [op, count] : counts) {
    text += fmt::format("{}{} ({})", text.empty() ? "; nor can: " : ", ", op, count);
  }
  return text;
}

}  // namespace

Error UnreadOperation(const mil::Program& program, mil::StatementView statement,
                      const Vocabulary& vocabulary) {
  const std::string_view op = statement.op();
  const std::string_view reason = vocabulary.ReasonWithout(op);
  if (reason.empty()) {
    return PlacedError(
        ErrorCode::kUnsupported, statement.offset(),
        fmt::format("operation \"{}\" is not in the vocabulary (`anecheck ops` lists it)", op));
  }
  return PlacedError(
      ErrorCode::kUnsupported, statement.offset(),
      fmt::format(
          "operation \"{}\" cannot be judged: {}{}; cut the model around "
          "them, and check its parts (`anecheck explain {}` shows the operation's placement)",
          op, reason, OthersText(program, op, vocabulary), op));
}

}  // namespace anecheck
