// The file from which an engine's library was loaded. Each worker loads the library again by its
// path, so a run would mix the results of two engines if the file changed during the run.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/result.h"

namespace anecheck {

struct EngineFile {
  std::string path;  // empty if there is no file, as for images of macOS's shared cache
  uint64_t device = 0, number = 0, bytes = 0;
  int64_t changed = 0;  // seconds

  bool operator==(const EngineFile&) const = default;
};

// Describes the current file at `path`. If there is no file, the result has an empty path.
EngineFile FileAt(const std::string& path);
// A worker writes this description of its file, and its campaign reads it.
void WriteEngineFile(const EngineFile& file, ByteWriter& writer);
EngineFile ReadEngineFile(ByteReader& reader);

// Returns a text such as "crc32 1a2b3c4d of 6115744 bytes"; empty for a file with an empty path.
// Errors: kInternal if the file on disk differs from `file`.
Result<std::string> ContentOf(const EngineFile& file);

// Returns the error that ends a run whose engine was replaced.
Error EngineReplaced(const std::string& engine, const std::string& before, const std::string& now);

}  // namespace anecheck
