// Judges the operations of a graph one by one, on the values of a run that shows them.
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
  // The verdict on the operation's own results. It is kPass if nothing lies outside its interval,
  // or if no tap shows the result (integers, values written to a state) and the operation that
  // reads it is judged together with it. It is kInconclusive if the oracle cannot evaluate the
  // operation. It may also be kKnownDefect, kUnconfirmed or kWrong.
  Verdict verdict = Verdict::kInconclusive;
  DefectSet defects = {};  // of kKnownDefect
  std::string terms = {};  // of kUnconfirmed: their names
  uint64_t explained = 0;  // elements outside that `defects` explain
};

// An operation judged alone. The message and the rest describe its last wrong result.
struct NodeJudgement {
  JudgedNode judged;
  std::string message;         // the value and the admitted interval
  std::string_view deviation;  // DeviationName
  // Whether opposite flags explain every element that lies outside.
  bool flags_alone = false;
};

// The operation to charge for the wrong values of `id`. If opposite flags alone explain them, the
// comparison that set the flags is charged, not the operation that passes them on.
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

  // The judgement of an operation. Each may be asked for once. Judges later operations too, up to
  // the next wrong one and at most a few behind it. Precondition: the operations before it were
  // asked for.
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
