// Compares the rules with compile-only probes of chips, row by row (facts/compile_envelope.csv). If
// a chip's compiler accepted a program, the rules must not refuse it. If it refused the program,
// the layer that the probe names must refuse it with the probe's message.
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/evidence/csv.h"
#include "oracles/legality/testing/judge.h"

namespace anecheck::legality {
namespace {

struct Probe {
  int row;  // of compile_envelope.csv, from 1; 0 for a probe on the other side of a row's limit
  const char* probe;
  const char* target;
  Instance instance;
  bool accepted = true;
  Layer layer = Layer::kFrontEnd;
  const char* message = "";  // a part of the layer's text
};

constexpr Layer kFront = Layer::kFrontEnd, kValidator = Layer::kValidator,
                kCode = Layer::kCodeGeneration, kPlace = Layer::kPlacement;

std::vector<Probe> Probes() {
  return {
      {1, "tensor rank 1", "h13", Make("abs", {"x:8"})},
      {1, "tensor rank 2", "h13", Make("abs", {"x:2,3"})},
      {1, "tensor rank 3", "h13", Make("abs", {"x:1,2,3"})},
      {1, "tensor rank 4", "h13", Make("abs", {"x:1,2,3,4"})},
      {1, "tensor rank 5", "h13", Make("abs", {"x:1,2,3,4,5"})},
      {2, "tensor rank 6", "h13", Make("abs", {"x:1,1,2,3,4,5"}), false, kFront,
       "tensor rank 6 exceeds the ANE maximum of 5"},
      {3, "batched matmul of rank 5", "h13", Make("matmul", {"x:1,2,3,4,5", "y:1,2,3,5,4"}), false,
       kPlace, "Some ops are not supported on any of the specified backends"},
      {4, "any axis 16384", "h13", Make("abs", {"x:1,16384"})},
      {4, "axis H 16384", "h13", Make("abs", {"x:1,1,16384,1"})},
      {4, "axis N 16384", "h13", Make("abs", {"x:16384,1,1,1"})},
      {5, "axis H 16385", "h13", Make("abs", {"x:1,1,16385,1"}), false, kFront,
       "exceeds ANE family 2's max dimension 16384"},
      {5, "any axis 16385", "h13", Make("abs", {"x:1,16385"}), false, kFront,
       "exceeds ANE family 2's max dimension 16384"},
      {6, "conv Cin 16385", "h13",
       Make("conv", {"x:1,16385,8,8", "weight:1,16385,1,1:fp16:const", "groups=1"})},
      {6, "conv Cout 16385", "h13",
       Make("conv", {"x:1,1,8,8", "weight:16385,1,1,1:fp16:const", "groups=1"})},
      {7, "channel axis 65537", "h13", Make("conv", {"x:1,65537,8,8"}), false, kValidator,
       "C65537"},
      {8, "size-1 dimensions", "h13", Make("abs", {"x:1,1,1,1"})},
      {8, "rank-0 scalar", "h13", Make("abs", {"x:"})},
      {9, "zero-size dimension (0, 8)", "h13", Make("abs", {"x:0,8"}), false, kValidator,
       "Expected tensor<fp16,[1,8]>; got tensor<fp16,[0, 8]>"},
      {10, "input fp16", "h13", Make("add", {"x:4:fp16", "y:4:fp16"})},
      {11, "input uint8 into arithmetic", "h13", Make("add", {"x:4:uint8", "y:4:uint8"}), false,
       kValidator, "Param 'y' ... got tensor<uint8,...>"},
      {12, "input fp32", "h13", Make("abs", {"x:4:fp32"}), false, kFront,
       "dtype must be 'fp16' or 'uint8'"},
      {12, "input int32", "h13", Make("abs", {"x:4:int32"}), false, kFront, "dtype must be"},
      {12, "input bf16", "h13", Make("abs", {"x:4:bf16"}), false, kFront, "dtype must be"},
      {12, "input int8", "h13", Make("abs", {"x:4:int8"}), false, kFront, "dtype must be"},
      {13, "input int8 in MIL text", "h17s", Make("cast", {"x:4:int8"})},
      {13, "input int16 in MIL text", "h17s", Make("cast", {"x:4:int16"})},
      {13, "input uint16 in MIL text", "h17s", Make("cast", {"x:4:uint16"})},
      {14, "conv kW 13", "h13",
       Make("conv", {"x:1,8,32,32", "weight:8,8,3,13:fp16:const", "groups=1"})},
      {14, "conv kW 15 passes the front end", "h13",
       Make("conv", {"kernel_width=15", "kernel_dtype=int8"})},
      {15, "conv kW 16", "h13", Make("conv", {"x:1,8,32,32", "kernel_width=16"}), false, kFront,
       "kW must be <=15"},
      {16, "conv kW 14, fp16", "h13",
       Make("conv", {"x:1,8,32,32", "weight:8,8,3,14:fp16:const", "groups=1"}), false, kCode,
       "Invalid conv kernel width = 14"},
      {17, "conv kW 16, fp16", "h17s",
       Make("conv", {"x:1,8,32,32", "weight:8,8,3,16:fp16:const", "groups=1"}), false, kCode,
       "Invalid conv kernel width = 16"},
      {18, "conv kH 16", "h13",
       Make("conv", {"x:1,8,32,32", "weight:8,8,16,3:fp16:const", "groups=1"})},
      {19, "conv kH above the input height", "h13",
       Make("conv", {"x:1,8,8,32", "weight:8,8,9,3:fp16:const", "groups=1"}), false, kCode,
       "a kernel of height 9 on an input of height 8"},
      {20, "groups that do not divide", "h13",
       Make("conv", {"x:1,8,8,8", "weight:8,2,3,3:fp16:const", "groups=3"}), false, kValidator,
       "KernelChannels (2) != InputChannels (8) / Group (3)"},
      {0, "convolution of rank 3", "h13",
       Make("conv", {"x:1,8,16", "weight:4,8,3:fp16:const", "groups=1"})},
      {20, "groups that do not divide, rank 3", "h13",
       Make("conv", {"x:1,8,16", "weight:4,2,3:fp16:const", "groups=3"}), false, kValidator,
       "KernelChannels (2) != InputChannels (8) / Group (3)"},
      {21, "arg reduction axis 2049", "h13", Make("reduce_argmax", {"x:1,2049", "axis=1"}), false,
       kCode, "2049 elements exceeds 2048"},
      {0, "arg reduction axis 2048", "h13", Make("reduce_argmax", {"x:1,2048", "axis=1"})},
      {22, "rank-6 reshape", "h13", Make("reshape", {"x:8", "shape=1,1,1,1,2,4"}), false,
       kValidator, "Cannot reshape a tensor of rank > 5"},
      {22, "rank-6 reshape", "h18", Make("reshape", {"x:8", "shape=1,1,1,1,2,4"}), false,
       kValidator, "Cannot reshape a tensor of rank > 5"},
      {23, "constant weights of an integer type", "h13",
       Make("conv", {"x:1,8,8,8", "weight:8,8,3,3:int8:const", "groups=1"}), false, kCode,
       "constant weights of an integer type"},
      {24, "pad wider than the input", "h13", Make("pad", {"x:1,8,8,8", "pad=0,0,9,9"})},
      {25, "dynamic weight convolution, batch 2", "h13",
       Make("conv", {"x:2,8,8,8", "weight:8,8,3,3", "groups=1"}), false, kCode,
       "helper application lost"},
      {26, "square then a non-linearity", "h17s",
       Make("square", {"x:1,8,8,100", "consumer_is_nonlinear=true"}), false, kCode, "W mod 128"},
      {0, "square, W mod 128 = 64", "h17s",
       Make("square", {"x:1,8,8,64", "consumer_is_nonlinear=true"})},
      {27, "transpose of rank 5", "h17s", Make("transpose", {"x:1,2,3,4,5"}), false, kCode,
       "rank 5"},
      {27, "matmul of rank 5", "h17s", Make("matmul", {"x:1,2,3,4,5", "y:1,2,3,5,4"}), false,
       kPlace, "not supported"},
      {28, "symbolic dimension", "h13", Make("abs", {"x:1,?"}), false, kCode, "parses, then fails"},
      {29, "matmul W 23040 on H13", "h13", Make("matmul", {"x:1,8,1,23040", "y:1,8,8,1"}), false,
       kValidator,
       "Tensor dimensions N1D1C8H1W23040 are not within supported range, "
       "N[1-65536]D[1-16384]C[1-65536]H[1-16384]W[1-16384]."},
  };
}

TEST(CompileEnvelope, TheRulesAgreeWithEveryProbe) {
  for (const Probe& probe : Probes()) {
    const Verdict verdict = Judged(probe.target, Route::kMil, probe.instance);
    const LayerVerdict* stopper = verdict.Stopper();
    if (probe.accepted) {
      EXPECT_EQ(stopper, nullptr) << probe.probe << ": " << (stopper ? stopper->reason : "");
      continue;
    }
    EXPECT_EQ(verdict.outcome, Outcome::kRejected) << probe.probe;
    const LayerVerdict& layer = verdict.at(probe.layer);
    EXPECT_EQ(layer.ruling, Ruling::kReject) << probe.probe;
    EXPECT_NE(layer.reason.find(probe.message), std::string::npos)
        << probe.probe << ": " << layer.reason;
    EXPECT_FALSE(layer.source.empty()) << probe.probe;
  }
}

std::string WithoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Whether the source's `where` matches the layer that refused. "on the device" and "when compiling"
// match the layers after kCapability.
bool IsThere(const std::string& where, Layer layer) {
  if (where == "frontend") return layer == Layer::kFrontEnd;
  if (where == "validator") return layer == Layer::kValidator;
  return layer > Layer::kCapability;
}

// Each published row of testdata/compile_envelope.csv has probes above. All probes have the row's
// result. If the row is refused, the layer gives the row's message for at least one probe.
TEST(CompileEnvelope, EveryPublishedRowHasAProbe) {
  const auto text =
      ReadTextFile(testing::SourcePath("oracles/legality/testdata/compile_envelope.csv"));
  ASSERT_TRUE(text.ok());
  const auto rows = evidence::ParseCsv(*text, "compile_envelope.csv");
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 29u);
  for (size_t i = 0; i < rows->size(); ++i) {
    const auto& row = (*rows)[i];
    const std::string message = WithoutSpaces(row.at("message"));
    const bool accepted = row.at("result") == "accept";
    size_t asked = 0, told = 0;
    for (const Probe& probe : Probes()) {
      if (probe.row != static_cast<int>(i) + 1) continue;
      ++asked;
      EXPECT_EQ(probe.accepted, accepted) << row.at("probe") << ": " << probe.probe;
      if (accepted) continue;
      EXPECT_TRUE(IsThere(row.at("layer"), probe.layer)) << probe.probe;
      const Verdict verdict = Judged(probe.target, Route::kMil, probe.instance);
      const std::string said = WithoutSpaces(verdict.at(probe.layer).reason);
      told += said.find(message) != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(asked, 0u) << row.at("probe");
    EXPECT_EQ(told > 0, !accepted) << row.at("probe") << ": " << row.at("message");
  }
}

}  // namespace
}  // namespace anecheck::legality
