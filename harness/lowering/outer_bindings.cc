#include "harness/lowering/outer_bindings.h"

#include <algorithm>

namespace anecheck {
namespace {

class Finder {
 public:
  Finder(uint32_t first, const std::function<bool(mil::ValueView)>& is_constant,
         std::vector<mil::BindingView>& outer)
      : first_(first), is_constant_(is_constant), outer_(outer) {}

  void Visit(mil::BlockView block) {
    for (const mil::StatementView statement : block.statements()) {
      for (const mil::ArgumentView argument : statement.arguments()) Visit(argument.value());
      for (const mil::BlockView nested : statement.blocks()) Visit(nested);
    }
    for (const mil::ValueView output : block.outputs()) Visit(output);
  }

 private:
  void Visit(mil::ValueView value) {
    if (value.kind() == mil::ValueKind::kTuple) {
      for (const mil::ValueView child : value.children()) Visit(child);
    }
    if (value.kind() != mil::ValueKind::kName || !value.IsResolved()) return;
    const mil::BindingView binding = value.binding();
    if (binding.index() >= first_ || is_constant_(value)) return;
    const auto same = [&](mil::BindingView known) { return known.index() == binding.index(); };
    if (std::ranges::none_of(outer_, same)) outer_.push_back(binding);
  }

  // The block's first binding. Bindings with lower numbers are outer.
  const uint32_t first_;
  const std::function<bool(mil::ValueView)>& is_constant_;
  std::vector<mil::BindingView>& outer_;
};

}  // namespace

std::vector<mil::BindingView> OuterBindings(
    const mil::Program& program, mil::StatementView statement,
    const std::function<bool(mil::ValueView name)>& is_constant) {
  std::vector<mil::BindingView> outer;
  uint32_t index = program.statements[statement.index()].block_first;
  for (const mil::BlockView block : statement.blocks()) {
    Finder(program.blocks[index].parameters.first, is_constant, outer).Visit(block);
    index = block.next();
  }
  return outer;
}

}  // namespace anecheck
