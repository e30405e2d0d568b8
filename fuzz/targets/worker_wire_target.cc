// Fuzzes the messages in the shared memory of a worker process. These are replies from a process
// that may misbehave, and requests as the worker reads them.
#include <algorithm>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "harness/runners/wire.h"
#include "harness/targets/catalog.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    MoreLaws(kErrorLaws, "write(read(x)) is x", "an input has the bytes it names",
             "a second execution has all inputs or none of its own");
using Laws = LawBook<kLaws>;

void CheckReply(ByteSpan input) {
  ByteReader reader(input);
  const auto reply = ReadReply(reader);
  if (!reply.ok()) {
    RequireGoodError(reply.error(), input.size());
    return;
  }
  ByteWriter writer;
  WriteReply(*reply, writer);
  Laws::Require(std::ranges::equal(writer.bytes(), input.first(reader.position())),
                "write(read(x)) is x", "reply");
}

void CheckShape(const WireShape& shape) {
  for (const WirePort& port : shape.inputs) {
    Laws::Require(port.byte_size == port.bytes.size(), "an input has the bytes it names",
                  port.name);
  }
}

void CheckRequest(ByteSpan input) {
  ByteReader reader(input);
  const auto request = ReadRequest(reader);
  if (!request.ok()) {
    RequireGoodError(request.error(), input.size());
    return;
  }
  CheckShape(request->shape);
  for (const WireShape& shape : request->further) CheckShape(shape);
  const size_t inputs = request->shape.inputs.size();
  Laws::Require(request->again.empty() || request->again.size() == inputs,
                "a second execution has all inputs or none of its own");
  for (size_t i = 0; i < request->again.size(); ++i) {
    Laws::Require(request->again[i].size() == request->shape.inputs[i].byte_size,
                  "an input has the bytes it names", "again");
  }
}

bool Check(ByteSpan input) {
  CheckReply(input);
  CheckRequest(input);
  return true;
}

WordTables Words() {
  WordTable targets = {"targets"};
  for (const Target& target : anecheck::AllTargets()) targets.Text(target.compiler_name);
  return {targets};
}

Bytes DrawReply(ChoiceStream& choices) {
  WireReply reply;
  reply.id = choices.Below(1000);
  reply.status = static_cast<RunStatus>(choices.Below(6));
  if (choices.Coin()) reply.step = Step::kValidator;
  if (choices.Coin()) reply.message = "rank 6 exceeds the maximum @ Frontend";
  if (choices.Coin()) reply.backend = "ane";
  reply.compile_us = choices.Below(1 << 20);
  reply.outputs.resize(choices.Below(3));
  for (auto& output : reply.outputs) output.assign(choices.Below(9), 0x3c);
  reply.misconduct.resize(choices.Below(3));
  for (Misconduct& misconduct : reply.misconduct) {
    misconduct.verdict = static_cast<Verdict>(choices.Below(AllWords<Verdict>().size()));
    misconduct.message = "wrote 8 bytes to standard output: garbage";
  }
  reply.slots_spent = choices.Chance(1, 8);
  ByteWriter writer;
  WriteReply(reply, writer);
  return std::move(writer).Take();
}

Bytes DrawRequest(ChoiceStream& choices) {
  ByteWriter writer;
  const auto text = [&](std::string_view value) {
    writer.U32(static_cast<uint32_t>(value.size()));
    writer.Text(value);
  };
  writer.U64(choices.Below(1000));
  text("h13");
  text("program(1.3)\n{\n}");
  text("");  // weights
  const auto shape = [&] {
    std::vector<uint32_t> sizes(choices.Below(3));
    writer.U32(static_cast<uint32_t>(sizes.size()));
    for (uint32_t& size : sizes) {
      text("x");
      size = static_cast<uint32_t>(choices.Below(9));
      writer.U32(size);
      writer.Fill(size, 0x3c);
    }
    writer.U32(1);
    text("y");
    writer.U32(8);
    return sizes;
  };
  const std::vector<uint32_t> sizes = shape();
  const auto further = static_cast<uint32_t>(choices.Below(3));
  writer.U32(further);
  for (uint32_t i = 0; i < further; ++i) shape();
  writer.U8(choices.Coin() ? 1 : 0);  // repeat
  const bool again = choices.Coin();
  writer.U8(again ? 1 : 0);  // gives_second
  writer.U32(again ? static_cast<uint32_t>(sizes.size()) : 0);
  for (size_t i = 0; again && i < sizes.size(); ++i) {
    writer.U32(sizes[i]);
    writer.Fill(sizes[i], 0x40);
  }
  return std::move(writer).Take();
}

Bytes Generate(ChoiceStream& choices) {
  return choices.Coin() ? DrawReply(choices) : DrawRequest(choices);
}

}  // namespace

extern const FuzzTarget kTarget_worker_wire;
const FuzzTarget kTarget_worker_wire = {
    .name = "worker_wire", .check = Check, .laws = kLaws, .words = Words, .generate = Generate};

}  // namespace anecheck::fuzz
