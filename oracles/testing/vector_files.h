// The published records that the tests expect to express, and the reasons against the others: exact
// counts, so that none is lost unseen.
#pragma once

#include <span>
#include <vector>

#include "oracles/testing/vector_model.h"

namespace anecheck::testing::vectors {

// Records of one operation that no operation of the table expresses, or only in part, and why.
struct Unmapped {
  const char* op;
  int count;
  const char* reason;
};

struct VectorFile {
  const char* name;
  const Mappings& (*mappings)();
  int passed;  // the records that are expressed; each of them passes
  std::vector<Unmapped> unmapped;
};

// A record that the source marks as wrong, or that MIL does not define.
struct Suspect {
  const char* file;
  const char* name;
  const char* reason;
  bool (*proof)(const Json& record);  // true where the reason holds
};
std::span<const Suspect> Suspects();

// `webnn` and `onnx`: the mappings by the operation names of those sources.
std::vector<VectorFile> VectorFiles(const Mappings& (*webnn)(), const Mappings& (*onnx)());

}  // namespace anecheck::testing::vectors
