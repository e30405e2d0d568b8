#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <thread>
#include <unistd.h>

#include "harness/runners/e5rt_engine.h"
#include "harness/runners/exec_program.h"
#include "harness/runners/worker.h"
#include "harness/runners/worker_channel.h"
#include "harness/runners/worker_conduct.h"

namespace anecheck {
namespace {

// The descriptors that the campaign's spawn sets up.
constexpr int kMemoryDescriptor = 3;
constexpr int kSocketDescriptor = 4;

// Arguments: the library, then pairs of a setting and its value.
constexpr int kLibrary = 2;
constexpr int kFirstSetting = 3;

// The worker asks to be replaced when it has this many programs that could not be released.
constexpr int kMostLeaked = 120;

bool PutReply(WorkerChannel& channel, const WireReply& reply) {
  ChannelHeader& header = channel.header();
  const uint64_t at = header.reply_bytes.load();
  AreaWriter writer(channel.replies().subspan(std::min(at, channel.area_size())));
  WriteReply(reply, writer);
  if (!writer.fits()) return false;
  header.reply_bytes.store(at + writer.size());
  header.completed.fetch_add(1);
  return true;
}

// Switches the quirk, or the reading of an unclear source (simulator_control.h), with this id.
bool Switch(const SimulatorApi& simulator, const char* id, bool on) {
  return simulator.set_quirk(id, on ? 1 : 0) == 0 || simulator.set_reading(id, on ? 1 : 0) == 0;
}

Result<E5rtLibrary> OpenConfigured(int argc, char** argv) {
  if (argc < kFirstSetting) {
    return MakeError(ErrorCode::kInvalid, "worker: no library was named");
  }
  ANECHECK_ASSIGN(E5rtLibrary library, OpenE5rtLibrary(argv[kLibrary]));
  for (int i = kFirstSetting; i + 1 < argc; i += 2) {
    const std::string_view what = argv[i];
    if (what == "target" || what == "probe" || what == "folder" || what == "serve") continue;
    if (!library.simulated()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{} is not the simulated engine: it takes no quirks or faults, "
                                   "and its compiler's files are unknown",
                                   library.path));
    }
    if (what == "files" || what == "mark") continue;
    const bool known = what == "fault" ? library.simulator.enable_fault(argv[i + 1]) == 0
                                       : Switch(library.simulator, argv[i + 1], what == "quirk-on");
    if (!known) {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format("the simulated engine knows no {} \"{}\"; `anecheck power --list` names all",
                      what == "fault" ? "fault" : "quirk", argv[i + 1]));
    }
  }
  return library;
}

// Announces this worker to the campaign. The message is one byte for success or failure, one byte
// for the kind of engine, the text, and the file from which the engine was loaded.
void Announce(WorkerChannel& channel, bool well, EngineKind kind, std::string_view text,
              const EngineFile& file = {}) {
  ByteWriter writer;
  writer.U8(well ? 1 : 0);
  writer.U8(static_cast<uint8_t>(kind));
  writer.CString(text);
  WriteEngineFile(file, writer);
  std::memcpy(channel.replies().data(), writer.bytes().data(), writer.size());
  channel.header().reply_bytes.store(writer.size());
  channel.Signal('H');
}

// Runs a batch and returns the byte for the campaign: 'D' for done, 'R' if the worker should be
// replaced, 'S' if a fresh worker must try the last case again.
char RunBatch(WorkerChannel& channel, E5rtEngine& engine, WorkerConduct& conduct) {
  ChannelHeader& header = channel.header();
  ByteReader reader(channel.requests().first(header.request_bytes.load()));
  const uint32_t count = header.request_count.load();
  for (uint32_t i = 0; i < count; ++i) {
    const Result<WireRequest> request = ReadRequest(reader);
    WireReply reply;
    if (request.ok()) {
      reply = engine.Run(*request, header.step);
      conduct.Note(reply);
    } else {
      reply.message = request.error().message;
    }
    header.step = Step::kNone;
    if (!PutReply(channel, reply)) return 'R';
    if (reply.slots_spent) return 'S';
  }
  return engine.leaked_programs() < kMostLeaked ? 'D' : 'R';
}

// Returns the value of the setting `what`; empty if it is not given.
std::string_view ArgumentOf(int argc, char** argv, std::string_view what) {
  for (int i = kFirstSetting; i + 1 < argc; i += 2) {
    if (argv[i] == what) return argv[i + 1];
  }
  return {};
}

// Ends this process when its campaign has ended, even if the engine hangs in a case.
void EndWithCampaign(const WorkerChannel& channel, const std::string& folder) {
  if (!channel.WaitForEnd()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  _exit(0);
}

int RunProbe(int argc, char** argv, std::string_view name, ProbeMain probe) {
  const Result<E5rtLibrary> library = OpenConfigured(argc, argv);
  if (!library.ok()) {
    std::fprintf(stderr, "%s\n", library.error().message.c_str());
    return 2;
  }
  return probe(*library, ArgumentOf(argc, argv, "target"), name);
}

int RunExecProgram(int argc, char** argv) {
  const Result<E5rtLibrary> library = OpenConfigured(argc, argv);
  Result<TempDirectory> folder = TempDirectory::Create("anecheck-program-");
  if (!library.ok() || !folder.ok()) {
    const Error& error = library.ok() ? folder.error() : library.error();
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 2;
  }
  E5rtEngine engine(*library, std::move(folder).value());
  return ServeExec(std::cin, std::cout, engine);
}

}  // namespace

int WorkerMain(int argc, char** argv, ProbeMain probe) {
  const std::string_view name = ArgumentOf(argc, argv, "probe");
  if (!name.empty() && probe != nullptr) return RunProbe(argc, argv, name, probe);
  if (ArgumentOf(argc, argv, "serve") == "exec") return RunExecProgram(argc, argv);
  Result<WorkerChannel> channel = WorkerChannel::Attach(kMemoryDescriptor, kSocketDescriptor);
  if (!channel.ok()) {
    std::fprintf(stderr, "%s\n", channel.error().message.c_str());
    return 3;
  }
  const Result<E5rtLibrary> library = OpenConfigured(argc, argv);
  if (!library.ok()) {
    Announce(*channel, false, EngineKind::kOther, library.error().message);
    return 2;
  }
  const std::string_view folder = ArgumentOf(argc, argv, "folder");
  if (folder.empty()) {
    Announce(*channel, false, EngineKind::kOther, "worker: no folder for its files was named");
    return 2;
  }
  // If a worker is killed, the campaign removes the worker's folder. If the campaign is killed, the
  // worker removes the folder here.
  E5rtEngine engine(*library, TempDirectory::Adopt(std::string(folder)),
                    ArgumentOf(argc, argv, "files") == "keep");
  std::thread(EndWithCampaign, std::cref(*channel), std::string(folder)).detach();
  const bool hidden = ArgumentOf(argc, argv, "mark") == "hide";
  Announce(*channel, true, hidden ? EngineKind::kOther : KindOf(*library), EngineText(*library),
           library->file);
  WorkerConduct conduct;
  for (;;) {
    const int what = channel->Wait(-1);
    if (what == 0) continue;
    if (what != 'B') return 0;
    if (!channel->Signal(RunBatch(*channel, engine, conduct))) return 0;
  }
}

}  // namespace anecheck
