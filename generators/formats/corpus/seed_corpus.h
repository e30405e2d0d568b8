// A small set of files that shows a fuzzer the structure of a format: valid files, so chosen that
// every kind of record, every optional part and every small choice of the format's generator is in
// one of them, and files with one value at an edge. Used by `anecheck gen --corpus`, and as the
// first files of `anecheck fuzz`.
#pragma once

#include <string>
#include <vector>

#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck {

struct CorpusFile {
  std::string name;    // "valid_003", "edge_017"
  std::string reason;  // one line: its purpose
  Bytes bytes;
};

struct CorpusLimits {
  uint64_t drawn = 256;               // valid files among which is chosen
  size_t max_size = size_t{1} << 18;  // bytes of a file
  size_t max_files = 64;              // valid ones
};

// Valid files: the smallest that together have every member name, every array of none, one and
// more elements, and every value of members with few values that the drawn ones have. The same for
// the same seed; at least one.
std::vector<CorpusFile> ChooseValidFiles(const DescriptorGenerator& generator, const Format& format,
                                         uint64_t seed, const CorpusLimits& limits = {});

// One file for each field of the format and for each edge (generators/formats/boundary): fields and
// edges take turns, so that the set is as large as the larger of the two.
std::vector<CorpusFile> MakeEdgeFiles(std::string_view format, const std::vector<CorpusFile>& valid,
                                      size_t max_size);

}  // namespace anecheck
