#include "harness/runners/testing/hostile_runner.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/formats/mlmodel/program_text.h"
#include "harness/formats/npz/npz.h"
#include "harness/models/package.h"

namespace anecheck::testing {
namespace {

[[noreturn]] void SleepForEver() {
  for (;;) pause();
}

void Say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void SayLine(const Json& json) { Say(DumpJson(json) + "\n"); }

Json Reply(const Json& request, const char* status) {
  return {{"v", 1}, {"id", request["id"]}, {"status", status}};
}

std::string Text(const Json& request, const char* member) {
  return request[member].get<std::string>();
}

npz::NamedArray CopyOfInput(const Json& request) {
  auto arrays = npz::ReadNpzFile(Text(request, "inputs"));
  npz::NamedArray array = arrays.ok() ? (*arrays)[0] : npz::NamedArray{};
  array.name = "y";
  return array;
}

void WriteOutput(const Json& request, const npz::NamedArray& array) {
  const npz::NamedArray arrays[] = {array};
  if (!npz::WriteNpzFile(Text(request, "outputs"), arrays).ok()) std::abort();
}

void Copy(const Json& request) { WriteOutput(request, CopyOfInput(request)); }

// Writes the outputs of both executions. `other` changes the second byte of the output of the
// second execution.
void CopyTwice(const Json& request, bool other) {
  Copy(request);
  npz::NamedArray array = CopyOfInput(request["second"]);
  if (other) array.array.data[1] ^= 1;
  WriteOutput(request["second"], array);
  SayLine(Reply(request, "ok"));
}

void WriteProof(const Json& request, const std::string& name, std::string_view text) {
  Copy(request);
  const std::string folder = std::filesystem::path(Text(request, "outputs")).parent_path();
  const std::string path = folder + "/" + name;
  if (!WriteFileAtomic(path, text).ok()) std::abort();
  Json reply = Reply(request, "ok");
  reply["proof"] = path;
  reply["backend"] = "ane";
  SayLine(reply);
}

// Adds a run on the CPU and a plan to the reply.
void CopyBeside(const Json& request, const char* name, const std::string& path) {
  Copy(request);
  npz::NamedArray array = CopyOfInput(request);
  array.name = name;
  const npz::NamedArray arrays[] = {array};
  if (!npz::WriteNpzFile(path, arrays).ok()) std::abort();
  Json reply = Reply(request, "ok");
  reply["cpu_outputs"] = path;
  reply["plan"] = Json::array({Json{{"op", "relu"}, {"name", "y"}, {"device", "cpu"}}});
  SayLine(reply);
}

// Replies with the text of the package instead of running it.
void SayPackage(const Json& request) {
  const auto place = FindModel(Text(request, "mlpackage"));
  const auto bytes = place.ok() ? ReadTextFile(place->file) : Result<std::string>(place.error());
  const auto model =
      bytes.ok() ? mlmodel::ReadModel(*bytes) : Result<mlmodel::Model>(bytes.error());
  const auto text =
      model.ok() ? mlmodel::ProgramText(model->program) : Result<std::string>(model.error());
  Json reply = Reply(request, "rejected");
  reply["stage"] = "frontend";
  reply["message"] = text.ok() ? *text : text.error().message;
  SayLine(reply);
}

constexpr std::string_view kAnalytics =
    "program(1.3)\n{\n y = relu(x = x)[SelectedBackend = string(\"ane\")];\n}\n";
// A minimal text that names a backend. A program can write it without an engine.
constexpr std::string_view kMarker = "program(1.0) { SelectedBackend = string(\"ane\") }";

void Dribble(const Json& request) {
  Copy(request);
  for (const char c : DumpJson(Reply(request, "ok")) + "\n") {
    Say(std::string_view(&c, 1));
    // Waits by the clock: the test needs a program that writes slowly.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void EatMemory() {
  // More than the test allows, but less than a machine has.
  std::vector<std::vector<char>> held;
  constexpr int kBlocks = 32;
  held.reserve(kBlocks);
  for (int i = 0; i < kBlocks; ++i) held.emplace_back(size_t{16} << 20, 'x');
  SleepForEver();
}

using Act = std::function<void(const Json&)>;

const std::map<std::string, Act>& WordsThatEnd() {
  static const auto* words = new std::map<std::string, Act>{
      {"SLEEP",
       [](const Json& request) {
         const std::filesystem::path outputs = Text(request, "outputs");
         if (!WriteFileAtomic((outputs.parent_path() / "asleep").string(), "").ok()) std::abort();
         SleepForEver();
       }},
      {"EXIT",
       [](const Json&) {
         std::fprintf(stderr, "first words\nlast words\n");
         std::exit(7);
       }},
      {"ABORT", [](const Json&) { std::abort(); }},
      {"EAT", [](const Json&) { EatMemory(); }},
      {"PARTIAL",
       [](const Json& request) {
         Say("{\"v\": 1, \"id\": " + request["id"].dump());
         std::exit(0);
       }},
  };
  return *words;
}

const std::map<std::string, Act>& WordsThatAnswer() {
  static const auto* words = new std::map<std::string, Act>{
      {"GARBAGE", [](const Json&) { Say("\x01\xff no JSON\n"); }},
      {"NUMBER", [](const Json&) { Say("42\n"); }},
      {"HUGE", [](const Json&) { Say(std::string((size_t{1} << 20) + 1, 'x')); }},
      {"DRIBBLE", Dribble},
      {"OTHER_ID",
       [](const Json& request) {
         Json reply = Reply(request, "ok");
         reply["id"] = request["id"].get<uint64_t>() + 1;
         SayLine(reply);
       }},
      {"TWICE",
       [](const Json& request) {
         Copy(request);
         const std::string line = DumpJson(Reply(request, "ok")) + "\n";
         Say(line + line);
       }},
      {"AHEAD",
       [](const Json& request) {
         Copy(request);
         Json next = Reply(request, "ok");
         next["id"] = request["id"].get<uint64_t>() + 1;
         Say(DumpJson(Reply(request, "ok")) + "\n" + DumpJson(next) + "\n");
       }},
      {"BANNER",
       [](const Json& request) {
         Copy(request);
         Say(DumpJson(Reply(request, "ok")) + "\ndone with that\n");
       }},
      {"AGAIN",
       [](const Json& request) {
         Copy(request);
         Json before = Reply(request, "rejected");
         before["id"] = request["id"].get<uint64_t>() - 1;
         before["stage"] = "hal";
         SayLine(before);
         SayLine(Reply(request, "ok"));
       }},
      {"AFTERWARDS",
       [](const Json& request) {
         Copy(request);
         const Json reply = Reply(request, "ok");
         SayLine(reply);
         // Waits by the clock: nothing tells the program when its reader has taken the reply.
         std::this_thread::sleep_for(std::chrono::milliseconds(100));
         SayLine(reply);
       }},
      {"CHATTER",
       [](const Json& request) {
         Copy(request);
         SayLine(Reply(request, "ok"));
         // Waits by the clock: nothing tells the program when its reader has taken the reply.
         std::this_thread::sleep_for(std::chrono::milliseconds(100));
         Say("done with that\n");
       }},
      {"LATE",
       [](const Json& request) {
         Copy(request);
         // Waits by the clock: the test needs a reply after the time limit.
         std::this_thread::sleep_for(std::chrono::milliseconds(1500));
         SayLine(Reply(request, "ok"));
       }},
      {"FLOOD",
       [](const Json& request) {
         Copy(request);
         Say(DumpJson(Reply(request, "ok")) + "\nmore and more\n");
         for (int i = 0; i < 1000; ++i) Say("more and more\n");
       }},
      {"STATUS", [](const Json& request) { SayLine(Reply(request, "splendid")); }},
      {"STAGE",
       [](const Json& request) {
         Json reply = Reply(request, "rejected");
         reply["stage"] = "nowhere";
         SayLine(reply);
       }},
      {"REJECT",
       [](const Json& request) {
         Json reply = Reply(request, "rejected");
         reply["stage"] = "validator";
         reply["message"] = "not\nsupported";
         SayLine(reply);
       }},
      {"FAIL",
       [](const Json& request) {
         Json reply = Reply(request, "failed");
         reply["stage"] = "load";
         SayLine(reply);
       }},
      {"NO_FILE", [](const Json& request) { SayLine(Reply(request, "ok")); }},
      {"PIPE",
       [](const Json& request) {
         mkfifo(Text(request, "outputs").c_str(), 0600);
         SayLine(Reply(request, "ok"));
       }},
      {"HUGE_FILE",
       [](const Json& request) {
         std::ofstream(Text(request, "outputs")) << "PK";
         std::filesystem::resize_file(Text(request, "outputs"), uintmax_t{1} << 33);
         SayLine(Reply(request, "ok"));
       }},
      {"NO_NPZ",
       [](const Json& request) {
         std::ofstream(Text(request, "outputs")) << "these are no arrays";
         SayLine(Reply(request, "ok"));
       }},
      {"SHAPE",
       [](const Json& request) {
         npz::NamedArray array = CopyOfInput(request);
         array.array.shape = {4, 1};
         WriteOutput(request, array);
         SayLine(Reply(request, "ok"));
       }},
      {"TYPE",
       [](const Json& request) {
         npz::NamedArray array = CopyOfInput(request);
         array.array.type = npz::ElementType::kInt16;
         WriteOutput(request, array);
         SayLine(Reply(request, "ok"));
       }},
      {"NAME",
       [](const Json& request) {
         npz::NamedArray array = CopyOfInput(request);
         array.name = "z";
         WriteOutput(request, array);
         SayLine(Reply(request, "ok"));
       }},
      {"SECOND", [](const Json& request) { CopyTwice(request, false); }},
      {"SECOND_OTHER", [](const Json& request) { CopyTwice(request, true); }},
      {"CLAIM",
       [](const Json& request) {
         Copy(request);
         Json reply = Reply(request, "ok");
         reply["backend"] = "ane";
         SayLine(reply);
       }},
      {"PROOF", [](const Json& request) { WriteProof(request, "analytics.mil", kAnalytics); }},
      {"PROOF_MARKER", [](const Json& request) { WriteProof(request, "analytics.mil", kMarker); }},
      {"PROOF_EMPTY",
       [](const Json& request) { WriteProof(request, "analytics.mil", "program(1.3) {}"); }},
      {"PROOF_SIMULATED",
       [](const Json& request) {
         WriteProof(request, "analytics.mil",
                    std::string(kAnalytics) + "// anecheck simulated engine");
       }},
      {"CPU",
       [](const Json& request) { CopyBeside(request, "y", Text(request, "outputs") + ".cpu"); }},
      {"CPU_NAME",
       [](const Json& request) { CopyBeside(request, "z", Text(request, "outputs") + ".cpu"); }},
      {"CPU_ELSEWHERE",
       [](const Json& request) {
         const std::string folder = std::filesystem::path(Text(request, "outputs")).parent_path();
         std::filesystem::create_directory(folder + "/deep");
         CopyBeside(request, "y", folder + "/deep/cpu.npz");
       }},
      {"PROOF_ELSEWHERE",
       [](const Json& request) {
         const std::string folder = std::filesystem::path(Text(request, "outputs")).parent_path();
         std::filesystem::create_directory(folder + "/deep");
         WriteProof(request, "deep/analytics.mil", kAnalytics);
       }},
  };
  return *words;
}

void Hello(const std::string& word, const char* file) {
  if (word == "silent") SleepForEver();
  const bool again = file != nullptr && std::filesystem::exists(file);
  if (word == "gone" || (word == "once" && again)) {
    std::fprintf(stderr, "no engine here\n");
    std::exit(3);
  }
  if (word == "once") std::ofstream(file) << "x";
  Json hello = {{"v", 1}, {"name", word == "nameless" ? "" : "hostile"}, {"version", "2"}};
  if (word == "h17s") hello["targets"] = Json::array({"H17S"});
  if (word == "packages") hello["models"] = Json::array({"mlpackage"});
  if (word == "batch") hello.update({{"v", 2}, {"batch", 4}, {"second", true}});
  if (word == "silicon") hello.update({{"chip", "M1"}, {"os", "macOS 15"}});
  const bool chatty = word == "chatty";
  Say(DumpJson(hello) + (chatty ? "\nready when you are\n" : "\n"));
}

// Answers a case of a request with `together` cases. Returns false if it cannot be read.
bool Answer(const Json& request, const std::string& word, const char* log, size_t together) {
  if (log != nullptr && (word == "log" || word == "batch")) {
    std::ofstream(log, std::ios::app)
        << request["id"] << (request.contains("ranged_mil") ? " ranged" : "")
        << (together > 1 ? " together\n" : "\n");
  }
  if (word == "packages") {
    SayPackage(request);
    return true;
  }
  const auto mil = ReadTextFile(Text(request, "mil"));
  if (!mil.ok()) return false;
  if (*mil == "ONCE" && !std::filesystem::exists(log + std::string(".once"))) {
    std::ofstream(log + std::string(".once")) << "x";
    std::abort();
  }
  if (const auto end = WordsThatEnd().find(*mil); end != WordsThatEnd().end()) {
    end->second(request);
  } else if (const auto act = WordsThatAnswer().find(*mil); act != WordsThatAnswer().end()) {
    act->second(request);
  } else {
    Copy(request);
    SayLine(Reply(request, "ok"));
  }
  return true;
}

}  // namespace

int HostileMain(int argc, char** argv) {
  const std::string word = argc > 2 ? argv[2] : "well";
  for (std::string line; std::getline(std::cin, line);) {
    const Result<Json> request = ParseJson(line);
    if (!request.ok()) return 2;
    if (request->contains("hello")) {
      Hello(word, argc > 3 ? argv[3] : nullptr);
      continue;
    }
    const Json cases = request->value("cases", Json::array({*request}));
    for (const Json& item : cases) {
      if (!Answer(item, word, argc > 3 ? argv[3] : nullptr, cases.size())) return 2;
    }
  }
  return 0;
}

}  // namespace anecheck::testing
