#include "harness/device/driver/driver.h"

#include <algorithm>
#include <iterator>

#include "harness/formats/submission/structures.h"

namespace anecheck::driver {

using submission::Call;
using submission::Load;

namespace {

constexpr uint32_t kBadArgument = 0xe00002c2;
constexpr uint32_t kNotOpen = 0xe00002cd;
constexpr uint32_t kNotPrivileged = 0xe00002c1;
constexpr uint32_t kNoResources = 0xe00002be;
constexpr uint32_t kNotFound = 0xe00002f0;
constexpr uint32_t kUsageNotSupported = 24;

// A semaphore of the runtime bounds the requests in flight (specification 001; facts/e5rt_abi.md).
constexpr size_t kMostInFlight = 127;
constexpr uint64_t kUnsupportedUsage = 2;
// The limit for requests without chaining, the single path (facts/more/firmware_limits.csv).
constexpr size_t kMostOutputSets = 1;

constexpr std::string_view kGuide = "public guide, chapter 27";
constexpr std::string_view kNoSource = "no source";

constexpr Law kLaws[] = {
    {"sizes", "A call must have exactly the sizes of its method.", FactEvidence::kPublicNotes,
     kGuide},
    {"ambiguous", "Selector and size fit several methods, so the capture must name the client.",
     FactEvidence::kSpecification, "specification 000, table 23.14"},
    {"not-open", "A client must open the device before all other calls.",
     FactEvidence::kPublicNotes, "public listings of the system's client library"},
    {"usage", "Usage 2 is not supported.", FactEvidence::kPublicNotes, kGuide},
    {"open", "The reply to an open call repeats the caller's header.", FactEvidence::kPublicNotes,
     kGuide},
    {"firmware", "The call that loads firmware is a stub.", FactEvidence::kPublicNotes, kGuide},
    {"no-program", "A call must name a program that exists.", FactEvidence::kPublicNotes,
     "public guide, appendix C.3"},
    {"not-prepared", "A request must name a prepared program.", FactEvidence::kAssumed, kNoSource},
    {"in-flight", "At most 127 requests may be in flight.", FactEvidence::kSpecification,
     "specification 001, part 5; otherwise: the next request waits"},
    {"send", "The reply repeats sequence and token; the completion arrives on the wake port.",
     FactEvidence::kSpecification, "specification 000, below table 23.14"},
    {"output-sets",
     "At most one set of output buffers may wait for its inputs; chaining allows more.",
     FactEvidence::kPublicNotes,
     "facts/more/firmware_limits.csv (public guide, appendix C.5); that the inputs take it is "
     "assumed"},
    {"chaining-right", "Chaining requires the entitlement for data chaining.",
     FactEvidence::kPublicNotes, kGuide},
    {"chaining-cache", "A call that prepares chaining adds an entry to the chaining cache.",
     FactEvidence::kSpecification, "specification 000, below table 23.14"},
    {"chaining-empty", "A procedure must be in the chaining cache before it is made active.",
     FactEvidence::kAssumed, kNoSource},
    {"accepted", "The call has exactly the sizes of its method.", FactEvidence::kPublicNotes,
     kGuide},
};

const Law* LawOf(std::string_view id) {
  const auto* law = std::find_if(std::begin(kLaws), std::end(kLaws),
                                 [&](const Law& row) { return row.id == id; });
  return law;
}

Answer Refuse(uint32_t result, std::string_view law) { return {result, LawOf(law), {}}; }
Answer Accept(std::string_view law) { return {0, LawOf(law), {}}; }

size_t ClientOf(const Call& call) { return call.client; }

}  // namespace

std::span<const Law> Laws() { return kLaws; }

Answer Driver::Open(const Call& call) {
  if (Load(submission::device_open::kUsage, call.struct_in) == kUnsupportedUsage) {
    return Refuse(kUsageNotSupported, "usage");
  }
  open_[ClientOf(call)] = true;
  Answer answer = Accept("open");
  answer.struct_out.resize(call.struct_in.size());
  for (const RecordField& field :
       {submission::device_open::kCallback, submission::device_open::kReceiver,
        submission::device_open::kTimeout}) {
    submission::Store(field, answer.struct_out, Load(field, call.struct_in));
  }
  return answer;
}

Answer Driver::Close(const Call& call) {
  open_[ClientOf(call)] = false;
  return Accept("accepted");
}

Answer Driver::Create(const Call& /*call*/) {
  ++unnamed_programs_;
  return Accept("accepted");
}

Answer Driver::Prepare(const Call& call) {
  const uint64_t token = Load(submission::kProgramToken, call.struct_in);
  auto program = programs_.find(token);
  if (program == programs_.end()) {
    if (unnamed_programs_ == 0) return Refuse(kNotFound, "no-program");
    --unnamed_programs_;
    program = programs_.emplace(token, Program{}).first;
  }
  program->second.prepared = true;
  return Accept("accepted");
}

Answer Driver::Unprepare(const Call& call) {
  const auto program = programs_.find(Load(submission::kProgramToken, call.struct_in));
  if (program == programs_.end()) return Refuse(kNotFound, "no-program");
  program->second.prepared = false;
  return Accept("accepted");
}

Answer Driver::Destroy(const Call& call) {
  const uint64_t token = Load(submission::kProgramToken, call.struct_in);
  if (programs_.erase(token) > 0) return Accept("accepted");
  if (unnamed_programs_ == 0) return Refuse(kNotFound, "no-program");
  --unnamed_programs_;
  return Accept("accepted");
}

Answer Driver::Send(const Call& call) {
  const uint64_t token = Load(submission::program_request::kToken, call.struct_in);
  const auto program = programs_.find(token);
  if (program == programs_.end()) return Refuse(kNotFound, "no-program");
  if (!program->second.prepared) return Refuse(kNotFound, "not-prepared");
  if (wake_port_.size() == kMostInFlight) return Refuse(kNoResources, "in-flight");
  const uint64_t sequence = Load(submission::program_request::kSequence, call.struct_in);
  wake_port_.push_back({token, sequence});
  Answer answer = Accept("send");
  answer.struct_out.resize(submission::StructureOfName("program_reply")->size);
  submission::Store(submission::program_reply::kSequence, answer.struct_out, sequence);
  submission::Store(submission::program_reply::kToken, answer.struct_out, token);
  return answer;
}

Answer Driver::ChainingPrepare(const Call& /*call*/) {
  if (!rights_.data_chaining) return Refuse(kNotPrivileged, "chaining-right");
  ++chaining_entries_;
  return Accept("chaining-cache");
}

Answer Driver::ChainingSetActive(const Call& /*call*/) {
  if (!rights_.data_chaining) return Refuse(kNotPrivileged, "chaining-right");
  if (chaining_entries_ == 0) return Refuse(kNotFound, "chaining-empty");
  return Accept("accepted");
}

Answer Driver::EnqueueOutputs(const Call& /*call*/) {
  if (chaining_entries_ == 0 && output_sets_ == kMostOutputSets) {
    return Refuse(kNoResources, "output-sets");
  }
  ++output_sets_;
  return Accept("output-sets");
}

Answer Driver::InputsReady(const Call& /*call*/) {
  output_sets_ -= output_sets_ > 0 ? 1 : 0;
  return Accept("accepted");
}

Answer Driver::AnswerMethod(std::string_view method, const Call& call) {
  struct Row {
    std::string_view method;
    Answer (Driver::*take)(const Call& call);
  };
  constexpr Row kRows[] = {
      {"ANE_DeviceClose", &Driver::Close},
      {"ANE_ProgramCreate", &Driver::Create},
      {"ANE_ProgramCreateInstance", &Driver::Create},
      {"ANE_ProgramPrepare", &Driver::Prepare},
      {"ANE_ProgramUnprepare", &Driver::Unprepare},
      {"ANE_ProgramDestroy", &Driver::Destroy},
      {"ANE_ProgramSendRequest", &Driver::Send},
      {"ANE_ProgramOutputSetEnqueue", &Driver::EnqueueOutputs},
      {"ANE_ProgramInputsReady", &Driver::InputsReady},
      {"ANE_ProgramChainingPrepare", &Driver::ChainingPrepare},
      {"ANE_ProgramChainingSetActiveProcedure", &Driver::ChainingSetActive},
  };
  for (const Row& row : kRows) {
    if (row.method == method) return (this->*row.take)(call);
  }
  return Accept("accepted");
}

Answer Driver::Take(const Call& call) {
  if (call.client >= submission::kClientCount) return Refuse(kBadArgument, "sizes");
  const auto rows =
      submission::FindMethods(static_cast<submission::Client>(call.client), call.selector,
                              static_cast<uint32_t>(call.struct_in.size()));
  if (!rows.ok()) return Refuse(kBadArgument, "sizes");
  const bool counts = std::any_of(rows->begin(), rows->end(), [&](const submission::Method* row) {
    return row->scalars_in == submission::kUnstated || row->scalars_in == call.scalars_in.size();
  });
  if (!counts) return Refuse(kBadArgument, "sizes");
  const std::vector<std::string_view> names = submission::MethodNames(*rows);
  if (names.front() == "ANE_DeviceOpen") return Open(call);
  if (!open_[ClientOf(call)]) return Refuse(kNotOpen, "not-open");
  if (names.size() > 1) return Accept("ambiguous");
  if (names.front() == "ANE_LoadFirmware")
    return Refuse(submission::kReturnUnsupported, "firmware");
  return AnswerMethod(names.front(), call);
}

std::optional<Completion> Driver::NextCompletion() {
  if (wake_port_.empty()) return std::nullopt;
  const Completion first = wake_port_.front();
  wake_port_.pop_front();
  return first;
}

}  // namespace anecheck::driver
