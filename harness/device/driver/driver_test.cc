// Tests the simulated driver: the life of a program, the wake port, and the chaining cache.

#include "harness/device/driver/driver.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/formats/submission/submission_generator.h"
#include "harness/formats/firmware/firmware.h"
#include "harness/formats/submission/structures.h"

namespace anecheck::driver {
namespace {

using submission::Call;
using submission::Client;

Call MakeCall(Client client, uint32_t selector, size_t size) {
  Call call;
  call.client = static_cast<uint32_t>(client);
  call.selector = selector;
  call.struct_in.resize(size);
  return call;
}

Call Open(Client client = Client::kControl, uint8_t usage = 1) {
  Call call = MakeCall(client, 0, 104);
  submission::Store(submission::device_open::kUsage, call.struct_in, usage);
  submission::Store(submission::device_open::kReceiver, call.struct_in, 0x1122334455667788);
  return call;
}

Call OfProgram(uint32_t selector, size_t size, uint64_t token) {
  Call call = MakeCall(Client::kControl, selector, size);
  submission::Store(submission::kProgramToken, call.struct_in, token);
  return call;
}
Call Create() { return MakeCall(Client::kControl, 3, 32); }
Call Prepare(uint64_t token) { return OfProgram(4, 56, token); }
Call Unprepare(uint64_t token) { return OfProgram(5, 56, token); }
Call Destroy(uint64_t token) { return OfProgram(6, 16, token); }
Call Send(uint64_t token, uint64_t sequence) {
  Call call = OfProgram(2, 2376, token);
  call.scalars_in = {1};
  submission::Store(submission::program_request::kSequence, call.struct_in, sequence);
  return call;
}

uint32_t ResultOf(Driver& driver, const Call& call) { return driver.Take(call).result; }

constexpr uint32_t kNotFound = 0xe00002f0;

TEST(Driver, RefusesCallsBeforeTheDeviceIsOpen) {
  Driver driver;
  EXPECT_EQ(ResultOf(driver, Create()), 0xe00002cdu);
  EXPECT_EQ(ResultOf(driver, Open()), 0u);
  EXPECT_EQ(ResultOf(driver, Create()), 0u);
  EXPECT_EQ(ResultOf(driver, MakeCall(Client::kDirect, 3, 40)), 0xe00002cdu)
      << "opening one client does not open the other";
  EXPECT_EQ(ResultOf(driver, MakeCall(Client::kControl, 1, 0)), 0u);
  EXPECT_EQ(ResultOf(driver, Create()), 0xe00002cdu);
}

TEST(Driver, OpensRepeatTheHeaderAndRefuseUsageTwo) {
  Driver driver;
  EXPECT_EQ(ResultOf(driver, Open(Client::kControl, 2)), 24u);
  const Answer answer = driver.Take(Open());
  ASSERT_EQ(answer.struct_out.size(), 104u);
  EXPECT_EQ(submission::Load(submission::device_open::kReceiver, answer.struct_out),
            0x1122334455667788u);
}

TEST(Driver, RefusesOtherSizesThanThoseOfTheMethod) {
  Driver driver;
  driver.Take(Open());
  EXPECT_EQ(ResultOf(driver, MakeCall(Client::kControl, 3, 33)), 0xe00002c2u);
  EXPECT_EQ(ResultOf(driver, MakeCall(Client::kControl, 99, 0)), 0xe00002c2u);
  Call scalars = Create();
  scalars.scalars_in = {1};
  EXPECT_EQ(ResultOf(driver, scalars), 0xe00002c2u);
  Call client = Create();
  client.client = 7;
  EXPECT_EQ(ResultOf(driver, client), 0xe00002c2u);
  Call firmware = MakeCall(Client::kControl, 16, 0);
  firmware.scalars_in = {0, 0, 0};
  EXPECT_EQ(ResultOf(driver, firmware), 0xe00002c7u);
}

TEST(Driver, AProgramLivesFromCreateToDestroy) {
  Driver driver;
  driver.Take(Open());
  EXPECT_EQ(ResultOf(driver, Prepare(5)), kNotFound);
  EXPECT_EQ(ResultOf(driver, Create()), 0u);
  EXPECT_EQ(ResultOf(driver, Send(5, 0)), kNotFound);
  EXPECT_EQ(ResultOf(driver, Prepare(5)), 0u);
  EXPECT_EQ(ResultOf(driver, Prepare(6)), kNotFound) << "one program was created";
  EXPECT_EQ(ResultOf(driver, Send(5, 0)), 0u);
  EXPECT_EQ(ResultOf(driver, Unprepare(5)), 0u);
  EXPECT_EQ(ResultOf(driver, Send(5, 1)), kNotFound);
  EXPECT_EQ(ResultOf(driver, Destroy(5)), 0u);
  EXPECT_EQ(ResultOf(driver, Destroy(5)), kNotFound);
  EXPECT_EQ(ResultOf(driver, Create()), 0u);
  EXPECT_EQ(ResultOf(driver, Destroy(9)), 0u) << "a program may end before it is prepared";
}

TEST(Driver, OneSetOfOutputsWaitsForItsInputsUnlessProgramsAreChained) {
  Driver driver;
  driver.Take(Open());
  driver.Take(Open(Client::kDirect));
  const Call outputs = MakeCall(Client::kDirect, 3, 40);
  const Call inputs = MakeCall(Client::kDirect, 4, 3104);
  EXPECT_EQ(ResultOf(driver, outputs), 0u);
  const Answer second = driver.Take(outputs);
  EXPECT_EQ(second.result, 0xe00002beu);
  EXPECT_EQ(second.law->id, "output-sets");
  EXPECT_EQ(ResultOf(driver, inputs), 0u);
  EXPECT_EQ(ResultOf(driver, outputs), 0u);
  EXPECT_EQ(ResultOf(driver, MakeCall(Client::kControl, 9, 16)), 0u);
  EXPECT_EQ(ResultOf(driver, outputs), 0u) << "a chain has a set for each of its procedures";
}

TEST(Driver, CompletionsLeaveTheWakePortInOrder) {
  Driver driver;
  driver.Take(Open());
  driver.Take(Create());
  driver.Take(Prepare(5));
  EXPECT_FALSE(driver.NextCompletion());
  for (uint64_t i = 0; i < 127; ++i) {
    const Answer answer = driver.Take(Send(5, i));
    ASSERT_EQ(answer.result, 0u) << i;
    EXPECT_EQ(submission::Load(submission::program_reply::kSequence, answer.struct_out), i);
    EXPECT_EQ(submission::Load(submission::program_reply::kToken, answer.struct_out), 5u);
  }
  const Answer full = driver.Take(Send(5, 127));
  EXPECT_EQ(full.result, 0xe00002beu);
  EXPECT_EQ(full.law->id, "in-flight");
  for (uint64_t i = 0; i < 127; ++i) {
    const auto message = driver.NextCompletion();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->sequence, i);
    EXPECT_EQ(message->program_token, 5u);
  }
  EXPECT_EQ(ResultOf(driver, Send(5, 127)), 0u);
}

TEST(Driver, ChainingFillsTheCacheAndNeedsItsEntitlement) {
  Driver driver;
  driver.Take(Open());
  driver.Take(Open(Client::kDirect));
  const Call active = MakeCall(Client::kDirect, 8, 32);
  EXPECT_EQ(ResultOf(driver, active), kNotFound);
  EXPECT_EQ(ResultOf(driver, MakeCall(Client::kControl, 9, 16)), 0u);
  EXPECT_EQ(driver.chaining_entries(), 1u);
  EXPECT_EQ(ResultOf(driver, active), 0u);

  Driver without({.data_chaining = false});
  without.Take(Open());
  EXPECT_EQ(ResultOf(without, MakeCall(Client::kControl, 9, 16)), 0xe00002c1u);
  EXPECT_EQ(without.chaining_entries(), 0u);
}

TEST(Driver, EveryLawHasATextAndASource) {
  for (const Law& law : Laws()) {
    EXPECT_FALSE(law.words.empty()) << law.id;
    EXPECT_FALSE(law.source.empty()) << law.id;
    EXPECT_EQ(law.source == "no source", law.evidence == FactEvidence::kAssumed) << law.id;
  }
}

TEST(Driver, HasALawForEachLimitThatTheFirmwareTableAssignsToIt) {
  constexpr std::string_view kLaw = "driver law ";
  size_t held = 0;
  for (const firmware::Limit& limit : firmware::Limits()) {
    if (!limit.held_by.starts_with(kLaw)) continue;
    ++held;
    EXPECT_TRUE(std::ranges::any_of(Laws(), [&](const Law& law) {
      return law.id == limit.held_by.substr(kLaw.size());
    })) << limit.name;
  }
  EXPECT_EQ(held, 1u);
}

// The generator also draws captures of whole sessions in which every call succeeds.
TEST(Driver, TakesEveryCallOfADrawnSession) {
  size_t sessions = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const auto capture = submission::Parse(kGenerator_submission.generate(choices)).value();
    if (capture.calls.size() < 3 || capture.calls[1].selector != 3 ||
        capture.calls[2].selector != 4 || capture.calls[1].client != 1) {
      continue;
    }
    if (capture.calls.back().selector != 1) continue;
    ++sessions;
    Driver driver;
    for (size_t i = 0; i < capture.calls.size(); ++i) {
      EXPECT_EQ(driver.Take(capture.calls[i]).result, 0u) << "seed " << seed << ", call " << i;
    }
  }
  EXPECT_GT(sessions, 10u);
}

// Every answer names the law that determines it, every reply repeats its request's token, and no
// message is lost.
RC_GTEST_PROP(Driver, AnswersEveryCallOfEveryCapture, ()) {
  ChoiceStream choices = ChoiceStream::FromSeed(*rc::gen::arbitrary<uint64_t>());
  const auto capture = submission::Parse(kGenerator_submission.generate(choices)).value();
  Driver driver;
  size_t sent = 0;
  for (const Call& call : capture.calls) {
    const Answer answer = driver.Take(call);
    RC_ASSERT(answer.law != nullptr);
    if (answer.law->id != "send") continue;
    ++sent;
    RC_ASSERT(submission::Load(submission::program_reply::kToken, answer.struct_out) ==
              submission::Load(submission::program_request::kToken, call.struct_in));
  }
  RC_ASSERT(driver.in_flight() == sent);
  while (driver.NextCompletion()) --sent;
  RC_ASSERT(sent == 0u);
}

}  // namespace
}  // namespace anecheck::driver
