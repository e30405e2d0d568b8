// Each kernel names the terms of the contract that determine its bound. The judge considers only
// these terms to decide whether an assumption forbids a deviation.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/base/testing/same_number.h"
#include "oracles/oracle.h"
#include "oracles/reference/kernel.h"
#include "oracles/testing/one_operation.h"

namespace anecheck {
namespace {

using testing::SameNumber;

constexpr int kA12 = 1;  // the terms of every family, and no law

// The contract with a large change of one term: a freedom is removed, or an error is made large.
Contract Perturbed(Term term) {
  Contract contract = ConformingContract(kA12);
  double& value = contract.terms[static_cast<size_t>(term)];
  const std::string_view name = TermFacts()[static_cast<size_t>(term)].name;
  if (name.ends_with("_table")) {
    value = 0.12;
  } else if (name.ends_with("_ulp")) {
    value = 39;
  } else {
    value = value == 1 ? 0 : 0x1p-11;
  }
  return contract;
}

bool Alike(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, SameNumber);
}
bool Alike(const Estimate& a, const Estimate& b) {
  return Alike(a.low, b.low) && Alike(a.high, b.high) && a.flags == b.flags &&
         a.distinct_axis == b.distinct_axis && a.member_begin == b.member_begin &&
         Alike(a.members, b.members) && Alike(a.finite_low, b.finite_low) &&
         Alike(a.finite_high, b.finite_high);
}

using Moved = std::array<std::set<Term>, kOpCount>;

// Adds the operations of one graph whose bound the term moves although all their operands stay.
void AddMoved(const Graph& graph, std::span<const Tensor> inputs, const Evaluation& evaluation,
              Term term, Moved& moved) {
  const Contract contract = Perturbed(term);
  Evaluation other;
  if (!other.Run(graph, inputs, contract).ok()) return;
  Estimate a;
  Estimate b;
  std::vector<bool> alike;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    evaluation.Intermediate(id, a);
    other.Intermediate(id, b);
    alike.push_back(Alike(a, b));
  }
  for (const Node& node : graph.nodes()) {
    const auto unmoved = [&](const Argument& argument) { return alike[argument.value]; };
    if (!std::ranges::all_of(graph.arguments(node), unmoved)) continue;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      if (!alike[node.first_result + i]) moved[node.schema->id].insert(term);
    }
  }
}

Moved MovedByGeneratedGraphs() {
  constexpr int kGraphs = 24;
  Moved moved;
  for (size_t op = 0; op < kOpCount; ++op) {
    if (AllReferenceKernels()[op]->evaluate == nullptr) continue;
    ChoiceStream choices = ChoiceStream::FromSeed(op);
    for (int i = 0; i < kGraphs; ++i) {
      const GeneratorOptions options =
          testing::OneOperation(op, i % 3 == 2 ? CaseMode::kSpecial : CaseMode::kFloat);
      Graph graph;
      GenerateGraph(choices, options, graph);
      const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
      Evaluation evaluation;
      if (!evaluation.Run(graph, inputs, ConformingContract(kA12)).ok()) continue;
      for (const TermFact& fact : TermFacts()) {
        if (fact.term == Term::kWideIntermediate) continue;
        AddMoved(graph, inputs, evaluation, fact.term, moved);
      }
    }
  }
  return moved;
}

// Terms that change nothing in the graphs drawn here: the generator does not draw a suitable form
// of `op` often or small enough, or `op` shares its list of terms with operations that have a bias.
struct Idle {
  std::string_view op;
  Term term;
};
constexpr Idle kIdle[] = {
    {"matmul", Term::kBiasRounding},
    {"ne_matmul", Term::kBiasRounding},
    {"einsum", Term::kBiasRounding},
    {"CrossCorrelation", Term::kBiasRounding},
    {"layer_norm", Term::kBiasRounding},
    {"instance_norm", Term::kBiasRounding},
    {"batch_norm", Term::kBiasRounding},
    {"batch_norm", Term::kNormDifference},
    {"gru", Term::kBiasRounding},
    {"lstm", Term::kBiasRounding},
    {"rnn", Term::kBiasRounding},
    {"rnn", Term::kSigmoidTable},             // for the activation that is drawn least often
    {"reduce_argmax", Term::kIndexRounding},  // matters only beyond 2048 positions
    {"reduce_argmin", Term::kIndexRounding},
    {"topk", Term::kIndexRounding},
    {"argsort", Term::kIndexRounding},
    {"scatter_nd", Term::kDivideUlp},  // mode div
    {"scatter_along_axis", Term::kDivideUlp},
    {"non_maximum_suppression", Term::kDivideUlp},
    {"non_maximum_suppression", Term::kAnyTie},
    {"non_maximum_suppression", Term::kOverlapRounding},
};
// Terms that move a bound although no kernel names them.
constexpr Idle kUnnamed[] = {{"topk", Term::kAnyTie}, {"argsort", Term::kAnyTie}};

bool Contains(std::span<const Idle> rows, std::string_view op, Term term) {
  return std::ranges::any_of(rows,
                             [&](const Idle& row) { return row.op == op && row.term == term; });
}

TEST(Terms, AreThoseThatMoveTheBound) {
  const Moved moved = MovedByGeneratedGraphs();
  for (size_t op = 0; op < kOpCount; ++op) {
    const std::span<const Term> terms = AllReferenceKernels()[op]->terms;
    const std::string_view name = AllOps()[op]->schema.name;
    for (const TermFact& fact : TermFacts()) {
      const bool listed = std::ranges::find(terms, fact.term) != terms.end();
      const bool moves = moved[op].contains(fact.term);
      EXPECT_TRUE(listed || !moves || Contains(kUnnamed, name, fact.term))
          << name << " does not list " << fact.name;
      EXPECT_TRUE(moves || !listed || Contains(kIdle, name, fact.term))
          << name << " lists " << fact.name << ", which moves nothing";
    }
  }
}

}  // namespace
}  // namespace anecheck
