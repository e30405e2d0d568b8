// Judges the operations of a graph one by one, on the values of a tapped run (locate.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cases/case.h"
#include "harness/judging/node_cut.h"
#include "harness/verdict/defect_set.h"
#include "harness/verdict/verdict.h"
#include "oracles/oracle.h"

namespace anecheck {

struct JudgedNode {
  // The verdict on the operation's own results. It is kPass if every element lies inside its
  // interval. It is also kPass if no tap shows the result (integers, values written to a state),
  // because the operation that reads it is judged together with it. It is kInconclusive if the
  // oracle cannot evaluate the operation. It may also be kKnownDefect, kUnconfirmed or kWrong.
  Verdict verdict = Verdict::kInconclusive;
  DefectSet defects = {};  // of kKnownDefect
  std::string terms = {};  // of kUnconfirmed: the terms' names
  uint64_t explained = 0;  // the number of elements outside their intervals that `defects` explain
};

// The judgement of one operation. The members after `judged` describe its last wrong result.
struct NodeJudgement {
  JudgedNode judged;
  std::string message;         // the value and the admitted interval
  std::string_view deviation;  // DeviationName
  // Whether inverted flags (bool operands) explain every element outside its interval.
  bool flags_alone = false;
};

// Returns the operation to charge for the wrong values of `id`. If inverted flags explain them
// (`flags_alone`), returns the comparison that set the flags, not their reader.
NodeId Culprit(const Graph& graph, const NodeCut::Values& values, NodeId id, bool flags_alone);

// Judges the operations of a tapped run in order, several at a time if the evaluation may use
// threads.
class JudgedInOrder {
 public:
  // The arguments must outlive this object.
  JudgedInOrder(const Case& item, const NodeCut::Values& values, bool of_engine,
                Evaluation& evaluation, const std::function<void(size_t, size_t)>& judging)
      : item_(item),
        values_(values),
        of_engine_(of_engine),
        evaluation_(evaluation),
        judging_(judging),
        judged_(item.graph.nodes().size()) {}

  // Returns the judgement of an operation. Also judges later operations, up to the next wrong one
  // and a few after it. Call this in order, and once for each operation.
  Result<NodeJudgement> At(NodeId id);

 private:
  Status JudgeFrom(NodeId first);
  NodeJudgement Judge(NodeId id, Evaluation& evaluation) const;
  void Tell(uint64_t done) const {
    if (judging_) judging_(done, judged_.size());
  }

  const Case& item_;
  const NodeCut::Values& values_;
  const bool of_engine_;
  Evaluation& evaluation_;
  const std::function<void(size_t, size_t)>& judging_;
  std::vector<std::optional<NodeJudgement>> judged_;
};

}  // namespace anecheck
