#include "harness/formats/mil/program.h"

namespace anecheck::mil {

DataType TypeView::data_type() const {
  if (kind() == TypeKind::kTensor || kind() == TypeKind::kBuffer)
    return program_->types[index_ + 1].scalar;
  return raw().scalar;
}

std::string_view TypeView::spelling() const {
  if (kind() != TypeKind::kScalar && kind() != TypeKind::kUnknown) return {};
  return program_->View(Text{raw().first, raw().count});
}

TableSlice<Dimension> TypeView::dimensions() const {
  if (kind() == TypeKind::kBuffer) return BufferList(0);
  if (kind() != TypeKind::kTensor && kind() != TypeKind::kList) return {};
  return {&program_->dimensions, raw().first, raw().count};
}

TableSlice<Dimension> TypeView::BufferList(uint32_t which) const {
  if (kind() != TypeKind::kBuffer) return {};
  const uint32_t rank = raw().count / 3;
  return {&program_->dimensions, raw().first + which * rank, rank};
}

bool operator==(TypeView a, TypeView b) {
  const uint32_t count = a.next() - a.index();
  if (count != b.next() - b.index()) return false;
  for (uint32_t i = 0; i < count; ++i) {
    const TypeView x(a.program_, a.index() + i);
    const TypeView y(b.program_, b.index() + i);
    if (x.kind() != y.kind() || x.spelling() != y.spelling()) return false;
    if (x.next() - a.index() != y.next() - b.index()) return false;
    for (const auto list :
         {&TypeView::dimensions, &TypeView::strides, &TypeView::interleave_factors}) {
      const auto left = (x.*list)();
      const auto right = (y.*list)();
      if (left.size() != right.size()) return false;
      for (uint32_t d = 0; d < left.size(); ++d) {
        if (left[d].value != right[d].value) return false;
      }
    }
  }
  return true;
}

Sequence<BlockView> StatementView::blocks() const {
  return {program_, raw().block_first, raw().block_end};
}

uint32_t StatementView::NextBehindBlocks() const {
  uint32_t last = raw().block_first;
  for (uint32_t next = last; next != raw().block_end; next = program_->blocks[next].end) {
    last = next;
  }
  return program_->blocks[last].statement_end;
}

Sequence<FunctionView> Functions(const Program& program) {
  return {&program, 0, program.functions.size()};
}

Sequence<ArgumentView> ProgramAttributes(const Program& program) {
  return {&program, program.attributes.first, program.attributes.first + program.attributes.count};
}

}  // namespace anecheck::mil
