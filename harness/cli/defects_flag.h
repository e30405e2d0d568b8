// `--defects FILE`: departures of a user's own engine, which judges then try beside the documented
// ones (oracles/catalogue.h).
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace anecheck {

// May be given more than once. Files are read while the command line is parsed, so that a broken
// one is wrong usage.
void AddDefectsFlag(CLI::App& command);

}  // namespace anecheck
