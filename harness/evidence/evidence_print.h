// Prints the statements about one operation on one target, for people and for programs. Used by
// `anecheck explain`. The matrix uses it for the known conflicts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/evidence/conflicts.h"
#include "harness/evidence/evidence.h"

namespace anecheck::evidence {

struct Found {
  std::vector<Statement> statements;  // strongest first
  std::vector<KnownConflict> conflicts;
};

// Returns the statements about any of `subjects` (operations, native layers, and instances such as
// "conv [kernel_depth=2]") on the target by these routes, and the known conflicts that name them. A
// statement without a route counts for both routes.
Found About(std::span<const Statement> statements, std::span<const std::string> subjects,
            std::string_view target, RouteSet routes);

// Returns a line per statement, then the conflicts between them, then the known conflicts.
std::string FoundText(const Found& found);
// {"evidence": [statement], "conflicts": [{"stronger", "weaker", "decided", "why"}],
// "known_conflicts": [...]}; statements have the form of StatementsJson, and conflicts refer to
// statements by index.
Json FoundJson(const Found& found);

Json StatementJson(const Statement& statement);
Json ConflictJson(const Conflict& conflict);
Json KnownConflictJson(const KnownConflict& conflict);

}  // namespace anecheck::evidence
