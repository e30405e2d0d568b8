// Writes a Program as MIL text, either in the standard layout or exactly as it was read. Used by
// the format entry's rewrite and JSON, and by tools that show a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// A text between tokens, before the first or after the last, that differs from the standard gap.
struct Gap {
  uint32_t token = 0;  // the index of the token that follows, in reading order
  Text text;           // in Program::text
};

// The spacing and comments of a text, as differences from the standard layout. A Layout and the
// tables of a Program together determine every byte of the text. Real files differ from the
// standard layout only in a final line end.
struct Layout {
  uint32_t tokens = 0;
  std::vector<Gap> gaps;  // ascending tokens
};

// Returns the layout of the text that `program` was parsed from. The time is linear in its size.
Layout LayoutOf(const Program& program);

// Returns the number of bytes of the program's tokens, without the text between them.
uint64_t TokenBytes(const Program& program);

// Returns the program in the standard layout, which is that of coremlc's model.mil (statements are
// indented by 12 spaces).
std::string Print(const Program& program);

// Returns the program with the gaps of `layout` in place of the standard gaps. If `layout` is
// LayoutOf(program), the result equals the source text.
std::string Print(const Program& program, const Layout& layout);

// Returns the same as Print(program, LayoutOf(program)), without the memory for a Layout.
std::string PrintAsRead(const Program& program);

// Returns one type in the standard spelling, for example "tensor<fp16, [1, ?]>".
std::string PrintType(TypeView type);

// Return or append one value in the standard spelling.
std::string PrintValue(ValueView value);
void AppendValue(ValueView value, std::string& out);

}  // namespace anecheck::mil
