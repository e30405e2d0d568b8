#include "oracles/onednn_bench.h"

#ifdef ANECHECK_ONEDNN
#include <dlfcn.h>
#include <dnnl.hpp>
#include <unordered_map>
#endif

namespace anecheck::onednn {

#ifdef ANECHECK_ONEDNN
namespace {

using Format = dnnl::memory::format_tag;
using Dims = dnnl::memory::dims;

constexpr auto kFloat = dnnl::memory::data_type::f32;

dnnl::engine& Engine() {
  static dnnl::engine engine = [] {
    // Found at run time: the library brings its own OpenMP.
    using SetThreads = void (*)(int);
    const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    if (set != nullptr) set(1);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

dnnl::memory Filled(const dnnl::memory::desc& desc) {
  dnnl::memory memory(desc, Engine());
  auto* const numbers = static_cast<float*>(memory.get_data_handle());
  for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i) {
    numbers[i] = static_cast<float>(static_cast<int>(i * 7919 % 2001) - 1000) / 512;
  }
  return memory;
}

class Primitive : public Work {
 public:
  Primitive(dnnl::primitive primitive, std::unordered_map<int, dnnl::memory> operands)
      : primitive_(std::move(primitive)), operands_(std::move(operands)), stream_(Engine()) {}
  void Run() override {
    primitive_.execute(stream_, operands_);
    stream_.wait();
  }

 private:
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> operands_;
  dnnl::stream stream_;
};

}  // namespace

std::unique_ptr<Work> Matmul(int64_t side) {
  const dnnl::memory::desc matrix({side, side}, kFloat, Format::ab);
  const dnnl::matmul::desc desc(matrix, matrix, matrix);
  return std::make_unique<Primitive>(
      dnnl::matmul(dnnl::matmul::primitive_desc(desc, Engine())),
      std::unordered_map<int, dnnl::memory>{{DNNL_ARG_SRC, Filled(matrix)},
                                            {DNNL_ARG_WEIGHTS, Filled(matrix)},
                                            {DNNL_ARG_DST, Filled(matrix)}});
}

std::unique_ptr<Work> Convolution(int64_t channels, int64_t outputs, int64_t side) {
  // In the layout that oneDNN likes best.
  const dnnl::memory::desc x({1, channels, side, side}, kFloat, Format::any);
  const dnnl::memory::desc weight({outputs, channels, 3, 3}, kFloat, Format::any);
  const dnnl::memory::desc result({1, outputs, side, side}, kFloat, Format::any);
  const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference,
                                             dnnl::algorithm::convolution_auto, x, weight, result,
                                             Dims{1, 1}, Dims{1, 1}, Dims{1, 1});
  const dnnl::convolution_forward::primitive_desc chosen(desc, Engine());
  return std::make_unique<Primitive>(
      dnnl::convolution_forward(chosen),
      std::unordered_map<int, dnnl::memory>{{DNNL_ARG_SRC, Filled(chosen.src_desc())},
                                            {DNNL_ARG_WEIGHTS, Filled(chosen.weights_desc())},
                                            {DNNL_ARG_DST, Filled(chosen.dst_desc())}});
}

#else

std::unique_ptr<Work> Matmul(int64_t) { return nullptr; }
std::unique_ptr<Work> Convolution(int64_t, int64_t, int64_t) { return nullptr; }

#endif

}  // namespace anecheck::onednn
