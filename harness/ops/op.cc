#include "harness/ops/op.h"

#include <array>
#include <unordered_map>

namespace anecheck {

namespace {

constexpr std::array<const OpDefinition*, kOpCount> kOps = {
#define ANECHECK_OP(name, Name, ...) &kOp##Name,
#include "harness/ops/ops.def"
};

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
    const OpSheet* const op = FindCataloguedOp(name);
    return op == nullptr ? std::string_view() : op->no_reference_reason;
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

std::span<const OpDefinition* const> AllOps() { return kOps; }

const OpDefinition* FindOp(std::string_view name) { return Table().FindDefinition(name); }

const Vocabulary& OpVocabulary() { return Table(); }

}  // namespace anecheck
