// Reads MIL text into a Program. One pass lexes, parses and resolves names. Used by the format
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
// Sources: facts/mil.md, facts/more/mil_text_forms.csv and the real files. No source shows the
// spelling of nested blocks, of comments (// and /* */) and of string escapes: assumed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mil {

// Maximum nesting depth of types, of values and of blocks.
inline constexpr int kMaxDepth = 32;

// Maximum size of a text, in bytes.
inline constexpr uint64_t kMaxTextSize = uint64_t{1} << 28;

// Returns a copy of the bytes of a file as text. Errors: kLimit for more than kMaxTextSize bytes,
// before the copy is made.
Result<std::string> TextOfFile(std::span<const uint8_t> bytes);

// Returns the program, which owns `text`. Errors: "LINE:COLUMN: expected ..., found ... (offset
// 0x...)", with the position of the wrong token. Lines and columns count from 1, and columns count
// bytes. A name that is undefined or defined twice is not an error here, because verify.h checks
// names. Time and memory are linear in the size of the text. A real file needs memory of about six
// times its size; no text needs more than 16 times its size plus 1 MiB.
Result<Program> Parse(std::string text);

// Parses one type, which must extend from `offset` to the end of `program.text`. Appends it to the
// tables and returns its index. Used by readers of other notations that write types as text.
Result<uint32_t> ParseTypeAt(Program& program, uint32_t offset);

}  // namespace anecheck::mil
