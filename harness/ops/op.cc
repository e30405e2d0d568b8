#include "harness/ops/op.h"

#include <array>
#include <string>
#include <unordered_map>

#include "harness/ops/device_matrix.h"

namespace anecheck {

namespace {

constexpr std::array<const OpDefinition*, kOpCount> kOps = {
#define ANECHECK_OP(name, Name, op_class) &kOp##Name,
#include "harness/ops/ops.def"
#undef ANECHECK_OP
};

constexpr std::array<std::string_view, 14> kClassNames = {
    "convolution, matrix multiply, and pooling",
    "normalization",
    "elementwise arithmetic",
    "comparison and logical",
    "activations",
    "reduction",
    "data movement and structural",
    "image, resize, and texture",
    "quantization and dtype",
    "attention, control flow, and state",
    "recurrent cells",
    "trigonometric, special, and math",
    "detection and sampling",
    "native layers"};

class TableVocabulary final : public Vocabulary {
 public:
  TableVocabulary() {
    for (const OpDefinition* op : kOps) by_name_.emplace(op->schema.name, op);
  }
  const OpSchema* Find(std::string_view name) const override {
    const OpDefinition* op = FindDefinition(name);
    return op == nullptr ? nullptr : &op->schema;
  }
  std::string_view ReasonWithout(std::string_view name) const override {
    const CataloguedOp* op = FindCataloguedOp(name);
    return op == nullptr ? std::string_view() : op->reason;
  }
  const OpDefinition* FindDefinition(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const OpDefinition*> by_name_;
};

const TableVocabulary& Table() {
  static const TableVocabulary vocabulary;
  return vocabulary;
}

}  // namespace

std::string_view OpClassName(OpClass op_class) {
  return kClassNames[static_cast<size_t>(op_class)];
}

std::span<const OpDefinition* const> AllOps() { return kOps; }

const OpDefinition* FindOp(std::string_view name) { return Table().FindDefinition(name); }

const Vocabulary& OpVocabulary() { return Table(); }

}  // namespace anecheck
