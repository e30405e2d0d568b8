// The rules of a MIL program beyond its grammar, with their sources. verify.cc checks them, and the
// format entry lists them.
#pragma once

#include <string_view>

#include "harness/formats/rules.h"

namespace anecheck::mil {

inline constexpr std::string_view kForms = "facts/more/mil_text_forms.csv";
inline constexpr std::string_view kFacts = "facts/mil.md";
inline constexpr std::string_view kProto = "public notes: coremltools, MIL.proto";

inline constexpr WalkRules kRules({
    {"version-known", "The program's version is 1.0 to 1.3; real files have 1.0 and 1.3.", kForms,
     FactEvidence::kAssumed},
    {"build-info-strings", "buildInfo, if present, is a dict with string keys and values.", kForms,
     FactEvidence::kRealFile},
    {"opset-known", "A function's opset is ios15 to ios18, as in all known files.", kForms,
     FactEvidence::kAssumed},
    {"unique-functions", "No two functions have the same name.", kProto,
     FactEvidence::kPublicNotes},
    {"unique-definitions", "A name is defined once in its block.", "real files",
     FactEvidence::kRealFile},
    {"defined-before-use",
     "A name is defined before its use, in the same block or a block around it.", "real files",
     FactEvidence::kRealFile},
    {"outputs-defined", "A block's outputs are names that it, or a block around it, defines.",
     "real files", FactEvidence::kRealFile},
    {"type-known", "Element types are those of the program schema.", kProto,
     FactEvidence::kPublicNotes},
    {"dimension-range", "A dimension is 0 or more, or unknown.", kProto,
     FactEvidence::kPublicNotes},
    {"literal-shape",
     "A literal has as many values as its type states, nested as the type states or in a flat "
     "list.",
     "real files", FactEvidence::kRealFile},
    {"literal-element", "An element of a literal is a value of its type.", "real files",
     FactEvidence::kRealFile},
    {"const-has-value", "A const has a value, named val.", kForms, FactEvidence::kRealFile},
    {"const-type", "A const's literal has the type of its result.", "real files",
     FactEvidence::kRealFile},
    {"blob-place", "BLOBFILE has a string for a path and a uint64 for an offset.", kForms,
     FactEvidence::kRealFile},
    {"blob-aligned",
     "The offset of BLOBFILE is a multiple of 64 and lies behind the file's header.", kFacts,
     FactEvidence::kPublicNotes},
    {"keyword-arguments", "Arguments have names, except in const.", kFacts,
     FactEvidence::kPublicNotes},
    {"unique-arguments",
     "No two arguments, and no two attributes, of an operation have the same name.", kProto,
     FactEvidence::kPublicNotes},
    {"name-is-string", "The attribute name is a string.", "real files", FactEvidence::kRealFile},
    {"state-parameters", "Only parameters are states, and each of them is a state of a tensor.",
     kFacts, FactEvidence::kPublicNotes},
    {"state-operand", "The input of read_state and write_state is a state.", kFacts,
     FactEvidence::kPublicNotes},
    {"flexible-shape-names", "FlexibleShapeInformation gives shapes of the function's parameters.",
     kForms, FactEvidence::kRealFile},
    {"nested-blocks", "cond and while_loop have two blocks, other operations none.", "no source",
     FactEvidence::kAssumed},
});

}  // namespace anecheck::mil
