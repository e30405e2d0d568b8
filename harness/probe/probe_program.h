// A program for runtime probes, compiled and loaded by e5rt calls, with its own stream. Callers
// bind its ports and events first. The first run encodes the program.
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

// Returns a MIL program with one function `main` and the output `y`.
std::string ProbeText(std::string_view parameters, std::string_view statements);
// Returns y = x + 1 with four elements, which every compiler that takes MIL compiles.
std::string PlainProbeText();

// Whether the target is passed to the compiler. kWhereNeeded passes it unless the engine is the
// system's, which compiles for its own chip (see TargetOption). kAlways passes it to any engine.
enum class NamesTarget : uint8_t { kWhereNeeded, kAlways };

// Not thread-safe. The destructor releases everything in the order of specification 001.
class ProbeProgram {
 public:
  // The text is MIL, or a network description with its `weights`. If a call fails, failed() is its
  // name; otherwise it is empty.
  ProbeProgram(const E5rtLibrary& engine, std::string_view target, const std::string& mil,
               uint64_t mask = 4, std::span<const uint8_t> weights = {},
               NamesTarget names_target = NamesTarget::kWhereNeeded);
  ~ProbeProgram();
  ProbeProgram(const ProbeProgram&) = delete;
  ProbeProgram& operator=(const ProbeProgram&) = delete;

  bool compiled() const { return library_ != nullptr; }
  const std::string& failed() const { return failed_; }
  const std::string& message() const { return message_; }  // the engine's, of the failed call

  // Bind binds a new buffer of `bytes` bytes to the port. Share binds the buffer of the port
  // `shared`, which belongs to this program or to `other`. Both return the memory of the buffer, or
  // null on failure. Bindings cannot change after the program is encoded.
  void* Bind(const std::string& port, bool output, size_t bytes);
  void* Share(const std::string& port, bool output, const std::string& shared);
  void* Share(const std::string& port, bool output, const std::string& shared,
              const ProbeProgram& other);
  // Binds a new completion event to the operation. The destructor releases it. Null on failure.
  void* BindEvent(const E5rtStreamApi& streams);
  // Encodes the operation of `other` after the operation of this program, in this program's stream.
  // Precondition: the ports of `other` are bound.
  bool Encode(ProbeProgram& other);
  bool Execute();
  // `block` is an Objective-C block. The program must not be destroyed before the request is
  // complete.
  bool Submit(const E5rtStreamApi& streams, void* block);

  // Returns the handle of a bound port's buffer; null for other ports.
  void* buffer(const std::string& port) const;
  void* operation() const { return operation_; }
  void* function() const { return function_; }
  void* stream() const { return stream_; }
  std::string folder() const;  // of the program's files
  // The folder that contains only the compiler's bundle.
  const std::string& bundle() const { return bundle_.path(); }
  // Returns the backend that the bundle's analytics name. Empty if there are no analytics, if they
  // name no backend, or if the probe runs on another engine but the simulated engine wrote them.
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

// Return an error of kind kUnsupported with the name of the failed call and the engine's message.
// Broken is for a call of the program, and CallFailed is for any other call.
Error Broken(const ProbeProgram& program);
Error CallFailed(const E5rtLibrary& engine, std::string_view call);

// Removes the files of a program and leaks the program. It is for a program that cannot be released
// because a request may still be in flight.
void Abandon(std::unique_ptr<ProbeProgram> program);

// Returns whether the compiler refused `asked` because of the tested feature. `control` is a
// program without that feature, which must have compiled. Errors: kUnsupported if the compiler
// refused `control` too, or if a call before the compiler failed.
Result<bool> CompilerRefused(const ProbeProgram& asked, const ProbeProgram& control);

}  // namespace anecheck
