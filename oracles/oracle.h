// The CPU oracle: the value of every result of a graph and the interval that a conforming engine
// must stay in. Campaigns, the command line and generators call Evaluate or keep an Evaluation.
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

// The expected content of one tensor, element by element in row-major order.
struct Estimate {
  enum Flag : uint8_t {
    kNanAllowed = 1,  // an engine may give NaN here
    kNanOnly = 2,     // and nothing else; low and high are then NaN
  };

  TensorType type;
  // The exact result of the operation on its operands' values, rounded once (half to even) to the
  // element type. Integers and bools are exact; int32 and smaller fit a double.
  std::vector<double> value;
  // The results of a conforming engine, both ends included.
  std::vector<double> low, high;
  // Whether a zero has the sign of its interval's ends, where both are zeros of one sign: elements
  // that were moved and not computed. Elsewhere the sign of a zero is not judged.
  bool signed_zeros = false;
  std::vector<uint8_t> flags;
  // Discrete results: `whole` admits integers alone. Element i with
  // member_begin[i] < member_begin[i + 1] admits only those entries of `members`, ascending;
  // member_begin is empty where no element has such a set.
  bool whole = false;
  // Every line along this axis holds each number once: positions by rank. -1 where none is.
  int distinct_axis = -1;
  // Departures alone: they widen an interval by the most that they may do, so that the admitted
  // interval says little.
  bool loose = false;
  std::vector<uint32_t> member_begin;
  std::vector<double> members;
  // Empty, or the finite numbers among [low, high] that are meant where the interval reaches an
  // infinity: none where the low end lies above the high one. Sums of products that may overflow
  // set them; operations that follow do not know them.
  std::vector<double> finite_low, finite_high;
};

// Whether a conforming engine may give `actual` as element `index`.
bool Admits(const Estimate& expected, size_t index, double actual);
// How many values element `index` admits where they can be counted (whole numbers, sets), else 0.
uint64_t CountAdmitted(const Estimate& expected, size_t index);

// Evaluates graphs one after another in memory that it keeps. Not thread-safe; one per thread.
class Evaluation {
 public:
  // Below so many steps the start of a thread costs more than it saves.
  static constexpr uint64_t kWorthThreads = uint64_t{1} << 20;

  Evaluation();
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  // Lets operations of at least `worth` steps of an inner loop use so many threads (1 by default;
  // below 1 all that the machine has). The results are the same. Not for one of several evaluations
  // that run at once.
  void UseThreads(int threads, uint64_t worth = kWorthThreads);
  int threads() const;

  // Computes every value of `graph`; states are zero at first. `inputs` are in order of
  // ValuesOfKind(kInput) and must have the declared types. Errors: kInvalid for inputs that do not
  // fit, kUnsupported for an operation without numeric reference. `graph`, `inputs` and `contract`
  // must live as long as the results are read. Precondition: ValidateGraph(graph) holds.
  Status Run(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract);
  Status Run(const Graph& graph, std::span<const Tensor> inputs, Contract&& contract) = delete;

  // As Run, for `output` and the values that it depends on: no other value may be read. In graphs
  // with states everything is computed. `wanted`, where not empty, has an entry for each element of
  // `output`: those that are 0 may not be read either, and sums of products leave them out.
  Status RunTo(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
               ValueId output, std::span<const uint8_t> wanted = {});

  // As Run, for graphs too large to keep: values that no later operation needs are given up.
  // Afterwards only the graph's outputs may be read. Constants are loaded where they are read.
  // `visit`, where given, is called for each operation in order, and may read its results.
  Status RunForOutputs(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
                       const std::function<void(NodeId)>& visit = {});

  // As RunForOutputs, for the values alone: of the outputs only Values may be read. Takes about
  // half the time under a family's contract.
  Status RunValuesForOutputs(const Graph& graph, std::span<const Tensor> inputs,
                             const Contract& contract);

  // As Run, for the graph and under the contract that `other` ran last, at other inputs, and for
  // the values alone: of the results only Values may be read. Takes less than half the time.
  // `other` must not run again while they are read. Errors: those of Run.
  Status RunValues(const Evaluation& other, std::span<const Tensor> inputs);
  // After a successful Run or RunValues, and, as far as they allow reading it, RunForOutputs and
  // RunValuesForOutputs: Estimate::value of value `id`.
  std::span<const double> Values(ValueId id) const;

  // After a successful Run: the values that the engine may store for `id` if it is a graph output
  // or a tap, that is rounded to its element type. Reuses the memory of `estimate`.
  void Stored(ValueId id, Estimate& estimate) const;
  // The same before storing: the interval also covers an intermediate that stays unrounded.
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
// The converse for numbers that the element type holds exactly.
void EncodeElements(DType dtype, std::span<const double> elements, std::span<uint8_t> bytes);

}  // namespace anecheck
