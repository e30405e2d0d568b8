#include "harness/judging/against.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "harness/judging/different_bits.h"
#include "harness/judging/locate.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

// Returns the first element that differs, or nothing if all are equal.
std::optional<size_t> FirstDifference(const Tensor& a, const Tensor& b) {
  if (!AreAlike(a, b)) return 0;
  const DifferentBits different = FindDifferentBits(a, b);
  return different.count == 0 ? std::nullopt : std::optional(different.first);
}

double ElementOf(const Tensor& tensor, size_t element) {
  std::vector<double> elements(static_cast<size_t>(tensor.type.shape.Elements()));
  DecodeElements(tensor.type.dtype, tensor.bytes, elements);
  return elements[element];
}

std::string Describe(size_t output, size_t element, const Tensor& a, const Tensor& b,
                     const std::string& engine) {
  if (!AreAlike(a, b)) return fmt::format("output {} has another type by {}", output, engine);
  return fmt::format("element {} of output {} is {}, and {} by {}", element, output,
                     ElementOf(a, element), ElementOf(b, element), engine);
}

}  // namespace

void JudgeOther(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  if (!reply.other || reply.status != RunStatus::kOk || reply.verified) return;
  const OtherAnswer& other = *reply.other;
  if (other.status == RunStatus::kNotRun) return;
  const Graph& graph = item.graph;
  if (other.status != RunStatus::kOk) {
    outcome.shown.Worsen({.verdict = Verdict::kDiffers,
                          .message = fmt::format("ran, and by {}: {}: {}", other.engine,
                                                 other.status, other.message),
                          .op = LastProducer(graph)});
    return;
  }
  const size_t count = std::min(reply.outputs.size(), other.outputs.size());
  for (size_t i = 0; i < count; ++i) {
    const auto element = FirstDifference(reply.outputs[i], other.outputs[i]);
    if (!element) continue;
    outcome.shown.Worsen(
        {.verdict = Verdict::kDiffers,
         .message = Describe(i, *element, reply.outputs[i], other.outputs[i], other.engine),
         .op = LastProducer(graph)});
    return;
  }
}

Status LocateDifference(const Case& item, Runner& runner, CaseOutcome& outcome) {
  const std::optional<Case> tapped = Tapped(item);
  if (!tapped) return {};
  RunRequest request = RequestOf(*tapped);
  request.settings.repeat = false;
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  const RunReply& reply = replies.front();
  const size_t count = tapped->graph.outputs().size();
  const bool both = reply.status == RunStatus::kOk && reply.outputs.size() == count &&
                    reply.other && reply.other->outputs.size() == count;
  if (!both) return {};
  NodeId first = kNoNode;
  for (size_t i = 0; i < count; ++i) {
    if (!FirstDifference(reply.outputs[i], reply.other->outputs[i])) continue;
    const Value& value = tapped->graph.value(tapped->graph.outputs()[i]);
    if (value.kind == ValueKind::kResult) first = std::min(first, value.producer);
  }
  if (first == kNoNode) return {};
  const Node& node = tapped->graph.node(first);
  outcome.shown.Charge(std::string(node.schema->name), tapped->graph.value(node.first_result).name);
  return {};
}

}  // namespace anecheck
