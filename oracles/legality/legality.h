// The rule oracle. It predicts the answer of each compiler layer, in order, to an operation
// instance on a target by a route, with the reason in the layer's own words. Verdicts come only
// from the tables of oracles/legality/data and the target's values, not from results of runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/targets/target.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/rules.h"

namespace anecheck::legality {

// The joint answer of the layers to an instance.
enum class Outcome : uint8_t {
  kNative,      // admitted unchanged
  kDecomposed,  // admitted after a rewrite or a fold, or only if the compiler makes it
  kRejected,    // a layer refuses it; other targets and routes are not judged
  kNoPath,      // refused because it has no native layer (a rule marked `everywhere`)
  kUnknown,     // depends on a value that no source gives
};
std::string_view OutcomeName(Outcome outcome);

struct LayerVerdict {
  Layer layer = Layer::kFrontEnd;
  Ruling ruling = Ruling::kPass;
  bool reached = true;  // no earlier layer refused
  std::string rule;     // the deciding rule; empty if none applied
  std::string reason;   // in the layer's own words
  std::string source;
  std::vector<OtherReading> others;  // sources that contradict the rule
  std::vector<std::string> open;     // rules that need a fact that the instance does not give
};

struct Verdict {
  std::string op;
  std::string native_layer;  // the unit type to which it is lowered, or empty
  std::string target;
  Route route = Route::kMil;
  Outcome outcome = Outcome::kNative;
  std::vector<LayerVerdict> layers;  // one for each layer, in order

  const LayerVerdict& at(Layer layer) const { return layers[static_cast<size_t>(layer)]; }
  // Returns the first layer that refuses or whose ruling is unknown, or null.
  const LayerVerdict* Stopper() const;
};

// Judges an instance. Returns kNotFound if the catalogue has no operation or native layer
// `instance.op`. The message lists similar names. Has no side effects.
Result<Verdict> Judge(const Instance& instance, const Target& target, Route route,
                      FamilyOrder order = FamilyOrder::kSpecification,
                      const Rules& rules = Rules::Builtin());

// Returns an operation's status on a target over both routes, in the words of the public matrix:
//   native        the conversion route admits it as it is
//   bridge        only after a rewrite, from inside the compiler, or by direct authoring
//   family_gated  both routes refuse it; other targets are not judged, so no target need admit it
//   no_path       it has no native layer (a rule marked `everywhere` refuses it)
//   unknown       rests on a value that no source gives, also if only the direct route does
// If `rule` is not null, it receives the id of the deciding rule.
Result<std::string> ReachStatus(std::string_view op, const Target& target,
                                FamilyOrder order = FamilyOrder::kSpecification,
                                std::string* rule = nullptr);

}  // namespace anecheck::legality
