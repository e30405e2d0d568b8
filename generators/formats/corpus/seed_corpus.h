// A small set of files that shows a fuzzer the structure of a format. It has valid files that
// together contain every kind of record, every optional part and every choice among few values that
// the format's generator makes. It also has files with one value at an edge. Used by `anecheck gen
// --corpus`, and as the first files of `anecheck fuzz`.
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
  uint64_t drawn = 256;               // valid files to choose from
  size_t max_size = size_t{1} << 18;  // bytes of one file
  size_t max_files = 64;              // maximum number of valid files to choose
};

// Returns at least one valid file. Equal seeds give equal files. Goes through the drawn files from
// the smallest to the largest, and takes up to max_files of those that contain something new. This
// is a member name, an array with zero, one or more elements, or a value of a member with few
// values.
std::vector<CorpusFile> ChooseValidFiles(const DescriptorGenerator& generator, const Format& format,
                                         uint64_t seed, const CorpusLimits& limits = {});

// Files with one field at an edge (generators/formats/boundary). For each role, the fields of
// `valid` and the edges are paired in turn. The number of files of a role is at most the larger of
// the number of fields and the number of edges.
std::vector<CorpusFile> MakeEdgeFiles(std::string_view format, const std::vector<CorpusFile>& valid,
                                      size_t max_size);

}  // namespace anecheck
