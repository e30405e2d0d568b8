#include "harness/runners/wire.h"

namespace anecheck {
namespace {

void WriteText(std::string_view text, ByteWriter& writer) {
  writer.U32(static_cast<uint32_t>(text.size()));
  writer.Text(text);
}

std::string_view ReadText(ByteReader& reader, std::string_view field) {
  const auto bytes = reader.Bytes(reader.U32(field), field);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsNetlist(const RunRequest& request) { return request.route == "netlist"; }

std::string_view Program(const RunRequest& request) {
  return IsNetlist(request) ? request.netlist : request.mil;
}
std::span<const uint8_t> Weights(const RunRequest& request) {
  return IsNetlist(request) ? request.netlist_weights : std::span<const uint8_t>();
}

}  // namespace

uint64_t RequestSize(const RunRequest& request) {
  uint64_t size = 64 + request.target.size() + Program(request).size() + Weights(request).size();
  for (const Tensor& input : request.inputs) size += 16 + input.bytes.size();
  for (const Value& value : request.graph->values()) size += 16 + value.name.size();
  return size;
}

void WriteRequest(const RunRequest& request, ByteWriter& writer) {
  const Graph& graph = *request.graph;
  writer.U64(request.id);
  WriteText(request.target, writer);
  WriteText(Program(request), writer);
  writer.U32(static_cast<uint32_t>(Weights(request).size()));
  writer.Bytes(Weights(request));
  writer.U32(static_cast<uint32_t>(request.inputs.size()));
  size_t next = 0;
  for (const Value& value : graph.values()) {
    if (value.kind != ValueKind::kInput || next == request.inputs.size()) continue;
    const Tensor& tensor = request.inputs[next++];
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

Result<WireRequest> ReadRequest(ByteReader& reader) {
  WireRequest request;
  request.id = reader.U64("id");
  request.target = ReadText(reader, "target");
  request.program = ReadText(reader, "program");
  request.weights = reader.Bytes(reader.U32("weights.size"), "weights");
  const uint32_t inputs = reader.U32("inputs");
  if (reader.CheckCount(inputs, 8, "inputs")) request.inputs.resize(inputs);
  for (WirePort& port : request.inputs) {
    port.name = ReadText(reader, "input.name");
    port.bytes = reader.Bytes(reader.U32("input.size"), "input.bytes");
    port.byte_size = port.bytes.size();
  }
  const uint32_t outputs = reader.U32("outputs");
  if (reader.CheckCount(outputs, 8, "outputs")) request.outputs.resize(outputs);
  for (WirePort& port : request.outputs) {
    port.name = ReadText(reader, "output.name");
    port.byte_size = reader.U32("output.size");
  }
  ANECHECK_RETURN_IF_ERROR(Status(reader.status()));
  return request;
}

void WriteReply(const WireReply& reply, ByteWriter& writer) {
  writer.U64(reply.id);
  writer.U8(static_cast<uint8_t>(reply.status));
  WriteText(reply.stage, writer);
  WriteText(reply.message, writer);
  WriteText(reply.backend, writer);
  writer.U64(reply.compile_us);
  writer.U64(reply.run_us);
  writer.U32(static_cast<uint32_t>(reply.outputs.size()));
  for (const std::vector<uint8_t>& output : reply.outputs) {
    writer.U32(static_cast<uint32_t>(output.size()));
    writer.Bytes(output);
  }
}

Result<WireReply> ReadReply(ByteReader& reader) {
  WireReply reply;
  reply.id = reader.U64("id");
  const uint8_t status = reader.U8("status");
  if (status > static_cast<uint8_t>(RunStatus::kGarbled)) {
    reader.Fail(ErrorCode::kMalformed, "status", "is no status");
  }
  reply.status = static_cast<RunStatus>(status);
  reply.stage = ReadText(reader, "stage");
  reply.message = ReadText(reader, "message");
  reply.backend = ReadText(reader, "backend");
  reply.compile_us = reader.U64("compile_us");
  reply.run_us = reader.U64("run_us");
  const uint32_t outputs = reader.U32("outputs");
  if (reader.CheckCount(outputs, 4, "outputs")) reply.outputs.resize(outputs);
  for (std::vector<uint8_t>& output : reply.outputs) {
    const auto bytes = reader.Bytes(reader.U32("output.size"), "output.bytes");
    output.assign(bytes.begin(), bytes.end());
  }
  ANECHECK_RETURN_IF_ERROR(Status(reader.status()));
  return reply;
}

}  // namespace anecheck
