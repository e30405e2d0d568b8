// Writes a Program as MIL text: in the standard layout, or exactly as it was read. Used by the
// format entry's rewrite and JSON, and by tools that show a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// The text between two tokens (or before the first, or after the last), if it differs from that of
// the standard layout.
struct Gap {
  uint32_t token = 0;  // the index of the token that follows, in reading order
  Text text;           // in Program::text
};

// The spacing and comments of a text, as differences from the standard layout. With them and the
// tables of a Program, the text can be written again byte for byte. Real files differ only in a
// final line end.
struct Layout {
  uint32_t tokens = 0;
  std::vector<Gap> gaps;  // ascending tokens
};

// The layout of the text that `program` was parsed from. Linear in its size.
Layout LayoutOf(const Program& program);

// The bytes of the program's tokens, without the text between them.
uint64_t TokenBytes(const Program& program);

// The program in the standard layout (that of coremlc's model.mil: statements indented by 12).
std::string Print(const Program& program);

// The program with the gaps of `layout` instead of the standard gaps. If `layout` is
// LayoutOf(program), this is the source text, byte for byte.
std::string Print(const Program& program, const Layout& layout);

// The source text, made from the tables: the result of Print(program, LayoutOf(program)), without
// the memory that a layout takes.
std::string PrintAsRead(const Program& program);

// One type in the standard spelling, for example "tensor<fp16, [1, ?]>".
std::string PrintType(TypeView type);

// One value in the standard spelling.
std::string PrintValue(ValueView value);
void AppendValue(ValueView value, std::string& out);

}  // namespace anecheck::mil
