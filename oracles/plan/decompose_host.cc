// Rewrites operations without a native layer into operations that have one, before the compiler.
#include "harness/ops/params.h"
#include "oracles/plan/decomposition.h"

namespace anecheck::plan {
namespace {

Result<std::vector<ValueId>> One(const Builder& out, ValueId value) {
  ANECHECK_RETURN_IF_ERROR(out.status());
  return std::vector<ValueId>{value};
}

}  // namespace

Result<std::vector<ValueId>> Logical(const Site& site) {
  using P = params::Binary;
  Builder& out = site.out;
  const ValueId x = out.Cast(site.In(P::kX), DType::kFp16);
  const ValueId y = out.Cast(site.In(P::kY), DType::kFp16);
  if (site.node.op() == "logical_xor") {
    return One(out, out.Add("not_equal", {{"x", x}, {"y", y}}));
  }
  const std::string_view op = site.node.op() == "logical_and" ? "minimum" : "maximum";
  return One(out, out.Cast(out.Add(op, {{"x", x}, {"y", y}}), DType::kBool));
}

Result<std::vector<ValueId>> Modulo(const Site& site) {
  using P = params::Binary;
  Builder& out = site.out;
  const ValueId x = site.In(P::kX), y = site.In(P::kY);
  const ValueId whole = out.Add("floor_div", {{"x", x}, {"y", y}});
  return One(out, out.Add("sub", {{"x", x}, {"y", out.Add("mul", {{"x", y}, {"y", whole}})}}));
}

Result<std::vector<ValueId>> ProductByLogarithms(const Site& site) {
  using P = params::Reduce;
  Builder& out = site.out;
  const ValueId logarithms = out.Add("log", {{"x", site.In(P::kX)}});
  std::vector<int64_t> axes(site.node.Ints(P::kAxes).begin(), site.node.Ints(P::kAxes).end());
  for (int axis = 0; axes.empty() && axis < site.node.InputShape(P::kX).rank(); ++axis) {
    axes.push_back(axis);
  }
  const ValueId sum = out.Add("reduce_sum", {{"x", logarithms}},
                              {{"axes", axes}, {"keep_dims", site.node.Bool(P::kKeepDims, false)}});
  return One(out, out.Add("exp", {{"x", sum}}));
}

Result<std::vector<ValueId>> Tangent(const Site& site) {
  const ValueId x = site.In(params::Unary::kX);
  const ValueId sine = site.out.Add("sin", {{"x", x}});
  const ValueId cosine = site.out.Add("cos", {{"x", x}});
  return One(site.out, site.out.Add("real_div", {{"x", sine}, {"y", cosine}}));
}

}  // namespace anecheck::plan
