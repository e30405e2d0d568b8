// One program of the e5rt calls, compiled and loaded, with a stream of its own, for runtime probes.
// Its ports and events are bound first; it is encoded when it is first to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/result.h"
#include "harness/runners/bundle_folder.h"
#include "harness/runners/e5rt_library.h"
#include "harness/verdict/run_status.h"

namespace anecheck {

// A MIL program of one function `main` with output `y`.
std::string ProbeText(std::string_view parameters, std::string_view statements);
// y = x + 1 of four elements, which every compiler that takes MIL at all compiles.
std::string PlainProbeText();

// When the compiler is given the target: unless the engine is the system's, which compiles for its
// own chip (see TargetOption), or in any case.
enum class NamesTarget : uint8_t { kWhereNeeded, kAlways };

// Not thread-safe. Everything is released, in the order of specification 001, with the object.
class ProbeProgram {
 public:
  // The text is MIL, or a network description with its `weights`. `failed` names the call that did
  // not succeed; empty where all did.
  ProbeProgram(const E5rtLibrary& engine, std::string_view target, const std::string& mil,
               uint64_t mask = 4, std::span<const uint8_t> weights = {},
               NamesTarget names_target = NamesTarget::kWhereNeeded);
  ~ProbeProgram();
  ProbeProgram(const ProbeProgram&) = delete;
  ProbeProgram& operator=(const ProbeProgram&) = delete;

  bool compiled() const { return library_ != nullptr; }
  const std::string& failed() const { return failed_; }
  const std::string& message() const { return message_; }  // the engine's, of the failed call

  // Binds a new buffer of `bytes` to the port, or the one that port `shared` has, here or in
  // another program. Null where it fails. Nothing is bound any more once the program was encoded.
  void* Bind(const std::string& port, bool output, size_t bytes);
  void* Share(const std::string& port, bool output, const std::string& shared);
  void* Share(const std::string& port, bool output, const std::string& shared,
              const ProbeProgram& other);
  // A new completion event of the operation, released with the program. Null where it fails.
  void* BindEvent(const E5rtStreamApi& streams);
  // Encodes another program's operation, whose ports are bound, behind this one's.
  bool Encode(ProbeProgram& other);
  bool Execute();
  // `block` is an Objective-C block. The program must not go before the request is done.
  bool Submit(const E5rtStreamApi& streams, void* block);

  // Of a port that is bound; null for any other.
  void* buffer(const std::string& port) const;
  void* operation() const { return operation_; }
  void* function() const { return function_; }
  void* stream() const { return stream_; }
  std::string folder() const;  // of the program's files
  // The folder that holds the compiler's bundle, and nothing else.
  const std::string& bundle() const { return bundle_.path(); }
  // The backend that the bundle's analytics name; empty where they name none, there are none, or
  // the simulated engine wrote them for another.
  std::string SelectedBackend();

 private:
  bool Check(int64_t code, std::string_view what);
  Status Write(const std::string& path, const std::string& mil,
               std::span<const uint8_t> weights) const;
  // `architecture`: the compiler's option; null for none.
  void Load(const char* architecture, const std::string& mil, uint64_t mask,
            std::span<const uint8_t> weights);
  bool Compile(const std::string& path);
  bool EncodeOnce(void* operation, bool& encoded);
  void* BindBuffer(const std::string& port, bool output, void* buffer);

  const E5rtApi& api_;
  bool simulated_;
  Result<TempDirectory> folder_;
  BundleFolder bundle_;
  std::string failed_, message_;
  void* config_ = nullptr;
  void* compiler_ = nullptr;
  void* options_ = nullptr;
  void* library_ = nullptr;
  void* function_ = nullptr;
  void* op_options_ = nullptr;
  void* operation_ = nullptr;
  void* stream_ = nullptr;
  bool encoded_ = false;
  std::vector<void*> ports_, owned_, events_;
  int64_t (*event_release_)(void** event) = nullptr;
  std::map<std::string, void*> buffers_;
};

// kUnsupported, with the call of the program that did not succeed and the engine's words; or with
// those of a call that is not the program's.
Error Broken(const ProbeProgram& program);
Error CallFailed(const E5rtLibrary& engine, std::string_view call);

// For a program that cannot be released because a request may still be in flight: removes its
// files and leaves the rest to the end of the process.
void Abandon(std::unique_ptr<ProbeProgram> program);

// Whether the compiler refused `asked` because of the feature in question: it compiled `control`, a
// program without that. Errors: kUnsupported if nothing can be decided, because the control was
// refused as well or because a call before the compiler failed.
Result<bool> CompilerRefused(const ProbeProgram& asked, const ProbeProgram& control);

}  // namespace anecheck
