// The published records that the tests express as graphs, and the reasons why other records are not
// expressed. The counts are exact, so that a lost record fails a test.
#pragma once

#include <span>
#include <vector>

#include "oracles/testing/vector_model.h"

namespace anecheck::testing::vectors {

// Records of one operation that the table's operations cannot express, and the reason.
struct Unmapped {
  const char* op;
  int count;
  const char* reason;
};

struct VectorFile {
  const char* name;
  const Mappings& (*mappings)();
  int passed;  // the number of expressed records, which all pass
  std::vector<Unmapped> unmapped;
};

// A record that the source marks as wrong, or that MIL does not define.
struct Suspect {
  const char* file;
  const char* name;
  const char* reason;
  bool (*proof)(const Json& record);  // true if the reason applies
};
std::span<const Suspect> Suspects();

// `webnn` and `onnx` return the mappings by the operation names of these sources.
std::vector<VectorFile> VectorFiles(const Mappings& (*webnn)(), const Mappings& (*onnx)());

}  // namespace anecheck::testing::vectors
