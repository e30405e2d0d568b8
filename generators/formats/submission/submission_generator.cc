#include "generators/formats/submission/submission_generator.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "generators/formats/common/byte_mutations.h"
#include "harness/base/little_endian.h"
#include "harness/formats/submission/submission.h"

namespace anecheck {
namespace {

using namespace submission;  // NOLINT(google-build-using-namespace): every name is of that room

Bytes RandomBytes(uint32_t size, ChoiceStream& choices) {
  Bytes bytes(size, 0);
  // Sets only few bytes, because structures of this size are mostly zeros.
  for (uint64_t n = size == 0 ? 0 : choices.Below(24); n > 0; --n) {
    bytes[choices.Below(size)] = static_cast<uint8_t>(choices.Below(256));
  }
  return bytes;
}

std::vector<uint64_t> Scalars(uint32_t count, ChoiceStream& choices) {
  std::vector<uint64_t> scalars(count == kUnstated ? choices.Below(3) : count);
  for (uint64_t& scalar : scalars) scalar = choices.Below(uint64_t{1} << 40);
  return scalars;
}

// Fills a request with the values of a measured request. They are quality of service 5, priority
// 21, category 2, and a few surfaces.
void FillRequest(Bytes& request, ChoiceStream& choices) {
  Store(program_request::kToken, request, 1 + choices.Below(4));
  Store(program_request::kSequence, request, choices.Below(8));
  Store(program_request::kQualityOfService, request, 5);
  Store(program_request::kPriority, request, 21);
  Store(program_request::kProcedure, request, choices.Below(3));
  Store(program_request::kIoCategory, request, 2);
  const RecordField& surfaces = program_request::kSurfaces;
  for (uint64_t n = choices.Below(4); n > 0; --n) {
    const uint64_t index = choices.Below(surfaces.width / surfaces.element);
    StoreLittle(request, surfaces.offset + index * surfaces.element, surfaces.element,
                1 + choices.Below(1000));
  }
}

// Sets the fields that sources describe to the values of a successful call.
void FillStructures(Call& call, ChoiceStream& choices) {
  const submission::Structure* in = StructureOf(call, Direction::kIn);
  if (in == nullptr) return;
  if (in->name == "program_request") FillRequest(call.struct_in, choices);
  if (in->fields.size() == 1) Store(kProgramToken, call.struct_in, 1 + choices.Below(4));
  const submission::Structure* out = StructureOf(call, Direction::kOut);
  if (out == nullptr) return;
  if (out->name == "device_info") {
    for (const RecordField& field :
         {device_open::kCallback, device_open::kReceiver, device_open::kTimeout}) {
      Store(field, call.struct_out, Load(field, call.struct_in));
    }
  }
  if (out->name == "program_reply") {
    Store(program_reply::kSequence, call.struct_out,
          Load(program_request::kSequence, call.struct_in));
    Store(program_reply::kToken, call.struct_out, Load(program_request::kToken, call.struct_in));
  }
}

Call MakeCall(const Method& method, ChoiceStream& choices) {
  Call call;
  call.client = static_cast<uint32_t>(method.client);
  call.selector = method.selector;
  call.scalars_in = Scalars(method.scalars_in, choices);
  call.struct_in = RandomBytes(method.struct_in, choices);
  const bool refused = method.name == "ANE_LoadFirmware";
  if (refused || choices.Chance(1, 8)) {
    call.result = refused ? kReturnUnsupported : choices.Pick(ReturnCodes()).code;
  }
  if (call.result == 0 || choices.Coin()) {  // a failed call may return nothing
    call.scalars_out = Scalars(method.scalars_out, choices);
    const uint32_t struct_out = method.struct_out == kUnstated ? 56 : method.struct_out;
    call.struct_out = RandomBytes(struct_out, choices);
  }
  FillStructures(call, choices);
  return call;
}

const Method& OpenOf(Client client) {
  return *std::find_if(Methods().begin(), Methods().end(), [&](const Method& method) {
    return method.client == client && method.selector == 0;
  });
}

const Method& ControlMethod(std::string_view name) {
  return *std::find_if(Methods().begin(), Methods().end(), [&](const Method& method) {
    return method.client == Client::kControl && method.name == name;
  });
}

// Draws a successful call of the control client.
Call Succeeds(std::string_view name, uint64_t token, ChoiceStream& choices) {
  Call call = MakeCall(ControlMethod(name), choices);
  while (call.result != 0) call = MakeCall(ControlMethod(name), choices);
  const submission::Structure* in = StructureOf(call, Direction::kIn);
  if (in != nullptr && in->fields.front().name == kProgramToken.name) {
    Store(kProgramToken, call.struct_in, token);
  }
  return call;
}

// Draws the calls for one program from create to destroy. A driver accepts every call.
Capture Session(ChoiceStream& choices) {
  Capture capture;
  const uint64_t token = 1 + choices.Below(uint64_t{1} << 40);
  const auto add = [&](std::string_view name) -> Call& {
    return capture.calls.emplace_back(Succeeds(name, token, choices));
  };
  Call& open = add("ANE_DeviceOpen");
  Store(device_open::kUsage, open.struct_in, 1);
  add("ANE_ProgramCreate");
  add("ANE_ProgramPrepare");
  const uint64_t requests = choices.Below(6);
  for (uint64_t i = 0; i < requests; ++i) {
    Call& request = add("ANE_ProgramSendRequest");
    Store(program_request::kSequence, request.struct_in, i);
    Store(program_reply::kSequence, request.struct_out, i);
    Store(program_reply::kToken, request.struct_out, token);
  }
  if (choices.Coin()) add("ANE_ProgramChainingPrepare");
  add("ANE_ProgramUnprepare");
  add("ANE_ProgramDestroy");
  add("ANE_DeviceClose");
  return capture;
}

Bytes Generate(ChoiceStream& choices) {
  if (choices.Chance(1, 6)) return Write(Session(choices));
  Capture capture;
  capture.calls.push_back(MakeCall(OpenOf(static_cast<Client>(choices.Below(3))), choices));
  for (uint64_t n = choices.Below(12); n > 0; --n) {
    capture.calls.push_back(MakeCall(choices.Pick(Methods()), choices));
  }
  return Write(capture);
}

// ---- mutations
// ------------------------------------------------------------------------------------

using Parameters = std::span<const uint64_t>;

// Returns the call with index parameters[0].
Result<Call*> CallAt(Capture& capture, Parameters parameters, size_t parameter_count) {
  if (parameters.size() != parameter_count || parameters[0] >= capture.calls.size()) {
    return MakeError(ErrorCode::kInvalid, "the mutation names no call of this capture");
  }
  return &capture.calls[parameters[0]];
}

// Applies `Edit` to the parsed capture.
template <Status (*Edit)(Capture&, Parameters)>
Result<Bytes> ApplyEdit(ByteSpan bytes, const Mutation& mutation) {
  ANECHECK_ASSIGN(Capture capture, Parse(bytes));
  const Status status = Edit(capture, mutation.parameters);
  if (!status.ok()) {
    return MakeError(status.error().code,
                     fmt::format("mutation {}: {}", mutation.kind, status.error().message));
  }
  return Write(capture);
}

Status SetClient(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 2));
  call->client = static_cast<uint32_t>(parameters[1]);
  return {};
}

Status SetSelector(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 2));
  call->selector = static_cast<uint32_t>(parameters[1]);
  return {};
}

Status SetResult(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 2));
  call->result = static_cast<uint32_t>(parameters[1]);
  return {};
}

Status AddScalarIn(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 2));
  call->scalars_in.push_back(parameters[1]);
  return {};
}

Status AddScalarOut(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 2));
  call->scalars_out.push_back(parameters[1]);
  return {};
}

// Changes the size of a structure, to at most 64 KiB.
Status ResizeStructure(Bytes& structure, uint64_t size) {
  if (size > 65536) return MakeError(ErrorCode::kInvalid, "a structure above 64 KiB");
  structure.resize(size);
  return {};
}

Status ResizeIn(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 2));
  return ResizeStructure(call->struct_in, parameters[1]);
}

Status ResizeOut(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 2));
  return ResizeStructure(call->struct_out, parameters[1]);
}

Status DropCall(Capture& capture, Parameters parameters) {
  ANECHECK_RETURN_IF_ERROR(CallAt(capture, parameters, 1));
  capture.calls.erase(capture.calls.begin() + static_cast<ptrdiff_t>(parameters[0]));
  return {};
}

Status RepeatCall(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(const Call* call, CallAt(capture, parameters, 1));
  capture.calls.push_back(*call);
  return {};
}

// Changes byte parameters[1] of the output structure.
Status ChangeOut(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 3));
  if (parameters[1] >= call->struct_out.size()) {
    return MakeError(ErrorCode::kInvalid, "the mutation names no byte of the structure out");
  }
  call->struct_out[parameters[1]] ^= static_cast<uint8_t>(parameters[2]);
  return {};
}

Status SwapStructures(Capture& capture, Parameters parameters) {
  ANECHECK_ASSIGN(Call * call, CallAt(capture, parameters, 1));
  std::swap(call->struct_in, call->struct_out);
  return {};
}

using Wanted = bool (*)(const Call& call, size_t index);

// Returns the index of a random call for which `wanted` is true.
std::optional<uint64_t> PickCall(ByteSpan bytes, ChoiceStream& choices, Wanted wanted) {
  const Capture capture = Parse(bytes).value();
  std::vector<uint64_t> fitting;
  for (size_t i = 0; i < capture.calls.size(); ++i) {
    if (wanted(capture.calls[i], i)) fitting.push_back(i);
  }
  if (fitting.empty()) return std::nullopt;
  return choices.Pick(fitting);
}

bool Any(const Call& /*call*/, size_t /*index*/) { return true; }
bool NotFirst(const Call& /*call*/, size_t index) { return index > 0; }
// Whether the call is of a known client. The counts are known only for methods of clients, so a
// wrong count breaks a rule only in such calls.
bool OfAClient(const Call& call, size_t /*index*/) { return call.client != 0; }
bool LoadsFirmware(const Call& call, size_t /*index*/) { return call.selector == 16; }
bool LoadsNoFirmware(const Call& call, size_t /*index*/) { return call.selector != 16; }
bool HasDifferentSizes(const Call& call, size_t index) {
  return index > 0 && call.struct_in.size() != call.struct_out.size();
}

std::optional<Mutation> OnCall(std::string_view kind, ByteSpan bytes, ChoiceStream& choices,
                               Wanted wanted, std::optional<uint64_t> value = std::nullopt) {
  const std::optional<uint64_t> index = PickCall(bytes, choices, wanted);
  if (!index) return std::nullopt;
  Mutation mutation{std::string(kind), {*index}};
  if (value) mutation.parameters.push_back(*value);
  return mutation;
}

std::optional<Mutation> Magic(ByteSpan bytes, ChoiceStream& choices) {
  const uint64_t at = choices.Below(kMagic.size());
  return MakePatch("change-magic", {{at, 1, uint64_t{bytes[at]} ^ (1 + choices.Below(255))}});
}

std::optional<Mutation> Truncate(ByteSpan bytes, ChoiceStream& choices) {
  return MakeResize("truncate", kMagic.size() + choices.Below(bytes.size() - kMagic.size()));
}

std::optional<Mutation> Overcount(ByteSpan bytes, ChoiceStream& choices) {
  return MakePatch("overcount-calls", {{8, 4, LoadLittle(bytes, 8, 4) + 1 + choices.Below(1000)}});
}

std::optional<Mutation> Undercount(ByteSpan bytes, ChoiceStream& choices) {
  return MakePatch("undercount-calls", {{8, 4, choices.Below(LoadLittle(bytes, 8, 4))}});
}

std::optional<Mutation> Overflow(ByteSpan /*bytes*/, ChoiceStream& choices) {
  // The first call's structure reaches past the end of any file.
  return MakePatch("overflow-structure", {{24, 4, 0xffffffff - choices.Below(16)}});
}

std::optional<Mutation> ProposeClient(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("set-unknown-client", bytes, choices, Any, 3 + choices.Below(100));
}

std::optional<Mutation> ProposeSelector(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("set-unknown-selector", bytes, choices, NotFirst, 23 + choices.Below(100));
}

std::optional<Mutation> ProposeSize(ByteSpan bytes, ChoiceStream& choices) {
  // No method takes a structure of one of these sizes.
  constexpr std::array<uint64_t, 5> kSizes = {1, 33, 105, 2377, 3105};
  return OnCall("resize-structure", bytes, choices, Any, choices.Pick(kSizes));
}

std::optional<Mutation> ProposeScalarIn(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("add-scalar-input", bytes, choices, OfAClient, choices.Word());
}

std::optional<Mutation> ProposeScalarOut(ByteSpan bytes, ChoiceStream& choices) {
  // Leaves out failed calls of selectors 5 and 10 without scalars. One scalar may be correct there.
  return OnCall(
      "add-scalar-output", bytes, choices,
      [](const Call& call, size_t /*index*/) {
        return call.client != 0 && !(call.result != 0 && call.scalars_out.empty() &&
                                     (call.selector == 10 || call.selector == 5));
      },
      choices.Word());
}

std::optional<Mutation> ProposeOutput(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("resize-output", bytes, choices, OfAClient, 41 + choices.Below(10));
}

std::optional<Mutation> ProposeFirmware(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("load-firmware", bytes, choices, LoadsFirmware, 0);
}

std::optional<Mutation> ProposeResult(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("set-unknown-result", bytes, choices, LoadsNoFirmware,
                0xe0005000 + choices.Below(1000));
}

template <typename Found>
std::optional<Mutation> ChangeEcho(std::string_view kind, ByteSpan bytes, ChoiceStream& choices,
                                   Found wanted, std::span<const RecordField> fields) {
  std::optional<Mutation> mutation = OnCall(kind, bytes, choices, wanted);
  if (!mutation) return std::nullopt;
  const RecordField& field = fields[choices.Below(fields.size())];
  mutation->parameters.push_back(field.offset + choices.Below(field.width));
  mutation->parameters.push_back(1 + choices.Below(255));
  return mutation;
}

bool Answers(const Call& call, std::string_view structure) {
  const submission::Structure* out = StructureOf(call, Direction::kOut);
  return call.result == 0 && out != nullptr && out->name == structure;
}

std::optional<Mutation> ChangeOpenEcho(ByteSpan bytes, ChoiceStream& choices) {
  constexpr RecordField kFields[] = {device_open::kCallback, device_open::kReceiver,
                                     device_open::kTimeout};
  return ChangeEcho(
      "change-open-echo", bytes, choices,
      [](const Call& call, size_t /*index*/) { return Answers(call, "device_info"); }, kFields);
}

std::optional<Mutation> ChangeReplyToken(ByteSpan bytes, ChoiceStream& choices) {
  constexpr RecordField kFields[] = {program_reply::kToken};
  return ChangeEcho(
      "change-reply-token", bytes, choices,
      [](const Call& call, size_t /*index*/) { return Answers(call, "program_reply"); }, kFields);
}

std::optional<Mutation> DropOpen(ByteSpan bytes, ChoiceStream& /*choices*/) {
  const Capture capture = Parse(bytes).value();
  if (capture.calls.size() < 2 || capture.calls[1].selector == 0) return std::nullopt;
  return Mutation{"drop-open", {0}};
}

std::optional<Mutation> ProposeRepeat(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("repeat-call", bytes, choices, Any);
}

std::optional<Mutation> ProposeSwap(ByteSpan bytes, ChoiceStream& choices) {
  return OnCall("swap-structures", bytes, choices, HasDifferentSizes);
}

constexpr MutationKind kMutations[] = {
    {"change-magic", "capture-magic", Magic, ApplyPatch},
    {"truncate", "capture-complete", Truncate, ApplyResize},
    {"overcount-calls", "capture-complete", Overcount, ApplyPatch},
    {"overflow-structure", "capture-complete", Overflow, ApplyPatch},
    {"undercount-calls", "capture-end", Undercount, ApplyPatch},
    {"set-unknown-client", "client-known", ProposeClient, ApplyEdit<SetClient>},
    {"set-unknown-selector", "known-method", ProposeSelector, ApplyEdit<SetSelector>},
    {"resize-structure", "known-method", ProposeSize, ApplyEdit<ResizeIn>},
    {"add-scalar-input", "scalar-inputs", ProposeScalarIn, ApplyEdit<AddScalarIn>},
    {"add-scalar-output", "scalar-outputs", ProposeScalarOut, ApplyEdit<AddScalarOut>},
    {"resize-output", "struct-output", ProposeOutput, ApplyEdit<ResizeOut>},
    {"change-open-echo", "open-echo", ChangeOpenEcho, ApplyEdit<ChangeOut>},
    {"change-reply-token", "reply-token", ChangeReplyToken, ApplyEdit<ChangeOut>},
    {"load-firmware", "load-firmware-result", ProposeFirmware, ApplyEdit<SetResult>},
    {"set-unknown-result", "result-named", ProposeResult, ApplyEdit<SetResult>},
    {"drop-open", "open-first", DropOpen, ApplyEdit<DropCall>},
    {"repeat-call", "", ProposeRepeat, ApplyEdit<RepeatCall>},
    {"swap-structures", "", ProposeSwap, ApplyEdit<SwapStructures>},
};

}  // namespace

const DescriptorGenerator kGenerator_submission = {"submission", Generate, kMutations};

}  // namespace anecheck
