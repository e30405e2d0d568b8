#include "harness/runners/wire.h"

namespace anecheck {
namespace {

template <typename Writer>
void WriteText(std::string_view text, Writer& writer) {
  writer.U32(static_cast<uint32_t>(text.size()));
  writer.Text(text);
}

std::string_view ReadText(ByteReader& reader, std::string_view field) {
  const auto bytes = reader.Bytes(reader.U32(field), field);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsNetlist(const RunRequest& request) { return request.route == Route::kNetlist; }

std::string_view Program(const RunRequest& request) {
  if (IsNetlist(request)) return request.netlist;
  return request.ranged_mil.empty() ? request.mil : request.ranged_mil;
}
std::span<const uint8_t> Weights(const RunRequest& request) {
  if (IsNetlist(request)) return request.netlist_weights;
  return request.ranged_mil.empty() ? request.mil_weights : std::span<const uint8_t>();
}

// The largest number of bytes of the ports of one shape.
uint64_t ShapeSize(const Graph& graph, std::span<const Tensor> inputs) {
  uint64_t size = 8;
  for (const Tensor& input : inputs) size += 16 + input.bytes.size();
  for (const Value& value : graph.values()) size += 16 + value.name.size();
  return size;
}

template <typename Writer>
void WriteShape(const Graph& graph, std::span<const Tensor> inputs, Writer& writer) {
  writer.U32(static_cast<uint32_t>(inputs.size()));
  size_t next = 0;
  for (const Value& value : graph.values()) {
    if (value.kind != ValueKind::kInput || next == inputs.size()) continue;
    const Tensor& tensor = inputs[next++];
    WriteText(value.name, writer);
    writer.U32(static_cast<uint32_t>(tensor.bytes.size()));
    writer.Bytes(tensor.bytes);
  }
  writer.U32(static_cast<uint32_t>(graph.outputs().size()));
  for (const ValueId output : graph.outputs()) {
    WriteText(graph.value(output).name, writer);
    writer.U32(static_cast<uint32_t>(graph.type(output).ByteSize()));
  }
}

template <typename Writer>
void PutSettings(const RunSettings& settings, Writer& writer) {
  writer.U8(settings.repeat ? 1 : 0);
}

template <typename Writer>
void PutRequest(const RunRequest& request, Writer& writer) {
  writer.U64(request.id);
  WriteText(request.target, writer);
  WriteText(Program(request), writer);
  writer.U32(static_cast<uint32_t>(Weights(request).size()));
  writer.Bytes(Weights(request));
  WriteShape(*request.graph, request.inputs, writer);
  writer.U32(static_cast<uint32_t>(request.further.size()));
  for (const RunShape& shape : request.further) WriteShape(shape.graph, shape.inputs, writer);
  PutSettings(request.settings, writer);
  writer.U8(GivesSecond(request) ? 1 : 0);
  writer.U32(static_cast<uint32_t>(request.again.size()));
  for (const Tensor& tensor : request.again) {
    writer.U32(static_cast<uint32_t>(tensor.bytes.size()));
    writer.Bytes(tensor.bytes);
  }
}

template <typename Writer>
void PutReply(const WireReply& reply, Writer& writer) {
  writer.U64(reply.id);
  writer.U8(static_cast<uint8_t>(reply.status));
  writer.U8(static_cast<uint8_t>(reply.step));
  writer.U8(reply.no_kernel ? 1 : 0);
  WriteText(reply.message, writer);
  WriteText(reply.backend, writer);
  WriteText(reply.proof, writer);
  writer.U8(reply.harness_fault ? 1 : 0);
  writer.U64(reply.compile_us);
  writer.U64(reply.run_us);
  writer.U32(static_cast<uint32_t>(reply.outputs.size()));
  for (const std::vector<uint8_t>& output : reply.outputs) {
    writer.U32(static_cast<uint32_t>(output.size()));
    writer.Bytes(output);
  }
  writer.U8(reply.files ? 1 : 0);
  if (reply.files) {
    for (const auto* file : {&reply.files->descriptor, &reply.files->container}) {
      writer.U32(static_cast<uint32_t>(file->size()));
      writer.Bytes(*file);
    }
  }
  writer.U8(reply.slots_spent ? 1 : 0);
  writer.U32(static_cast<uint32_t>(reply.misconduct.size()));
  for (const Misconduct& misconduct : reply.misconduct) {
    writer.U8(static_cast<uint8_t>(misconduct.verdict));
    WriteText(misconduct.message, writer);
    writer.U32(misconduct.output);
  }
}

// Reads a flag. Only 0 and 1 are valid, so that a flag is written with the same byte that was read.
bool ReadFlag(ByteReader& reader, std::string_view field) {
  const uint8_t flag = reader.U8(field);
  if (flag > 1) reader.Fail(ErrorCode::kMalformed, field, "is neither 0 nor 1");
  return flag == 1;
}

RunSettings ReadSettings(ByteReader& reader) {
  RunSettings settings;
  settings.repeat = ReadFlag(reader, "repeat");
  return settings;
}

template <Word E>
E ReadWord(ByteReader& reader, std::string_view field) {
  const uint8_t number = reader.U8(field);
  if (number < AllWords<E>().size()) return static_cast<E>(number);
  reader.Fail(ErrorCode::kMalformed, field, "is no word");
  return E{};
}

void ReadMisconduct(ByteReader& reader, std::vector<Misconduct>& list) {
  const uint32_t count = reader.U32("misconduct");
  if (reader.CheckCount(count, 9, "misconduct")) list.resize(count);
  for (Misconduct& misconduct : list) {
    misconduct.verdict = ReadWord<Verdict>(reader, "misconduct.verdict");
    misconduct.message = ReadText(reader, "misconduct.message");
    misconduct.output = reader.U32("misconduct.output");
  }
}

void ReadShape(ByteReader& reader, WireShape& shape) {
  const uint32_t inputs = reader.U32("inputs");
  if (reader.CheckCount(inputs, 8, "inputs")) shape.inputs.resize(inputs);
  for (WirePort& port : shape.inputs) {
    port.name = ReadText(reader, "input.name");
    port.bytes = reader.Bytes(reader.U32("input.size"), "input.bytes");
    port.byte_size = port.bytes.size();
  }
  const uint32_t outputs = reader.U32("outputs");
  if (reader.CheckCount(outputs, 8, "outputs")) shape.outputs.resize(outputs);
  for (WirePort& port : shape.outputs) {
    port.name = ReadText(reader, "output.name");
    port.byte_size = reader.U32("output.size");
  }
}

// Reads the inputs of the second execution. Each replaces the first input at its index.
void ReadAgain(ByteReader& reader, WireRequest& request) {
  const std::vector<WirePort>& inputs = request.shape.inputs;
  const uint32_t count = reader.U32("again");
  if (count != 0 && count != inputs.size()) {
    reader.Fail(ErrorCode::kMalformed, "again", "is not one per input");
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    request.again.push_back(reader.Bytes(reader.U32("again.size"), "again.bytes"));
    if (request.again.back().size() == inputs[i].byte_size) continue;
    reader.Fail(ErrorCode::kMalformed, "again.size", "is not that of the input");
    return;
  }
}

}  // namespace

uint64_t RequestSize(const RunRequest& request) {
  uint64_t size = 64 + request.target.size() + Program(request).size() + Weights(request).size();
  size += ShapeSize(*request.graph, request.inputs);
  for (const RunShape& shape : request.further) size += ShapeSize(shape.graph, shape.inputs);
  for (const Tensor& tensor : request.again) size += 4 + tensor.bytes.size();
  return size;
}

uint64_t ReplySize(const RunRequest& request) {
  const auto outputs = [](const Graph& graph) {
    uint64_t size = 0;
    for (const ValueId output : graph.outputs()) {
      size += 4 + static_cast<uint64_t>(graph.type(output).ByteSize());
    }
    return size;
  };
  // 256 bytes are for numbers, lengths and the name of a backend.
  uint64_t size = 256 + kLongestProof + outputs(*request.graph) * (GivesSecond(request) ? 2 : 1);
  for (const RunShape& shape : request.further) size += outputs(shape.graph);
  return size;
}

void WriteRequest(const RunRequest& request, ByteWriter& writer) { PutRequest(request, writer); }
void WriteRequest(const RunRequest& request, AreaWriter& writer) { PutRequest(request, writer); }

Result<WireRequest> ReadRequest(ByteReader& reader) {
  WireRequest request;
  request.id = reader.U64("id");
  request.target = ReadText(reader, "target");
  request.program = ReadText(reader, "program");
  request.weights = reader.Bytes(reader.U32("weights.size"), "weights");
  ReadShape(reader, request.shape);
  const uint32_t further = reader.U32("further");
  if (reader.CheckCount(further, 8, "further")) request.further.resize(further);
  for (WireShape& shape : request.further) ReadShape(reader, shape);
  request.settings = ReadSettings(reader);
  request.gives_second = ReadFlag(reader, "gives_second");
  ReadAgain(reader, request);
  ANECHECK_RETURN_IF_ERROR(Status(reader.status()));
  return request;
}

void WriteReply(const WireReply& reply, ByteWriter& writer) { PutReply(reply, writer); }
void WriteReply(const WireReply& reply, AreaWriter& writer) { PutReply(reply, writer); }

Result<WireReply> ReadReply(ByteReader& reader) {
  WireReply reply;
  reply.id = reader.U64("id");
  reply.status = ReadWord<RunStatus>(reader, "status");
  reply.step = ReadWord<Step>(reader, "step");
  reply.no_kernel = ReadFlag(reader, "no_kernel");
  reply.message = ReadText(reader, "message");
  reply.backend = ReadText(reader, "backend");
  reply.proof = ReadText(reader, "proof");
  reply.harness_fault = ReadFlag(reader, "harness_fault");
  reply.compile_us = reader.U64("compile_us");
  reply.run_us = reader.U64("run_us");
  const uint32_t outputs = reader.U32("outputs");
  if (reader.CheckCount(outputs, 4, "outputs")) reply.outputs.resize(outputs);
  for (std::vector<uint8_t>& output : reply.outputs) {
    const auto bytes = reader.Bytes(reader.U32("output.size"), "output.bytes");
    output.assign(bytes.begin(), bytes.end());
  }
  if (ReadFlag(reader, "files")) {
    CompilerFiles& files = reply.files.emplace();
    for (auto* file : {&files.descriptor, &files.container}) {
      const auto bytes = reader.Bytes(reader.U32("file.size"), "file.bytes");
      file->assign(bytes.begin(), bytes.end());
    }
  }
  reply.slots_spent = ReadFlag(reader, "slots_spent");
  ReadMisconduct(reader, reply.misconduct);
  ANECHECK_RETURN_IF_ERROR(Status(reader.status()));
  return reply;
}

}  // namespace anecheck
