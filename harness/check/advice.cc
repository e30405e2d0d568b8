#include "harness/check/advice.h"

namespace anecheck {
namespace {

constexpr std::string_view kAnalysis = "follows from fp16 arithmetic";

constexpr Advice kRows[] = {
    {"", "D01",
     "scale one operand before the product and the result after it, so that no sum "
     "reaches 32768 (in attention: scale before softmax times V)",
     "known defect D01 (public guide, chapter 3)"},
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
    {"", "fp16", "scale the operands down before, and the result up after it", kAnalysis},
    {"log", "underflow",
     "use log_softmax as x - reduce_log_sum_exp(x), or give log an epsilon of "
     "6e-8 or more",
     kAnalysis},
    {"", "underflow", "add an epsilon of 6e-8 or more to the divisor, or scale its operands up",
     kAnalysis},
    {"", "0/0", "add an epsilon to the divisor, or select another value where it is 0", kAnalysis},
    {"", "inf-inf", "clamp both operands to 65504 before; a mask of -inf is better -30000",
     kAnalysis},
    {"", "inf*0", "clamp the infinite operand to 65504 before", kAnalysis},
    {"conv", "kW must be", "split the kernel along its width into parts and add their results",
     "specification, kernel limits"},
    {"conv", "kH must be", "split the kernel along its height into parts and add their results",
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

const Advice* FindAdvice(std::string_view op, std::string_view cause) {
  for (const Advice& row : kRows) {
    const bool fits = row.cause.empty() || cause.find(row.cause) != std::string_view::npos;
    if (fits && (row.op.empty() || row.op == op)) return &row;
  }
  return nullptr;
}

}  // namespace anecheck
