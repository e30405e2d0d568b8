// The operation table. It has every operation's schema and the facts that decide its legality.
// Lowering, generators, oracles and the simulated engine look operations up in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/graph/schema.h"
#include "harness/ops/sheet.h"

namespace anecheck {

enum class OpKind : uint16_t {
#define ANECHECK_OP(name, Name, ...) k##Name,
#include "harness/ops/ops.def"
};

inline constexpr size_t kOpCount = 0
#define ANECHECK_OP(name, Name, ...) +1
#include "harness/ops/ops.def"
    ;

// The sheet and the schema of the operation.
struct OpDefinition : OpSheet {
  OpSchema schema;  // schema.id is the OpKind
};

// The definitions of all operations, each in the file of its class.
#define ANECHECK_OP(name, Name, ...) extern const OpDefinition kOp##Name;
#include "harness/ops/ops.def"

// Every operation, indexed by OpKind.
std::span<const OpDefinition* const> AllOps();
inline const OpDefinition& GetOp(OpKind kind) { return *AllOps()[static_cast<size_t>(kind)]; }
// Null if no operation is called `name`.
const OpDefinition* FindOp(std::string_view name);
inline OpKind KindOf(const OpSchema& schema) { return static_cast<OpKind>(schema.id); }
inline const OpDefinition& DefinitionOf(const OpSchema& schema) { return GetOp(KindOf(schema)); }

// The Vocabulary (harness/graph/schema.h) that finds the schemas of this table by name.
const Vocabulary& OpVocabulary();

}  // namespace anecheck
