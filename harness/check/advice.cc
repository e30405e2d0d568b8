#include "harness/check/advice.h"

namespace anecheck {
namespace {

constexpr std::string_view kAnalysis = "follows from fp16 arithmetic";

constexpr Advice kCliffs[] = {
    {"", "D01",
     "scale one operand before the product and the result after it, so that no sum "
     "reaches 32768 (in attention: scale before softmax times V)",
     "known defect D01 (public guide, chapter 3)"},
    {"reduce_log_sum_exp", "D09",
     "subtract the largest element first and add it afterwards "
     "(max-shift)",
     "coremltools issue 2690"},
    {"", "D09", "write softplus as max(x, 0) + log(1 + exp(-abs(x)))",
     "coremltools issue 2687; follows from fp16 arithmetic"},
    {"", "D34", "reshape to four axes before hard_swish",
     "known defect D34 (coreai-torch issue 51)"},
    {"", "D02", "begin the slice at 0, or transpose so that the width is another axis",
     "known defect D02 (public guide, chapter 35)"},
    {"reduce_log_sum_exp", "fp16",
     "subtract the largest element first and add it afterwards "
     "(max-shift)",
     kAnalysis},
    {"exp", "fp16", "subtract the largest element first (max-shift)", kAnalysis},
    {"quantize", "fp16", "clamp to the range of the integer type before quantising", kAnalysis},
    {"cast", "fp16", "clamp to the range of the integer type before the cast", kAnalysis},
    {"square", "fp16",
     "scale before squaring (an RMS norm: divide by the largest magnitude first), and scale the "
     "result back afterwards",
     "executorch issue 19523"},
    {"mul", "fp16",
     "scale before squaring (an RMS norm: divide by the largest magnitude first), and scale the "
     "result back afterwards",
     "executorch issue 19523"},
    {"", "fp16", "scale the operands down before, and the result up after it", kAnalysis},
    {"log", "underflow",
     "use log_softmax as x - reduce_log_sum_exp(x), or an epsilon of 6e-8 or more in log",
     kAnalysis},
    {"", "underflow", "add an epsilon of 6e-8 or more to the divisor, or scale its operands up",
     kAnalysis},
    {"", "0/0", "add an epsilon to the divisor, or select another value where it is 0", kAnalysis},
    {"", "inf-inf", "clamp both operands to 65504 first; in a mask use -30000 instead of -inf",
     kAnalysis},
    {"", "inf*0", "clamp the infinite operand to 65504 first", kAnalysis},
};

constexpr Advice kRefusals[] = {
    {"conv", "large kernel", "split the kernel into parts and add their results",
     "facts/silicon/compile_limits_silicon.csv"},
    {"max_pool", "Pool kernel width",
     "pool twice along the width: windows of a and b together equal a window of a + b - 1",
     "follows from the maximum"},
    {"layer_norm", "one live affine term",
     "use a gamma that differs from 1 and a beta that differs from 0, or multiply and add after "
     "the layer",
     "ANEForge issue 162"},
    {"", "int32", "keep positions in uint16, or in fp16 where they stay below 2048",
     "facts/silicon/op_placement_h16g.csv"},
    {"conv", "kW must be", "split the kernel along its width into parts and add their results",
     "specification, kernel limits"},
    {"conv", "kH must be", "split the kernel along its height into parts and add their results",
     "specification, kernel limits"},
    {"conv", "Invalid conv kernel", "split the kernel into parts and add their results",
     "specification, kernel limits"},
    {"lstm", "",
     "unroll the cell into linear, sigmoid, tanh, mul and add: the engine has no "
     "recurrent layer",
     "public guide, operation matrix"},
    {"gru", "",
     "unroll the cell into linear, sigmoid, tanh, mul and add: the engine has no "
     "recurrent layer",
     "public guide, operation matrix"},
    {"rnn", "", "unroll the cell into linear and tanh: the engine has no recurrent layer",
     "public guide, operation matrix"},
};

}  // namespace

const Advice* AdviceOnCliff(std::string_view op, std::string_view id) {
  for (const Advice& row : kCliffs) {
    if (row.cause == id && (row.op.empty() || row.op == op)) return &row;
  }
  return nullptr;
}

const Advice* AdviceOnRefusal(std::string_view op, std::string_view reason) {
  for (const Advice& row : kRefusals) {
    const bool fits = reason.find(row.cause) != std::string_view::npos;
    if (fits && (row.op.empty() || row.op == op)) return &row;
  }
  return nullptr;
}

}  // namespace anecheck
