// The CPU oracle: the value of every result of a graph and the interval in which a conforming
// engine must stay. Campaigns, the command line and generators call Evaluate or keep an Evaluation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "oracles/contract.h"

namespace anecheck {

// The values that an engine may give for one tensor, element by element in row-major order.
struct Estimate {
  enum Flag : uint8_t {
    kNanAllowed = 1,  // an engine may give NaN here
    kNanOnly = 2,     // an engine may give only NaN; low and high are then NaN
  };

  TensorType type;
  // The exact result of the operation on its operands' values, rounded once (half to even) to the
  // element type. Integers and bools are exact; int32 and smaller fit a double.
  std::vector<double> value;
  // The interval of a conforming engine's results, both ends included.
  std::vector<double> low, high;
  // Whether a zero must have the sign of its interval's ends if both ends are zeros of one sign.
  // True for elements that were moved and not computed. Otherwise the sign of a zero is not judged.
  bool signed_zeros = false;
  std::vector<uint8_t> flags;
  // For discrete results. If `whole` is true, only integers are admitted. If member_begin[i] <
  // member_begin[i + 1], element i admits only the entries of `members` between these two indices,
  // ascending. member_begin is empty if no element has such a set.
  bool whole = false;
  // Along this axis every line contains each number at most once, as positions by rank do. -1 if
  // there is no such axis.
  int distinct_axis = -1;
  // Set only under departures. True if a departure widened an interval as far as it can, so that
  // the interval is weak evidence.
  bool loose = false;
  std::vector<uint32_t> member_begin;
  std::vector<double> members;
  // Empty, or the interval of the admitted finite numbers if [low, high] reaches an infinity; no
  // finite number is admitted if finite_low is above finite_high. Sums of products that may
  // overflow set these ends. Later operations do not use them.
  std::vector<double> finite_low, finite_high;
};

// Whether a conforming engine may return `actual` as element `index`.
bool Admits(const Estimate& expected, size_t index, double actual);
// The number of values that element `index` admits, for whole numbers and sets. 0 for other
// results.
uint64_t CountAdmitted(const Estimate& expected, size_t index);

// Evaluates graphs one after another and reuses its memory. Not thread-safe; use one per thread.
class Evaluation {
 public:
  // With fewer steps, starting a thread costs more than it saves.
  static constexpr uint64_t kWorthThreads = uint64_t{1} << 20;

  Evaluation();
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  // Lets operations with at least `worth` steps of an inner loop use `threads` threads (1 by
  // default; below 1: all threads of the machine). The number of threads does not change the
  // results. Do not use threads if several evaluations run at once.
  void UseThreads(int threads, uint64_t worth = kWorthThreads);
  int threads() const;

  // Computes every value of `graph`; states are zero at first. `inputs` are in order of
  // ValuesOfKind(kInput) and must have the declared types. Errors: kInvalid for inputs that do not
  // fit, kUnsupported for an operation without numeric reference. `graph`, `inputs` and `contract`
  // must live as long as the results are read. Precondition: ValidateGraph(graph) holds.
  Status Run(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract);
  Status Run(const Graph& graph, std::span<const Tensor> inputs, Contract&& contract) = delete;

  // As Run, for `output` and the values that it depends on. No other value may be read. In graphs
  // with states all values are computed. `wanted`, if not empty, has an entry for each element of
  // `output`. Sums of products skip elements with entry 0, which may not be read either.
  Status RunTo(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
               ValueId output, std::span<const uint8_t> wanted = {});

  // As RunTo, with no departure of `contract` in force. Notes the departures on which each value
  // depends, for RunWith. Precondition: the graph has no states.
  Status RunWithout(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
                    ValueId output);
  // After RunWithout: fills `estimate` with the stored values of its output, and returns the
  // departures on which they depend, as bits of Contract::departures. No other departure changes
  // the estimate.
  uint64_t StoredWithout(Estimate& estimate);
  // Repeats the successful RunWithout of `base` with `departures` in force. Values that depend on
  // none of these are shared with `base`, which must not run again while the results are read.
  Status RunWith(const Evaluation& base, std::span<const Tensor> inputs, uint64_t departures);

  // As Run, for graphs too large for memory. Values that no later operation needs are freed.
  // Afterwards only the graph's outputs may be read. Constants are loaded when they are read.
  // `visit`, if given, is called for each operation in order, and may read its results.
  Status RunForOutputs(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
                       const std::function<void(NodeId)>& visit = {});

  // As RunForOutputs, without bounds. Only Values of the outputs may be read. Takes about half the
  // time of RunForOutputs under a family's contract.
  Status RunValuesForOutputs(const Graph& graph, std::span<const Tensor> inputs,
                             const Contract& contract);

  // As Run, without bounds, for the graph and contract of the last run of `other`, but with other
  // inputs. Only Values of the results may be read. Takes less than half the time of Run. `other`
  // must not run again while the results are read. Errors: those of Run.
  Status RunValues(const Evaluation& other, std::span<const Tensor> inputs);
  // Estimate::value of value `id`, after a successful Run or RunValues. Also after RunForOutputs
  // and RunValuesForOutputs, for the values that may be read.
  std::span<const double> Values(ValueId id) const;

  // After a successful Run: the values that the engine may store for `id` if it is a graph output
  // or a tap, rounded to its element type. Reuses the memory of `estimate`.
  void Stored(ValueId id, Estimate& estimate) const;
  // As Stored, but for the value before the engine stores it: the interval also covers an
  // intermediate that stays unrounded.
  void Intermediate(ValueId id, Estimate& estimate) const;

 private:
  struct State;
  struct Streams;
  using ContractOfNode = const Contract* (*)(const Graph&, const Node&, const Contract*);
  Status RunStreamed(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
                     ContractOfNode contract_of, const std::function<void(NodeId)>& visit);
  std::unique_ptr<State> state_;
  std::unique_ptr<Streams> streams_;  // the memory of RunForOutputs
};

// The estimates of the graph's outputs, in order.
Result<std::vector<Estimate>> Evaluate(const Graph& graph, std::span<const Tensor> inputs,
                                       const Contract& contract);

// The elements of a tensor as numbers (a constant's bytes or a runner's output), int4 to fp32.
void DecodeElements(DType dtype, std::span<const uint8_t> bytes, std::span<double> elements);
// Writes `elements` as bytes. Precondition: the element type represents every number exactly.
void EncodeElements(DType dtype, std::span<const double> elements, std::span<uint8_t> bytes);

}  // namespace anecheck
