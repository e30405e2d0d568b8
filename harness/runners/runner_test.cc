// Tests the e5rt runner and its workers. If a worker dies, that is the result of the case that it
// was executing, and no other case is affected.
#include "harness/runners/runner.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/half.h"
#include "harness/graph/graph.h"
#include "harness/probe/runtime_probe.h"
#include "harness/runners/e5rt_library.h"
#include "harness/runners/executable_path.h"
#include "harness/runners/testing/hostile_runner.h"
#include "harness/runners/testing/replaced_tool.h"
#include "harness/runners/testing/shared_buffer_peer.h"
#include "harness/runners/testing/stuck_campaign.h"
#include "harness/runners/testing/word_cases.h"
#include "harness/runners/wire.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

using Cases = testing::WordCases;
using testing::ReluGraph;
using testing::RunWord;

WorkerOptions Hostile() { return {.library = ANECHECK_HOSTILE_ENGINE, .case_timeout_ms = 400}; }

TEST(E5rtRunner, RunsACase) {
  E5rtRunner runner(Hostile());
  const Cases cases({"copy"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->size(), 1u);
  EXPECT_EQ((*replies)[0].status, RunStatus::kOk);
  ASSERT_EQ((*replies)[0].outputs.size(), 1u);
  EXPECT_EQ((*replies)[0].outputs[0].bytes, cases.input());
  EXPECT_EQ((*replies)[0].backend, "") << "no analytics, no proof of placement";
}

TEST(E5rtRunner, DeathsConcernOnlyTheirCase) {
  E5rtRunner runner(Hostile());
  const Cases cases({"a", "CRASH", "b", "HANG", "c", "EXIT", "REJECT", "NORUN", "d"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->size(), 9u);
  const RunStatus kExpected[] = {RunStatus::kOk,       RunStatus::kCrashed, RunStatus::kOk,
                                 RunStatus::kHung,     RunStatus::kOk,      RunStatus::kCrashed,
                                 RunStatus::kRejected, RunStatus::kFailed,  RunStatus::kOk};
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ((*replies)[i].status, kExpected[i]) << i << ": " << (*replies)[i].message;
    EXPECT_EQ((*replies)[i].id, i);
  }
  EXPECT_NE((*replies)[1].message.find("killed by signal 6"), std::string::npos);
  EXPECT_NE((*replies)[3].message.find("no answer in 400 ms"), std::string::npos);
  EXPECT_NE((*replies)[5].message.find("exited with code 7"), std::string::npos);
  EXPECT_EQ((*replies)[6].message, "Some ops are not supported on any of the specified backends");
  EXPECT_EQ((*replies)[6].step, Step::kCompile);
  EXPECT_EQ((*replies)[7].message, "Program inference timeout: timed out");
  EXPECT_EQ((*replies)[7].step, Step::kRun);
  EXPECT_EQ(runner.workers_started(), 4);
}

TEST(E5rtRunner, AWorkerIsReplacedBeforeItsProgramSlotsRunOut) {
  // A process can hold at most 128 programs (specification 001, section 5.4). The engine never
  // releases the programs of these cases.
  E5rtRunner runner(Hostile());
  const Cases cases(std::vector<std::string>(130, "LEAK"));
  for (const RunRequest& request : cases.all()) {
    const auto replies = runner.Run({&request, 1});
    ASSERT_TRUE(replies.ok());
    ASSERT_EQ((*replies)[0].status, RunStatus::kOk);
  }
  EXPECT_EQ(runner.workers_started(), 2);
}

TEST(E5rtRunner, AProgramThatIsNotReleasedIsMisconductOfItsCase) {
  E5rtRunner runner(Hostile());
  const Cases cases({"copy", "LEAK", "copy"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok());
  EXPECT_TRUE((*replies)[0].misconduct.empty());
  EXPECT_TRUE((*replies)[2].misconduct.empty());
  const RunReply& leaking = (*replies)[1];
  EXPECT_EQ(leaking.status, RunStatus::kOk);
  EXPECT_EQ(leaking.outputs[0].bytes, cases.input());
  ASSERT_EQ(leaking.misconduct.size(), 1u);
  EXPECT_EQ(leaking.misconduct[0].verdict, Verdict::kSlotLeak);
  EXPECT_EQ(leaking.misconduct[0].message, "the program was not released: still in use");
}

TEST(E5rtRunner, TwoSlowCompilationsInARowAreMisconduct) {
  WorkerOptions options = Hostile();
  options.case_timeout_ms = 20'000;
  E5rtRunner runner(options);
  const Cases cases({"HESITANT", "SLUGGISH"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok());
  EXPECT_TRUE((*replies)[0].misconduct.empty()) << "the second compile was quick";
  const RunReply& slow = (*replies)[1];
  ASSERT_EQ(slow.status, RunStatus::kOk) << slow.message;
  EXPECT_EQ(slow.outputs[0].bytes, cases.input());
  ASSERT_EQ(slow.misconduct.size(), 1u);
  EXPECT_EQ(slow.misconduct[0].verdict, Verdict::kSlow);
  EXPECT_TRUE(slow.misconduct[0].message.ends_with("ms and more, twice in turn"))
      << slow.misconduct[0].message;
}

// This engine claims to release each program, but cannot load any program after twenty.
TEST(E5rtRunner, ACaseThatFindsNoSlotIsRunByAFreshWorker) {
  E5rtRunner runner(Hostile());
  const Cases cases(std::vector<std::string>(50, "SPEND"));
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->size(), 50u);
  for (size_t i = 0; i < 50; ++i) {
    const RunReply& reply = (*replies)[i];
    EXPECT_EQ(reply.id, i);
    EXPECT_EQ(reply.status, RunStatus::kOk) << i << ": " << reply.message;
    const bool found_none = i == 20 || i == 40;
    ASSERT_EQ(reply.misconduct.size(), found_none ? 1u : 0u) << i;
    if (!found_none) continue;
    EXPECT_EQ(reply.misconduct[0].verdict, Verdict::kSlotLeak);
    EXPECT_NE(reply.misconduct[0].message.find("many programs: no slot is left"), std::string::npos)
        << reply.misconduct[0].message;
  }
  EXPECT_EQ(runner.workers_started(), 3);
}

TEST(E5rtRunner, ALoadThatFailsInAFreshWorkerTooFailsItsCase) {
  E5rtRunner runner(Hostile());
  std::vector<std::string> words(20, "copy");
  words.emplace_back("NOLOAD");
  words.emplace_back("copy");
  const Cases cases(words);
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok());
  ASSERT_EQ(replies->size(), 22u);
  EXPECT_EQ((*replies)[20].status, RunStatus::kFailed);
  EXPECT_EQ((*replies)[20].step, Step::kLoad);
  EXPECT_EQ((*replies)[20].message, "it cannot be loaded");
  EXPECT_TRUE((*replies)[20].misconduct.empty());
  EXPECT_EQ((*replies)[21].status, RunStatus::kOk);
  EXPECT_EQ(runner.workers_started(), 2);
}

TEST(E5rtRunner, ACallThatFailsWithoutAMessageIsNamed) {
  E5rtRunner runner(Hostile());
  const RunReply reply = RunWord(runner, "SILENT");
  EXPECT_EQ(reply.status, RunStatus::kFailed);
  EXPECT_EQ(reply.step, Step::kLoad);
  EXPECT_EQ(reply.message,
            "e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options "
            "returned 0xffffffffffffffff, and the engine gave no message");
}

TEST(E5rtRunner, ALackOfMemoryIsNoRefusalOfTheProgram) {
  E5rtRunner runner(Hostile());
  const RunReply reply = RunWord(runner, "STARVED");
  EXPECT_EQ(reply.status, RunStatus::kFailed);
  EXPECT_EQ(reply.step, Step::kCompile);
  EXPECT_EQ(reply.message, "allocation failed");
  EXPECT_EQ(RunWord(runner, "REJECT").status, RunStatus::kRejected);
}

TEST(E5rtRunner, AnUnwrittenOutputReadsAsNan) {
  E5rtRunner runner(Hostile());
  const RunReply reply = RunWord(runner, "IDLE");
  ASSERT_EQ(reply.status, RunStatus::kOk) << reply.message;
  ASSERT_EQ(reply.outputs.size(), 1u);
  EXPECT_EQ(reply.outputs[0].bytes, std::vector<uint8_t>(8, 0xfe))
      << "the bytes that the worker puts there first, NaN in fp16";
}

TEST(E5rtRunner, TextThatAnEnginePrintsIsMisconductAndNotPassedOn) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  E5rtRunner runner(Hostile());
  const Cases cases({"copy", "NOISE", "copy", "MUTTER", "copy", "MUTTER NORUN"});
  const auto replies = runner.Run(cases.all());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_TRUE(replies.ok());
  const char* const kSaid[] = {"", "wrote 21 bytes to standard output: {\"summary\": \"noise\"}",
                               "", "wrote 10 bytes to standard error: a warning",
                               "", ""};
  for (size_t i = 0; i < std::size(kSaid); ++i) {
    const std::vector<Misconduct>& misconduct = (*replies)[i].misconduct;
    ASSERT_EQ(misconduct.size(), *kSaid[i] == 0 ? 0u : 1u) << i;
    if (misconduct.empty()) continue;
    EXPECT_EQ(misconduct[0].verdict, Verdict::kStrayOutput);
    EXPECT_EQ(misconduct[0].message, kSaid[i]);
    EXPECT_EQ((*replies)[i].status, RunStatus::kOk);
  }
}

TEST(E5rtRunner, TheLastMessageOfAWorkerIsPassedOn) {
  ::testing::internal::CaptureStderr();
  {
    E5rtRunner runner(Hostile());
    const Cases cases({"MUTTER EXIT"});
    EXPECT_TRUE(runner.Run(cases.all()).ok());
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "a warning\n");
}

// The runner keeps the end of a long text, because the end tells why the worker died.
TEST(E5rtRunner, OnlyTheEndOfALongMessageIsPassedOn) {
  ::testing::internal::CaptureStderr();
  {
    E5rtRunner runner(Hostile());
    const Cases cases({"FLOOD EXIT"});
    EXPECT_TRUE(runner.Run(cases.all()).ok());
  }
  const std::string passed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(passed.size(), size_t{1} << 20);
  EXPECT_TRUE(passed.ends_with("the last words\n"));
}

struct SecondExecution {
  const char* word;
  const char* message;  // empty if both executions agree
};
class Repeated : public ::testing::TestWithParam<SecondExecution> {};

TEST_P(Repeated, IsComparedWithTheFirst) {
  const Cases cases({GetParam().word});
  RunRequest request = cases.all()[0];
  for (const bool repeat : {false, true}) {
    request.settings.repeat = repeat;
    E5rtRunner runner(Hostile());
    const auto replies = runner.Run({&request, 1});
    ASSERT_TRUE(replies.ok());
    const RunReply& reply = replies->front();
    EXPECT_EQ(reply.status, RunStatus::kOk) << reply.message;
    ASSERT_EQ(reply.outputs.size(), 1u);
    EXPECT_EQ(reply.outputs[0].bytes, cases.input())
        << "the reply has the outputs of the first execution";
    const bool differs = repeat && *GetParam().message != 0;
    ASSERT_EQ(reply.misconduct.size(), differs ? 1u : 0u);
    if (!differs) continue;
    EXPECT_EQ(reply.misconduct[0].verdict, Verdict::kNotRepeatable);
    EXPECT_EQ(reply.misconduct[0].message, GetParam().message);
    EXPECT_EQ(reply.misconduct[0].output, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    E5rtRunner, Repeated,
    ::testing::Values(SecondExecution{"copy", ""},
                      SecondExecution{"FICKLE",
                                      "output y: the second execution of the program gives other "
                                      "values, from byte 7 on"},
                      SecondExecution{"STALE",
                                      "output y: the second execution of the program gives other "
                                      "values, from byte 0 on"},
                      SecondExecution{"TIRED", "the second execution fails: once is enough"}),
    [](const auto& row) { return std::string(row.param.word); });

TEST(E5rtRunner, ProvenanceFollowsTheLibraryThatWasLoaded) {
  E5rtRunner hostile(Hostile());
  const auto reported = hostile.Identify();
  ASSERT_TRUE(reported.ok());
  EXPECT_NE(reported->provenance, Provenance::kSimulated);
  E5rtRunner simulated({.library = ANECHECK_SIMULATED_ENGINE});
  const auto identity = simulated.Identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_EQ(identity->provenance, Provenance::kSimulated);
  EXPECT_NE(identity->engine.find("simulated"), std::string::npos);
}

TEST(E5rtRunner, RestartGivesAFreshWorker) {
  E5rtRunner runner(Hostile());
  ASSERT_TRUE(runner.Identify().ok());
  ASSERT_TRUE(runner.Restart().ok());
  EXPECT_EQ(runner.workers_started(), 2);
}

TEST(E5rtRunner, AFailedStartGivesItsReason) {
  E5rtRunner missing({.library = "/nonexistent/engine.so"});
  const auto none = missing.Identify();
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("/nonexistent/engine.so: cannot be loaded: "),
            std::string::npos)
      << none.error().message;
  EXPECT_NE(none.error().message.find("; name an engine that this machine can load: --espresso-lib "
                                      "FILE, or ANECHECK_ESPRESSO=FILE"),
            std::string::npos)
      << none.error().message;
  WorkerOptions faulty = Hostile();
  faulty.faults = {"x"};
  const auto refused = E5rtRunner(faulty).Identify();
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("is not the simulated engine"), std::string::npos);
  E5rtRunner unknown({.library = ANECHECK_SIMULATED_ENGINE, .faults = {"no-such-fault"}});
  const auto fault = unknown.Identify();
  ASSERT_FALSE(fault.ok());
  EXPECT_NE(fault.error().message.find("knows no fault \"no-such-fault\""), std::string::npos);
}

TEST(E5rtRunner, SimulatedEngineProvesItsPlacement) {
  E5rtRunner runner({.library = ANECHECK_SIMULATED_ENGINE});
  const Graph graph = ReluGraph();
  const std::vector<Tensor> inputs = {{{DType::kFp16, {1, 4}}, {0, 0x3c, 0, 0xbc, 0, 0x40, 0, 0}}};
  const std::string mil =
      "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
      "tensor<fp16, [1, 4]> y = relu(x = x)[name = string(\"y\")];\n} -> (y);\n}\n";
  const RunRequest request = {1, "h13", mil, &graph, inputs};
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ((*replies)[0].status, RunStatus::kOk) << (*replies)[0].message;
  EXPECT_EQ((*replies)[0].backend, "ane");
  const std::vector<uint8_t> expected = {0, 0x3c, 0, 0, 0, 0x40, 0, 0};
  EXPECT_EQ((*replies)[0].outputs[0].bytes, expected);
}

std::string ReluText(std::string_view comment) {
  return fmt::format(
      "program(1.3)\n{{\n func main<ios18>(tensor<fp16, [1, 4]> x) {{\n// {}\n"
      "tensor<fp16, [1, 4]> y = relu(x = x);\n}} -> (y);\n}}\n",
      comment);
}

// The worker cannot write the bundle, as on a full disk. This must not count as a refusal by the
// compiler.
TEST(E5rtRunner, ABundleThatCannotBeWrittenIsNoRefusal) {
  E5rtRunner runner({.library = ANECHECK_HOSTILE_ESPRESSO});
  const Graph graph = ReluGraph();
  const std::vector<Tensor> inputs = {{{DType::kFp16, {1, 4}}, {0, 0x3c, 0, 0xbc, 0, 0x40, 0, 0}}};
  const std::string text = ReluText("NO FOLDER");
  const RunRequest request = {0, "h13", text, &graph, inputs};
  const auto replies = runner.Run({&request, 1});
  ASSERT_FALSE(replies.ok());
  EXPECT_EQ(replies.error().code, ErrorCode::kIo);
  EXPECT_NE(replies.error().message.find("cannot make folder"), std::string::npos)
      << replies.error().message;
  const std::string usual = ReluText("usual");
  const RunRequest next = {1, "h13", usual, &graph, inputs};
  const auto later = runner.Run({&next, 1});
  ASSERT_TRUE(later.ok()) << later.error().message;
  EXPECT_EQ((*later)[0].status, RunStatus::kOk) << (*later)[0].message;
}

#ifndef ANECHECK_SANITIZED  // sanitizers handle SIGSEGV themselves

// submit_async retains its block without a null check (facts/e5rt_abi.md). The test makes the same
// call with a block and without one.
TEST(E5rtRunner, ANullBlockCrashesItsWorker) {
  E5rtRunner runner({.library = ANECHECK_HOSTILE_ESPRESSO});
  const Graph graph = ReluGraph();
  const std::vector<Tensor> inputs = {{{DType::kFp16, {1, 4}}, {0, 0x3c, 0, 0xbc, 0, 0x40, 0, 0}}};
  std::vector<std::string> texts;
  for (const char* word : {"REAL BLOCK", "NULL BLOCK", "REAL BLOCK"}) {
    texts.push_back(ReluText(word));
  }
  std::vector<RunRequest> requests;
  for (uint64_t i = 0; i < 3; ++i) requests.push_back({i, "h13", texts[i], &graph, inputs});
  const auto replies = runner.Run(requests);
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  const std::vector<uint8_t> expected = {0, 0x3c, 0, 0, 0, 0x40, 0, 0};
  for (const size_t real : {0, 2}) {
    ASSERT_EQ((*replies)[real].status, RunStatus::kOk) << (*replies)[real].message;
    EXPECT_EQ((*replies)[real].outputs[0].bytes, expected);
  }
  EXPECT_EQ((*replies)[1].status, RunStatus::kCrashed);
  EXPECT_EQ((*replies)[1].step, Step::kRun);
  EXPECT_NE((*replies)[1].message.find("killed by signal 11"), std::string::npos)
      << (*replies)[1].message;
}

#endif

TEST(E5rtRunner, ARefusalsStageIsTheOneThatTheEngineNames) {
  E5rtRunner runner({.library = ANECHECK_SIMULATED_ENGINE});
  const Graph graph = ReluGraph();
  const std::vector<Tensor> inputs = {{{DType::kFp16, {1, 4}}, std::vector<uint8_t>(8)}};
  const auto step = [&](std::string_view statement) {
    const std::string mil = fmt::format(
        "program(1.3)\n{{\n func main<ios18>(tensor<fp16, [1, 4]> x) {{\n{}\n}} -> (y);\n}}\n",
        statement);
    const RunRequest request = {1, "h13", mil, &graph, inputs};
    const auto replies = runner.Run({&request, 1});
    EXPECT_TRUE(replies.ok());
    EXPECT_EQ((*replies)[0].status, RunStatus::kRejected);
    return (*replies)[0].step;
  };
  EXPECT_EQ(step("this is no MIL"), Step::kParser);
  EXPECT_EQ(step("tensor<fp16, [1, 5]> y = relu(x = x);"), Step::kFrontend);
  EXPECT_EQ(step("tensor<int32, [1, 4]> i = argsort(x = x);tensor<fp16, [1, 4]> y = cast(x = i, "
                 "dtype = string(\"fp16\"));"),
            Step::kCodegen);
}

TEST(Wire, WritingPastAnAreaIsNoticedAndChangesNothingAfterIt) {
  WireReply reply;
  reply.id = 7;
  reply.message = "words";
  reply.outputs = {{1, 2, 3}, {}};
  ByteWriter whole;
  WriteReply(reply, whole);
  for (const size_t room : {whole.size(), whole.size() - 1, size_t{9}, size_t{0}}) {
    std::vector<uint8_t> memory(whole.size() + 8, 0xee);
    AreaWriter writer(std::span<uint8_t>(memory).first(room));
    WriteReply(reply, writer);
    EXPECT_EQ(writer.size(), whole.size());
    EXPECT_EQ(writer.fits(), room == whole.size());
    for (size_t i = room; i < memory.size(); ++i) EXPECT_EQ(memory[i], 0xee) << room;
    if (writer.fits()) {
      EXPECT_TRUE(std::ranges::equal(whole.bytes(), std::span(memory).first(room)));
    }
  }
}

RC_GTEST_PROP(Wire, RepliesRoundTrip,
              (uint64_t id, std::string message, std::vector<std::vector<uint8_t>> outputs)) {
  WireReply reply;
  reply.id = id;
  reply.status = RunStatus::kOk;
  reply.step = Step::kValidator;
  reply.no_kernel = true;
  reply.message = message;
  reply.backend = "ane";
  reply.compile_us = id / 2;
  reply.run_us = id / 3;
  reply.outputs = outputs;
  ByteWriter writer;
  WriteReply(reply, writer);
  ByteReader reader(writer.bytes());
  const auto back = ReadReply(reader);
  RC_ASSERT(back.ok());
  RC_ASSERT(back->id == id && back->step == Step::kValidator && back->no_kernel &&
            back->message == message);
  RC_ASSERT(back->backend == "ane" && back->compile_us == id / 2 && back->run_us == id / 3);
  RC_ASSERT(back->outputs == outputs);
  RC_ASSERT(reader.AtEnd());
}

TEST(Wire, RequestsRoundTripWithinTheirStatedSize) {
  const Cases cases({"some text"});
  RunRequest written = cases.all()[0];
  const std::vector<RunShape> further(
      1, {*written.graph, std::vector<Tensor>(written.inputs.begin(), written.inputs.end())});
  written.further = further;
  written.settings.repeat = true;
  std::vector<Tensor> again(written.inputs.begin(), written.inputs.end());
  again[0].bytes[7] ^= 0x80;
  written.again = again;
  ByteWriter writer;
  WriteRequest(written, writer);
  EXPECT_LE(writer.size(), RequestSize(written));
  ByteReader reader(writer.bytes());
  const auto request = ReadRequest(reader);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->program, "some text");
  EXPECT_EQ(request->target, "h13");
  EXPECT_TRUE(request->settings.repeat);
  EXPECT_TRUE(request->gives_second) << "the graph has no states, but the inputs differ";
  ASSERT_EQ(request->again.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(request->again[0], again[0].bytes));
  ASSERT_EQ(request->further.size(), 1u);
  for (const WireShape* shape : {&request->shape, &request->further[0]}) {
    ASSERT_EQ(shape->inputs.size(), 1u);
    EXPECT_EQ(shape->inputs[0].name, "x");
    EXPECT_EQ(shape->inputs[0].byte_size, 8u);
    ASSERT_EQ(shape->outputs.size(), 1u);
    EXPECT_EQ(shape->outputs[0].name, "y");
    EXPECT_EQ(shape->outputs[0].byte_size, 8u);
  }
}

// The second inputs are copied into the buffers of the first inputs.
TEST(Wire, InputsOfASecondExecutionMustFitThoseOfTheFirst) {
  const Cases cases({"some text"});
  RunRequest written = cases.all()[0];
  written.settings.repeat = true;
  std::vector<Tensor> again(written.inputs.begin(), written.inputs.end());
  again[0].bytes.push_back(0);
  written.again = again;
  ByteWriter longer;
  WriteRequest(written, longer);
  ByteReader reader(longer.bytes());
  EXPECT_FALSE(ReadRequest(reader).ok());
  again.push_back(cases.all()[0].inputs[0]);
  again[0] = again[1];
  written.again = again;
  ByteWriter more;
  WriteRequest(written, more);
  ByteReader second(more.bytes());
  EXPECT_FALSE(ReadRequest(second).ok());
}

TEST(Wire, AProgramOfARangeReplacesTheText) {
  const Cases cases({"some text"});
  RunRequest written = cases.all()[0];
  written.ranged_mil = "text of a range";
  ByteWriter writer;
  WriteRequest(written, writer);
  EXPECT_LE(writer.size(), RequestSize(written));
  ByteReader reader(writer.bytes());
  EXPECT_EQ(ReadRequest(reader)->program, "text of a range");
}

TEST(Wire, RepliesCarryTheCompilersFiles) {
  WireReply reply;
  reply.files = CompilerFiles{{1, 2}, {3}};
  ByteWriter writer;
  WriteReply(reply, writer);
  ByteReader reader(writer.bytes());
  const auto back = ReadReply(reader);
  ASSERT_TRUE(back.ok() && back->files);
  EXPECT_EQ(back->files->descriptor, (std::vector<uint8_t>{1, 2}));
  EXPECT_EQ(back->files->container, std::vector<uint8_t>{3});
}

TEST(Wire, RepliesCarryMisconduct) {
  WireReply reply;
  reply.slots_spent = true;
  reply.misconduct = {{Verdict::kSlotLeak, "words", 0}, {Verdict::kNotRepeatable, "", 3}};
  ByteWriter writer;
  WriteReply(reply, writer);
  ByteReader reader(writer.bytes());
  const auto back = ReadReply(reader);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back->slots_spent);
  ASSERT_EQ(back->misconduct.size(), 2u);
  EXPECT_EQ(back->misconduct[0].verdict, Verdict::kSlotLeak);
  EXPECT_EQ(back->misconduct[0].message, "words");
  EXPECT_EQ(back->misconduct[1].verdict, Verdict::kNotRepeatable);
  EXPECT_EQ(back->misconduct[1].output, 3u);
  EXPECT_TRUE(reader.AtEnd());
}

TEST(Wire, TruncatedRepliesAreErrors) {
  WireReply reply;
  reply.message = "text";
  reply.outputs = {{1, 2, 3}};
  reply.misconduct = {{Verdict::kStrayOutput, "words", 0}};
  ByteWriter writer;
  WriteReply(reply, writer);
  for (size_t size = 0; size < writer.size(); ++size) {
    ByteReader reader(writer.bytes().first(size));
    EXPECT_FALSE(ReadReply(reader).ok()) << size;
  }
}

TEST(ExecutablePath, NamesThisFile) {
  EXPECT_NE(ExecutablePath().find("runners_test"), std::string::npos);
  EXPECT_EQ(ExecutablePath().find(ExecutableFolder() + "/"), 0u);
}

TEST(DefaultEspressoPath, FollowsTheEnvironment) {
  setenv("ANECHECK_ESPRESSO", "/somewhere/else.so", 1);
  EXPECT_EQ(DefaultEspressoPath(), "/somewhere/else.so");
  unsetenv("ANECHECK_ESPRESSO");
  EXPECT_NE(DefaultEspressoPath(), "/somewhere/else.so");
}

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv, anecheck::RuntimeProbeMain);
  }
  if (argc > 1 && std::string_view(argv[1]) == anecheck::testing::kStuckArgument) {
    return anecheck::testing::StuckMain();
  }
  if (argc > 1 && std::string_view(argv[1]) == anecheck::testing::kReplacedArgument) {
    return anecheck::testing::ReplacedMain();
  }
  if (argc > 1 && std::string_view(argv[1]) == anecheck::testing::kHostileArgument) {
    return anecheck::testing::HostileMain(argc, argv);
  }
  if (argc > 2 && std::string_view(argv[1]) == anecheck::testing::kSharedPeerArgument) {
    return anecheck::testing::SharedPeerMain(argv[2]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
