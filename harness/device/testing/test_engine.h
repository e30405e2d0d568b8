// Drives libanecheck_espresso.so in tests as a runner does: by dlopen, dlsym and the call sequence
// of specification 001, section 2.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/half.h"
#include "harness/device/e5rt/api.h"
#include "harness/device/simulator_control.h"

namespace anecheck::device::testing {

// Returns the address of a symbol of the library. The library is opened at first use and stays
// open.
void* EngineSymbol(const char* name);

// The function of the library, used as in ENGINE(e5rt_execution_stream_create)(&stream).
#define ENGINE(function) \
  (*reinterpret_cast<decltype(&function)>(::anecheck::device::testing::EngineSymbol(#function)))

// Returns the last error message of this thread.
std::string LastMessage();

// Returns a MIL program of one function. Parameters, statements and outputs are MIL text.
std::string MilProgram(std::string_view parameters, std::string_view statements,
                       std::string_view outputs);

using Halves = std::vector<Half>;
Halves ToHalves(const std::vector<double>& values);
std::vector<double> ToDoubles(const Halves& values);

// A compiled and loaded program with buffers and a separate stream. The program is encoded on the
// stream before its first run, and released with the object. `error` is the engine's message if any
// step failed.
class LoadedProgram {
 public:
  struct Options {
    std::string target = "h13";
    uint64_t mask = 4;
    std::string bundle;        // folder for the compiler's files; empty for none
    std::string model_folder;  // folder into which the text is written; empty for a temporary file
  };
  LoadedProgram(const std::string& mil, const Options& options);
  explicit LoadedProgram(const std::string& mil) : LoadedProgram(mil, Options{}) {}
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }

  // Binds a new buffer of that size to the port and returns its memory, or null on failure. If the
  // program has run, the call first resets its stream, because encoded operations keep their
  // bindings.
  void* Bind(const std::string& port, bool output, size_t bytes);
  // Binds a buffer that is already bound to another port.
  bool Share(const std::string& port, bool output, void* buffer);
  void* buffer(const std::string& port) const { return buffers_.at(port); }

  // Encodes the program on its stream unless it is encoded. Execute calls this function itself.
  int64_t Encode();
  int64_t Execute();
  void* operation() const { return operation_; }
  void* stream() const { return stream_; }

 private:
  bool Check(int64_t code);
  bool MayBind();
  void Load(const std::string& mil, const Options& options);

  std::string error_;
  void* config_ = nullptr;
  void* compiler_ = nullptr;
  void* options_ = nullptr;
  void* library_ = nullptr;
  void* function_ = nullptr;
  void* op_options_ = nullptr;
  void* operation_ = nullptr;
  void* stream_ = nullptr;
  bool encoded_ = false;
  std::vector<void*> ports_;
  std::vector<void*> owned_;
  std::map<std::string, void*> buffers_;
};

// Runs a program once. Inputs are raw bytes by port, and outputs are raw bytes of the requested
// sizes. Fails the test and returns nothing if the engine refuses the program.
using PortBytes = std::map<std::string, std::vector<uint8_t>>;
PortBytes RunBytes(const std::string& mil, const PortBytes& inputs,
                   const std::map<std::string, size_t>& outputs, const std::string& target);

// Runs a program with fp16 inputs and one fp16 output called "y".
Halves RunHalves(const std::string& mil, const std::map<std::string, Halves>& inputs, size_t count,
                 const std::string& target = "h13");

// Returns the message with which the compiler refuses a program. Empty if the program compiles.
std::string CompileError(const std::string& mil, const std::string& target = "h13",
                         uint64_t mask = 4);

// Resets all settings of the engine before and after a test.
class CleanSettings {
 public:
  CleanSettings() { ENGINE(anecheck_sim_reset)(); }
  ~CleanSettings() { ENGINE(anecheck_sim_reset)(); }
};

}  // namespace anecheck::device::testing
