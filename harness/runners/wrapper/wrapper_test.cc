// Tests the wrapper ABI on the simulated engine: repeated runs, streams of many operations, events,
// asynchronous completion, and the training of a network whose weights stay on the engine.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "harness/device/simulator_control.h"
#include "harness/runners/testing/wrapper_fixture.h"

namespace anecheck {
namespace {

class Wrapper : public WrapperFixture {};

TEST_F(Wrapper, OneProgramRunsManyTimes) {
  const Program program = CompileAddOne();
  ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
  for (int i = 0; i < 5; ++i) {
    const Halves x = ToHalves({i * 10.0, 0, 0, 0});
    ASSERT_EQ(ane_e5rt_program_set_input_fp16(program.get(), "x", x.data(), 4), 0);
    ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
    Halves y(4);
    ASSERT_EQ(ane_e5rt_program_get_output_fp16(program.get(), "y", y.data(), 4), 0);
    EXPECT_EQ(ToDouble(y[0]), i * 10 + 1);
  }
  EXPECT_EQ(ane_e5rt_program_get_op_count(program.get()), 1u);
}

TEST_F(Wrapper, PortsContainZerosAtFirst) {
  const Program program = CompileAddOne();
  EXPECT_EQ(FirstOutput(program), 0);
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(FirstOutput(program), 1);
}

TEST_F(Wrapper, ChainsAdvanceExactly) {
  for (const size_t steps : {1, 2, 100}) {
    const Program program = CompileAddOne();
    ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
    for (size_t i = 1; i < steps; ++i) {
      ASSERT_EQ(JoinAddOne(program), static_cast<int>(i)) << anecheck_e5rt_last_error();
      ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), i - 1, "y", i, "x"), 0);
    }
    EXPECT_EQ(ane_e5rt_program_get_op_count(program.get()), steps);
    const Halves x = ToHalves({5, 0, 0, 0});
    ASSERT_EQ(ane_e5rt_program_set_input_fp16_op(program.get(), 0, "x", x.data(), 4), 0);
    ASSERT_EQ(ane_e5rt_program_execute_multi(program.get()), 0) << anecheck_e5rt_last_error();
    EXPECT_EQ(FirstOutput(program, steps - 1), 5 + static_cast<double>(steps));
  }
}

TEST_F(Wrapper, OperationsMayJoinAStreamThatWasUsed) {
  const Program program = CompileAddOne();
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "y", 1, "x"), 0);
  ASSERT_EQ(ane_e5rt_program_execute_multi(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(FirstOutput(program, 1), 2);
}

TEST_F(Wrapper, AnOutputBoundToItsInputStaysResident) {
  const Program program = CompileAddOne();
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "y", 0, "x"), 0);
  const Halves x = ToHalves({100, 0, 0, 0});
  ASSERT_EQ(ane_e5rt_program_set_input_fp16(program.get(), "x", x.data(), 4), 0);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  EXPECT_EQ(FirstOutput(program), 150);
}

TEST_F(Wrapper, AsynchronousRunsSignalTheirEvents) {
  const Program program = CompileAddOne();
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "y", 1, "x"), 0);
  ASSERT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 1, "first"), 0)
      << anecheck_e5rt_last_error();
  EXPECT_EQ(ane_e5rt_program_wait_for_completion(program.get()), -1) << "nothing was submitted";
  ASSERT_EQ(ane_e5rt_program_execute_async(program.get()), 0) << anecheck_e5rt_last_error();
  ASSERT_EQ(ane_e5rt_program_wait_for_completion(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(FirstOutput(program, 1), 2);
  uint64_t before = 9;
  uint64_t after = 9;
  ASSERT_EQ(ane_e5rt_program_get_final_event_signaled(program.get(), &before, &after), 0);
  EXPECT_EQ(before, 0u);
  EXPECT_EQ(after, 1u);
  uint64_t chained = 9;
  ASSERT_EQ(ane_e5rt_program_get_chain_event_last_signaled(program.get(), 0, &chained), 0);
  EXPECT_EQ(chained, 1u);
  ASSERT_EQ(ane_e5rt_program_get_chain_event_last_signaled(program.get(), 1, &chained), 0);
  EXPECT_EQ(chained, 1u);
  // Events do not advance under execute_sync (specification 001, section 5.3).
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  ASSERT_EQ(ane_e5rt_program_get_chain_event_last_signaled(program.get(), 0, &chained), 0);
  EXPECT_EQ(chained, 1u);
}

// Enables a planted defect of the simulated engine during its lifetime.
class PlantedFault {
 public:
  explicit PlantedFault(const char* id) : id_(id) {
    EXPECT_EQ(ANECHECK_SIMULATED(anecheck_sim_enable_fault)(id), ANECHECK_SIM_OK);
  }
  PlantedFault(const PlantedFault&) = delete;
  PlantedFault& operator=(const PlantedFault&) = delete;
  ~PlantedFault() { ANECHECK_SIMULATED(anecheck_sim_disable_fault)(id_); }

 private:
  const char* id_;
};

// Makes up to `runs` asynchronous runs. Returns the number of runs before the first failure.
int RunsBeforeAFailure(const Program& program, int runs) {
  for (int i = 0; i < runs; ++i) {
    EXPECT_EQ(ane_e5rt_program_execute_async(program.get()), 0) << anecheck_e5rt_last_error();
    if (ane_e5rt_program_wait_for_completion(program.get()) != 0) return i;
  }
  return runs;
}

constexpr int kRuns = 20;  // enough for the defect "run-error" to fail more than once

TEST_F(Wrapper, TheFinalEventBelongsToAnAddedLastOperation) {
  const Program program = CompileAddOne();
  ASSERT_EQ(RunsBeforeAFailure(program, 1), 1) << anecheck_e5rt_last_error();
  {
    const PlantedFault failing("run-error");
    ASSERT_EQ(JoinAddOne(program), 1);
  }
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "y", 1, "x"), 0);
  EXPECT_LT(RunsBeforeAFailure(program, kRuns), kRuns)
      << "the wait reported success, but the added operation failed";
  EXPECT_NE(std::string(anecheck_e5rt_last_error()).find("timeout"), std::string::npos)
      << anecheck_e5rt_last_error();
}

TEST_F(Wrapper, TheEventOfAnAddedOperationCountsFromItsFirstRun) {
  const Program program = CompileAddOne();
  ASSERT_EQ(RunsBeforeAFailure(program, 3), 3) << anecheck_e5rt_last_error();
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(RunsBeforeAFailure(program, 1), 1) << anecheck_e5rt_last_error();
  uint64_t before = 9;
  uint64_t after = 9;
  ASSERT_EQ(ane_e5rt_program_get_final_event_signaled(program.get(), &before, &after), 0);
  EXPECT_EQ(before, 0u);
  EXPECT_EQ(after, 1u);
}

TEST_F(Wrapper, AnOperationWaitsForAllOperationsThatItIsChainedTo) {
  const Program program = CompileAddOne();
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(JoinAddOne(program), 2);
  ASSERT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 2, "first"), 0);
  EXPECT_EQ(ANECHECK_RECORDING(anecheck_events_bound)(), 1u);
  ASSERT_EQ(ane_e5rt_program_chain_ops(program.get(), 1, 2, "second"), 0);
  EXPECT_EQ(ANECHECK_RECORDING(anecheck_events_bound)(), 2u)
      << "an engine may replace earlier bindings";
  ASSERT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 2, "again"), 0);
  EXPECT_EQ(ANECHECK_RECORDING(anecheck_events_bound)(), 2u) << "the same event counts once";
  ASSERT_EQ(RunsBeforeAFailure(program, 2), 2) << anecheck_e5rt_last_error();
  for (const size_t source : {0, 1}) {
    uint64_t value = 9;
    ASSERT_EQ(ane_e5rt_program_get_chain_event_last_signaled(program.get(), source, &value), 0);
    EXPECT_EQ(value, 2u);
  }
}

// The process that writes the inputs and the process that runs the program need to share only the
// name of the memory.
TEST_F(Wrapper, TensorsAreHandedOverInNamedMemory) {
  const auto name = [](const char* what) { return fmt::format("wrapper-{}-{}", getpid(), what); };
  struct Shared {
    explicit Shared(anecheck_e5rt_shared_t* memory) : memory_(memory) {}
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared() { anecheck_e5rt_shared_release(memory_); }
    anecheck_e5rt_shared_t* memory_;
  };
  const Shared fed(anecheck_e5rt_shared_create(name("x").c_str(), 8));
  const Shared given(anecheck_e5rt_shared_create(name("y").c_str(), 8));
  const Shared input(anecheck_e5rt_shared_open(name("x").c_str()));
  const Shared output(anecheck_e5rt_shared_open(name("y").c_str()));
  ASSERT_NE(fed.memory_, nullptr) << anecheck_e5rt_last_error();
  ASSERT_NE(output.memory_, nullptr) << anecheck_e5rt_last_error();
  const Halves x = ToHalves({41, -1, 0.5, 8});
  ASSERT_EQ(anecheck_e5rt_shared_write_fp16(fed.memory_, x.data(), 4), 0);

  const Program program = CompileAddOne();
  ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
  ASSERT_EQ(anecheck_e5rt_input_from_shared(program.get(), 0, "x", input.memory_, 4), 0);
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
  ASSERT_EQ(anecheck_e5rt_output_to_shared(program.get(), 0, "y", output.memory_, 4), 0);

  Halves y(4);
  ASSERT_EQ(anecheck_e5rt_shared_read_fp16(given.memory_, y.data(), 4), 0);
  EXPECT_EQ(y, ToHalves({42, 0, 1.5, 9}));
}

TEST_F(Wrapper, AnImpossibleHandOverGivesItsReason) {
  EXPECT_EQ(anecheck_e5rt_shared_open("nobody-made-this"), nullptr);
  EXPECT_STRNE(anecheck_e5rt_last_error(), "");
  EXPECT_EQ(anecheck_e5rt_shared_create("a/b", 8), nullptr);
  const Program program = CompileAddOne();
  EXPECT_EQ(anecheck_e5rt_input_from_shared(program.get(), 0, "x", nullptr, 4), -1);
  EXPECT_STREQ(anecheck_e5rt_last_error(), "shared is NULL");
  const std::string name = fmt::format("wrapper-{}-small", getpid());
  anecheck_e5rt_shared_t* small = anecheck_e5rt_shared_create(name.c_str(), 8);
  ASSERT_NE(small, nullptr) << anecheck_e5rt_last_error();
  EXPECT_EQ(anecheck_e5rt_input_from_shared(program.get(), 0, "nobody", small, 4), -1);
  EXPECT_STREQ(anecheck_e5rt_last_error(), "there is no port called nobody");
  EXPECT_EQ(anecheck_e5rt_output_to_shared(program.get(), 0, "y", small, size_t{1} << 40), -1);
  EXPECT_STREQ(anecheck_e5rt_last_error(), "the shared buffer holds fewer elements");
  anecheck_e5rt_shared_release(small);
}

TEST_F(Wrapper, FailuresGiveTheirReason) {
  EXPECT_EQ(Compile(folder_->File("missing.mil"), {{"x"}, {8}}, {{"y"}, {8}}), nullptr);
  EXPECT_STRNE(anecheck_e5rt_last_error(), "");
  EXPECT_EQ(Compile(AddOne(), {{"nothing"}, {8}}, {{"y"}, {8}}), nullptr);
  const Program program = CompileAddOne();
  ASSERT_NE(program, nullptr);
  const Halves x(64);
  EXPECT_EQ(ane_e5rt_program_set_input_fp16(program.get(), "x", x.data(), 64), -1);
  EXPECT_STREQ(anecheck_e5rt_last_error(), "port x holds fewer elements");
  EXPECT_EQ(ane_e5rt_program_set_input_fp16(program.get(), "z", x.data(), 4), -1);
  EXPECT_STREQ(anecheck_e5rt_last_error(), "there is no port called z");
  EXPECT_EQ(ane_e5rt_program_set_input_fp16_op(program.get(), 1, "x", x.data(), 4), -1);
  EXPECT_EQ(ane_e5rt_program_execute(nullptr), -1);
  ane_e5rt_program_release(nullptr);
}

TEST_F(Wrapper, AnOperationThatCannotBeAddedChangesNothing) {
  const Program program = CompileAddOne();
  ASSERT_NE(program, nullptr);
  // A process can load 128 programs, so a failed program must not stay loaded.
  for (int i = 0; i < 140; ++i) {
    ASSERT_EQ(ane_e5rt_program_add_op(program.get(), AddOne().c_str(), "x", 8, "nobody", 8), -1);
    ASSERT_NE(std::string(anecheck_e5rt_last_error()).find("nobody"), std::string::npos)
        << anecheck_e5rt_last_error();
  }
  EXPECT_EQ(ane_e5rt_program_add_op(program.get(), "/no/such.mil", "x", 8, "y", 8), -1);
  EXPECT_EQ(ane_e5rt_program_get_op_count(program.get()), 1u);
  EXPECT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(JoinAddOne(program), 1);
}

TEST_F(Wrapper, ReleasedProgramsFreeTheirSlots) {
  // A process can load 128 programs (specification 001, section 5.4), so a leak would fail this
  // loop.
  for (int i = 0; i < 140; ++i) {
    ASSERT_NE(CompileAddOne(), nullptr) << i << ": " << anecheck_e5rt_last_error();
  }
}

// A two-layer network in one program: forward pass, backward pass and update of both weight
// matrices, whose outputs are bound to their inputs. 2 inputs, 4 hidden units, a batch of 4.
constexpr size_t kBatch = 4;
constexpr size_t kIn = 2;
constexpr size_t kHidden = 4;
constexpr const char* kTraining =
    "tensor<fp16, [4, 4]> h0 = matmul(x = x, y = w1);\n"
    "tensor<fp16, [4, 4]> h = relu(x = h0);\n"
    "tensor<fp16, [4, 1]> y = matmul(x = h, y = w2);\n"
    "tensor<fp16, [4, 1]> d = sub(x = y, y = t);\n"
    "tensor<fp16, [4, 1]> g2 = matmul(x = h, y = d, transpose_x = bool(true));\n"
    "tensor<fp16, [4, 4]> dh = matmul(x = d, y = w2, transpose_y = bool(true));\n"
    "tensor<fp16, [4, 4]> big = mul(x = h, y = fp16(0x1p+10));\n"
    "tensor<fp16, [4, 4]> mask = minimum(x = big, y = fp16(0x1p+0));\n"
    "tensor<fp16, [4, 4]> dm = mul(x = dh, y = mask);\n"
    "tensor<fp16, [2, 4]> g1 = matmul(x = x, y = dm, transpose_x = bool(true));\n"
    "tensor<fp16, [4, 1]> s2 = mul(x = g2, y = fp16(0x1p-4));\n"
    "tensor<fp16, [2, 4]> s1 = mul(x = g1, y = fp16(0x1p-4));\n"
    "tensor<fp16, [4, 1]> w2n = sub(x = w2, y = s2);\n"
    "tensor<fp16, [2, 4]> w1n = sub(x = w1, y = s1);";

double Rounded(double x) { return HalfToDouble(DoubleToHalf(x)); }

// Computes the same step on the host and rounds to fp16 after each operation.
struct Host {
  std::vector<double> x, t, w1, w2;

  double Step() {
    std::vector<double> h(kBatch * kHidden), d(kBatch);
    double loss = 0;
    for (size_t b = 0; b < kBatch; ++b) {
      double y = 0;
      for (size_t j = 0; j < kHidden; ++j) {
        double sum = 0;
        for (size_t i = 0; i < kIn; ++i) sum += x[b * kIn + i] * w1[i * kHidden + j];
        h[b * kHidden + j] = std::max(Rounded(sum), 0.0);
        y += h[b * kHidden + j] * w2[j];
      }
      d[b] = Rounded(Rounded(y) - t[b]);
      loss += d[b] * d[b];
    }
    std::vector<double> g1(kIn * kHidden), g2(kHidden);
    for (size_t b = 0; b < kBatch; ++b) {
      for (size_t j = 0; j < kHidden; ++j) {
        const double value = h[b * kHidden + j];
        const double mask = std::min(Rounded(value * 1024), 1.0);
        const double dm = Rounded(Rounded(d[b] * w2[j]) * mask);
        g2[j] += value * d[b];
        for (size_t i = 0; i < kIn; ++i) g1[i * kHidden + j] += x[b * kIn + i] * dm;
      }
    }
    for (size_t j = 0; j < kHidden; ++j) w2[j] = Rounded(w2[j] - Rounded(Rounded(g2[j]) / 16));
    for (size_t k = 0; k < g1.size(); ++k) w1[k] = Rounded(w1[k] - Rounded(Rounded(g1[k]) / 16));
    return loss;
  }
};

TEST_F(Wrapper, TrainingWithResidentWeightsFollowsTheHost) {
  const std::string path = Model("train",
                                 "tensor<fp16, [4, 2]> x, tensor<fp16, [4, 1]> t, "
                                 "tensor<fp16, [2, 4]> w1, tensor<fp16, [4, 1]> w2",
                                 kTraining, "w1n, w2n");
  const Program program =
      Compile(path, {{"x", "t", "w1", "w2"}, {16, 8, 16, 8}}, {{"w1n", "w2n"}, {16, 8}});
  ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "w1n", 0, "w1"), 0);
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "w2n", 0, "w2"), 0);
  // Each target is the larger of two numbers, which no linear layer can compute.
  Host host = {.x = {1, 0, 0, 1, 0.5, 0.25, 0.25, 1},
               .t = {1, 1, 0.5, 1},
               .w1 = {0.5, -0.25, 0.75, 0.125, -0.5, 0.5, 0.25, 0.75},
               .w2 = {0.5, 0.25, -0.125, 0.5}};
  for (auto& values : {&host.x, &host.t, &host.w1, &host.w2}) {
    for (double& value : *values) value = Rounded(value);
  }
  const std::pair<const char*, const std::vector<double>*> kSeeds[] = {
      {"x", &host.x}, {"t", &host.t}, {"w1", &host.w1}, {"w2", &host.w2}};
  for (const auto& [port, values] : kSeeds) {
    const Halves halves = ToHalves(*values);
    ASSERT_EQ(ane_e5rt_program_set_input_fp16(program.get(), port, halves.data(), halves.size()),
              0);
  }
  const double first = host.Step();
  double last = first;
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
  for (int step = 1; step < 200; ++step) {
    last = host.Step();
    ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << step;
  }
  EXPECT_LT(last, first / 20) << "it learns";
  Halves w1(8);
  Halves w2(4);
  ASSERT_EQ(ane_e5rt_program_get_output_fp16(program.get(), "w1n", w1.data(), 8), 0);
  ASSERT_EQ(ane_e5rt_program_get_output_fp16(program.get(), "w2n", w2.data(), 4), 0);
  // Over 200 steps the weights may drift by the error of the engine's sums.
  for (size_t i = 0; i < w1.size(); ++i) EXPECT_NEAR(ToDouble(w1[i]), host.w1[i], 0.01) << i;
  for (size_t i = 0; i < w2.size(); ++i) EXPECT_NEAR(ToDouble(w2[i]), host.w2[i], 0.01) << i;
}

}  // namespace
}  // namespace anecheck
