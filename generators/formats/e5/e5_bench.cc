// How fast descriptors and modules are verified, beside the FlatBuffers library's own verifier on
// the same bytes. "Shape" is the same work as the library's; "Verify" adds every rule.
#include <benchmark/benchmark.h>

#include "generated/flatbuffer_schemas/e5_schema/e5_generated.h"
#include "generators/formats/e5/e5_generator.h"
#include "generators/formats/vmfb/vmfb_generator.h"
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
BENCHMARK(E5Library);

void E5Shape(benchmark::State& state) {
  const Bytes& bytes = Descriptor();
  for (auto _ : state) {
    bool sound = !flatbuffer::CheckShape(e5::WireSchema(), bytes);
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(E5Shape);

void E5Verify(benchmark::State& state) {
  const Bytes& bytes = Descriptor();
  for (auto _ : state) {
    bool sound = kFormat_e5.verify(bytes).value().empty();
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(E5Verify);

void VmfbLibrary(benchmark::State& state) {
  const Bytes& bytes = Module();
  for (auto _ : state) {
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    bool sound = iree::vm::form_2019_12::VerifyBytecodeModuleDefBuffer(verifier);
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(VmfbLibrary);

void VmfbShape(benchmark::State& state) {
  const Bytes& bytes = Module();
  const flatbuffer::Schema& schema = vmfb::FindForm("2019-12")->schema;
  for (auto _ : state) {
    bool sound = !flatbuffer::CheckShape(schema, bytes);
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(VmfbShape);

void VmfbVerify(benchmark::State& state) {
  const Bytes& bytes = Module();
  for (auto _ : state) {
    bool sound = kFormat_vmfb.verify(bytes).value().empty();
    benchmark::DoNotOptimize(sound);
  }
  Count(state, bytes);
}
BENCHMARK(VmfbVerify);

}  // namespace
}  // namespace anecheck
