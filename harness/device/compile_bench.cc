// The cost of one small program on the simulated engine: the compile step, an execution, and the
// whole sequence of e5rt calls.
#include <benchmark/benchmark.h>
#include <cstring>
#include <string>
#include <vector>

#include "harness/device/compile.h"

namespace anecheck::device {
namespace {

// Eight operations with the constants that a lowering writes.
const char* const kProgram = R"(program(1.3)
[buildInfo = dict<string, string>({{"coremlc-component-MIL", "3520.4.1"}})]
{
    func main<ios18>(tensor<fp16, [1, 4, 6, 6]> x) {
            tensor<fp16, [4, 4, 3, 3]> w = const()[name = string("w"), val = tensor<fp16, [4, 4, 3, 3]>(BODY)];
            tensor<fp16, [4]> b = const()[name = string("b"), val = tensor<fp16, [4]>([0x1p-1, 0x1p-2, -0x1p-1, 0x0p+0])];
            tensor<int32, [2]> strides = const()[name = string("strides"), val = tensor<int32, [2]>([1, 1])];
            string pad_type = const()[name = string("pad_type"), val = string("custom")];
            tensor<int32, [4]> pad = const()[name = string("pad"), val = tensor<int32, [4]>([1, 1, 1, 1])];
            tensor<int32, [2]> dilations = const()[name = string("dilations"), val = tensor<int32, [2]>([1, 1])];
            int32 groups = const()[name = string("groups"), val = int32(1)];
            tensor<fp16, [1, 4, 6, 6]> c = conv(bias = b, dilations = dilations, groups = groups, pad = pad, pad_type = pad_type, strides = strides, weight = w, x = x)[name = string("c")];
            tensor<fp16, [1, 4, 6, 6]> r = relu(x = c)[name = string("r")];
            tensor<fp16, [1, 4, 6, 6]> s = add(x = r, y = x)[name = string("s")];
            tensor<fp16, [1, 4, 6, 6]> t = tanh(x = s)[name = string("t")];
            tensor<int32, [3]> shape = const()[name = string("shape"), val = tensor<int32, [3]>([1, 4, 36])];
            tensor<fp16, [1, 4, 36]> u = reshape(shape = shape, x = t)[name = string("u")];
            tensor<int32, [3]> perm = const()[name = string("perm"), val = tensor<int32, [3]>([0, 2, 1])];
            tensor<fp16, [1, 36, 4]> v = transpose(perm = perm, x = u)[name = string("v")];
            int32 axis = const()[name = string("axis"), val = int32(-1)];
            tensor<fp16, [1, 36, 4]> m = softmax(axis = axis, x = v)[name = string("m")];
            tensor<int32, [1]> axes = const()[name = string("axes"), val = tensor<int32, [1]>([1])];
            bool keep = const()[name = string("keep"), val = bool(false)];
            tensor<fp16, [1, 4]> y = reduce_sum(axes = axes, keep_dims = keep, x = m)[name = string("y")];
        } -> (y);
})";

std::string ProgramText() {
  std::string body = "[";
  for (int i = 0; i < 16; ++i) {
    body += i % 4 == 0 ? (i == 0 ? "[" : "], [") : ", ";
    body += "[[0x1p-1, 0x1.8p-2, -0x1p-3], [0x1p-1, 0x1.8p-2, 0x1p-3], [0x1.4p-1, 0x1p-2, 0x1p-3]]";
  }
  body += "]]";
  std::string text = kProgram;
  return text.replace(text.find("BODY"), 4, body);
}

CompileSettings Settings() {
  CompileSettings settings;
  settings.target = FindTarget("h13");
  settings.model = ResolveNumericModel(settings.quirks, settings.target->family);
  return settings;
}

void Compile(benchmark::State& state) {
  const std::string text = ProgramText();
  const CompileSettings settings = Settings();
  for (auto _ : state) {
    auto programs = CompileProgram(text, settings, Backend::kAne);
    if (!programs.ok()) state.SkipWithError(programs.error().message.c_str());
    benchmark::DoNotOptimize(programs);
  }
}
BENCHMARK(Compile)->Unit(benchmark::kMicrosecond);

void Execute(benchmark::State& state) {
  const auto programs = CompileProgram(ProgramText(), Settings(), Backend::kAne);
  if (!programs.ok()) return state.SkipWithError(programs.error().message.c_str());
  Execution execution(programs->front());
  std::vector<uint16_t> x(144, 0x3800);
  std::vector<uint16_t> y(4);
  const void* inputs[] = {x.data()};
  void* outputs[] = {y.data()};
  for (auto _ : state) execution.Run(inputs, outputs);
}
BENCHMARK(Execute)->Unit(benchmark::kMicrosecond);

void CompileAndExecuteOnce(benchmark::State& state) {
  const std::string text = ProgramText();
  const CompileSettings settings = Settings();
  std::vector<uint16_t> x(144, 0x3800);
  std::vector<uint16_t> y(4);
  const void* inputs[] = {x.data()};
  void* outputs[] = {y.data()};
  for (auto _ : state) {
    auto programs = CompileProgram(text, settings, Backend::kAne);
    Execution execution(programs->front());
    execution.Run(inputs, outputs);
  }
}
BENCHMARK(CompileAndExecuteOnce)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace anecheck::device
