// How fast descriptors and modules are verified, beside the FlatBuffers library's own verifier on
// the same bytes in the same run. Three things are measured of each file: `library` is the verifier
// that flatc generates; `same_checks` is this project's check of everything that the library checks
// (and of four things that it does not, see ShapeCheck); `all_rules` is `inspect --verify` without
// the printing: these checks and every rule of the format.
#include <benchmark/benchmark.h>
#include <fstream>
#include <iterator>

#include "generated/flatbuffer_schemas/e5_schema/e5_generated.h"
#include "generators/formats/e5/e5_generator.h"
#include "generators/formats/vmfb/vmfb_generator.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/vmfb/module_writer.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck {
namespace {

const Bytes& Descriptor() {
  static const Bytes bytes = [] {
    ChoiceStream choices = ChoiceStream::FromSeed(1);
    e5::Outline outline = GenerateE5Outline(choices);
    outline.segments = 8;
    return e5::Write(e5::MakeProgram(outline)).value();
  }();
  return bytes;
}

const Bytes& Module() {
  static const Bytes bytes = [] {
    ChoiceStream choices = ChoiceStream::FromSeed(1);
    return Generate2019Module(choices, 200);
  }();
  return bytes;
}

void Count(benchmark::State& state, const Bytes& bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes.size()));
}

void E5Library(benchmark::State& state) {
  const Bytes& bytes = Descriptor();
  for (auto _ : state) {
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    bool sound = e5::wire::VerifyE5ProgramBuffer(verifier);
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(E5Library)->Name("e5/library");

void E5SameChecks(benchmark::State& state) {
  const Bytes& bytes = Descriptor();
  for (auto _ : state) {
    bool sound = !flatbuffer::CheckShape(e5::WireSchema(), bytes);
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(E5SameChecks)->Name("e5/same_checks");

void E5AllRules(benchmark::State& state) {
  const Bytes& bytes = Descriptor();
  for (auto _ : state) {
    bool sound = kFormat_e5.verify(bytes).value().empty();
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(E5AllRules)->Name("e5/all_rules");

// Modules in archives are left out: the library's verifier wants a buffer of its own, and theirs
// begins behind a size prefix that counts itself.
bool LibraryAccepts(const vmfb::Module& module) {
  if (module.is_archive || module.form->name != "2019-12") return false;
  flatbuffers::Verifier verifier(module.buffer().data(), module.buffer().size());
  return iree::vm::form_2019_12::VerifyBytecodeModuleDefBuffer(verifier);
}

void VmfbLibrary(benchmark::State& state, const Bytes& bytes) {
  const vmfb::Module module = vmfb::Open(bytes).value();
  for (auto _ : state) {
    bool sound = LibraryAccepts(module);
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}

void VmfbSameChecks(benchmark::State& state, const Bytes& bytes) {
  const vmfb::Module module = vmfb::Open(bytes).value();
  for (auto _ : state) {
    bool sound = !flatbuffer::CheckShape(module.form->schema, module.buffer(),
                                         {.start = module.start - module.origin()});
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}

void VmfbAllRules(benchmark::State& state, const Bytes& bytes) {
  for (auto _ : state) {
    bool sound = kFormat_vmfb.verify(bytes).value().empty();
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}

void Register(const std::string& name, const Bytes& bytes) {
  benchmark::RegisterBenchmark((name + "/library").c_str(),
                               [&bytes](benchmark::State& state) { VmfbLibrary(state, bytes); });
  benchmark::RegisterBenchmark((name + "/same_checks").c_str(),
                               [&bytes](benchmark::State& state) { VmfbSameChecks(state, bytes); });
  benchmark::RegisterBenchmark((name + "/all_rules").c_str(),
                               [&bytes](benchmark::State& state) { VmfbAllRules(state, bytes); });
}

// One generated module of 200 functions of some 50 bytes, which is nearly all structure, and the
// real modules where ANECHECK_REAL_DATA has them.
[[maybe_unused]] const bool kRegistered = [] {
  Register("vmfb", Module());
  static std::vector<Bytes> real;
  const std::vector<std::string> paths = testing::FilesUnder(testing::RealDataPath("vmfb"));
  real.reserve(paths.size());
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    real.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    const Result<vmfb::Module> module = vmfb::Open(real.back());
    if (!module.ok() || !LibraryAccepts(*module)) continue;
    Register("vmfb/" + path.substr(path.find_last_of('/') + 1), real.back());
  }
  return true;
}();

}  // namespace
}  // namespace anecheck
