// Measures how fast descriptors and modules are verified, and compares this with the FlatBuffers
// library's own verifier on the same bytes in the same run. Three benchmarks run for each set of
// files. `library` is the verifier that flatc generates. `same_checks` is this project's check of
// everything that the library checks, and of four properties that it does not check (see
// ShapeCheck). `all_rules` makes the checks of `same_checks` and checks every rule of the format,
// as `inspect --verify` does.
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

// Different files are verified in turn, as in real use. A branch predictor would soon learn the
// branches of a single small file.
constexpr uint64_t kFiles = 16;

const std::vector<Bytes>& Descriptors() {
  static const std::vector<Bytes> files = [] {
    std::vector<Bytes> made;
    for (uint64_t seed = 1; seed <= kFiles; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      e5::Outline outline = GenerateE5Outline(choices);
      outline.segments = 8;
      made.push_back(e5::Write(e5::MakeProgram(outline)).value());
    }
    return made;
  }();
  return files;
}

// Modules of 50 to 200 functions of about 50 bytes each. Nearly all bytes are structure.
const std::vector<Bytes>& Modules() {
  static const std::vector<Bytes> files = [] {
    std::vector<Bytes> made;
    for (uint64_t seed = 1; seed <= kFiles; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      made.push_back(Generate2019Module(choices, static_cast<uint32_t>(50 + 10 * (seed - 1))));
    }
    return made;
  }();
  return files;
}

// Calls `verify(i)` for each file in turn.
template <typename Verify>
void Measure(benchmark::State& state, const std::vector<Bytes>& files, Verify verify) {
  size_t i = 0;
  int64_t bytes = 0;
  for (auto _ : state) {
    bool sound = verify(i);
    benchmark::DoNotOptimize(sound);
    bytes += static_cast<int64_t>(files[i].size());
    i = (i + 1) % files.size();
  }
  state.SetBytesProcessed(bytes);
}

void E5Library(benchmark::State& state) {
  const std::vector<Bytes>& files = Descriptors();
  Measure(state, files, [&](size_t i) {
    flatbuffers::Verifier verifier(files[i].data(), files[i].size());
    return e5::wire::VerifyE5ProgramBuffer(verifier);
  });
}
BENCHMARK(E5Library)->Name("e5/library");

void E5SameChecks(benchmark::State& state) {
  const std::vector<Bytes>& files = Descriptors();
  Measure(state, files,
          [&](size_t i) { return !flatbuffer::CheckShape(e5::WireSchema(), files[i]); });
}
BENCHMARK(E5SameChecks)->Name("e5/same_checks");

void E5AllRules(benchmark::State& state) {
  const std::vector<Bytes>& files = Descriptors();
  Measure(state, files, [&](size_t i) { return kFormat_e5.verify(files[i]).value().empty(); });
}
BENCHMARK(E5AllRules)->Name("e5/all_rules");

// Modules in archives are left out. The library's verifier requires a separate buffer, but the
// buffer of such a module begins behind a size prefix that counts itself.
bool LibraryAccepts(const vmfb::Module& module) {
  if (module.is_archive || module.form->name != "2019-12") return false;
  flatbuffers::Verifier verifier(module.buffer().data(), module.buffer().size());
  return iree::vm::form_2019_12::VerifyBytecodeModuleDefBuffer(verifier);
}

std::vector<vmfb::Module> Opened(const std::vector<Bytes>& files) {
  std::vector<vmfb::Module> modules;
  for (const Bytes& file : files) modules.push_back(vmfb::Open(file).value());
  return modules;
}

void VmfbLibrary(benchmark::State& state, const std::vector<Bytes>& files) {
  const std::vector<vmfb::Module> modules = Opened(files);
  Measure(state, files, [&](size_t i) { return LibraryAccepts(modules[i]); });
}

void VmfbSameChecks(benchmark::State& state, const std::vector<Bytes>& files) {
  const std::vector<vmfb::Module> modules = Opened(files);
  Measure(state, files, [&](size_t i) {
    const vmfb::Module& module = modules[i];
    return !flatbuffer::CheckShape(module.form->schema, module.buffer(),
                                   {.start = module.start - module.origin()});
  });
}

void VmfbAllRules(benchmark::State& state, const std::vector<Bytes>& files) {
  Measure(state, files, [&](size_t i) { return kFormat_vmfb.verify(files[i]).value().empty(); });
}

void Register(const std::string& name, const std::vector<Bytes>& files) {
  benchmark::RegisterBenchmark((name + "/library").c_str(),
                               [&files](benchmark::State& state) { VmfbLibrary(state, files); });
  benchmark::RegisterBenchmark((name + "/same_checks").c_str(),
                               [&files](benchmark::State& state) { VmfbSameChecks(state, files); });
  benchmark::RegisterBenchmark((name + "/all_rules").c_str(),
                               [&files](benchmark::State& state) { VmfbAllRules(state, files); });
}

// The generated modules, and the real ones if ANECHECK_REAL_DATA has them.
[[maybe_unused]] const bool kRegistered = [] {
  Register("vmfb", Modules());
  static std::vector<Bytes> real;
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("vmfb"))) {
    std::ifstream in(path, std::ios::binary);
    Bytes bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const Result<vmfb::Module> module = vmfb::Open(bytes);
    if (module.ok() && LibraryAccepts(*module)) real.push_back(std::move(bytes));
  }
  if (!real.empty()) Register("vmfb/real", real);
  return true;
}();

}  // namespace
}  // namespace anecheck
