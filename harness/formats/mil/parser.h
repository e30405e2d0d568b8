// Reads MIL text into a Program: lexes, parses and resolves names in one pass. Used by the format
// entry, the lowering and the simulated engine.
//
//   program   ::= 'program' '(' number ')' attributes? '{' function* '}'
//   function  ::= 'func' name ('<' name '>')? parameters attributes? '{' statement* '}' result ';'
//   parameters::= '(' (type name (',' type name)*)? ')'
//   result    ::= '->' '(' (name (',' name)*)? ')'
//   statement ::= (type name (',' type name)* '=')? name '(' arguments? ')' attributes? block* ';'
//   block     ::= name? parameters? '{' statement* '}' result
//   attributes::= '[' (name '=' value (',' name '=' value)*)? ']'
//   arguments ::= (name '=')? value (',' (name '=')? value)*
//   type      ::= '?' | name | 'tensor' '<' type ',' '[' sizes? ']' '>' | 'list' '<' type ',' size
//   '>'
//               | 'tuple' '<' (type (',' type)*)? '>' | 'dict' '<' type ',' type '>'
//               | 'state' '<' type '>'
//   size      ::= integer | '?'
//   value     ::= name | number | string | 'true' | 'false' | '?' | type '(' value ')'
//               | '[' values? ']' | '(' values? ')' | '{' (pair (',' pair)*)? '}'
//               | 'BLOBFILE' '(' 'path' '=' value ',' 'offset' '=' value ')'
//   pair      ::= '{' (value ',' value)? '}'
//   number    ::= [+-]? (decimal | C99 hex float | hex integer | 'inf' | 'nan')
//
// Sources: facts/mil.md, facts/more/mil_text_forms.csv and the real files. Assumed, because no
// source shows them: the spelling of nested blocks, comments (// and /* */), string escapes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// Deepest nesting of types, of values and of blocks that is read.
inline constexpr int kMaxDepth = 32;

// Longest text that is read, in bytes.
inline constexpr uint64_t kMaxTextSize = uint64_t{1} << 28;

// A copy of the bytes of a file as text. Errors: kLimit for more than kMaxTextSize, before anything
// is copied.
Result<std::string> TextOfFile(std::span<const uint8_t> bytes);

// Returns the program, which owns `text`. Errors: "LINE:COLUMN: expected ..., found ... (offset
// 0x...)", with lines and columns counted from 1, columns in bytes, and the offset of the wrong
// token. Names that are undefined or defined twice are no errors here, because verify.h checks
// them. Time and memory are linear in the size of the text. A real file needs memory of about six
// times its size; no text needs more than 16 times its size plus 1 MiB.
Result<Program> Parse(std::string text);

// Parses one type from `program.text` at `offset` to the end, appends it to the tables and returns
// its index. Used by readers of other notations that write types as text.
Result<uint32_t> ParseTypeAt(Program& program, uint32_t offset);

}  // namespace anecheck::mil
