// The file that an engine's library was loaded from. Each worker loads it anew by its name: if
// later workers found other content there, a run would mix the results of two engines.
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

// The current file at `path`. If there is none, the result has an empty path.
EngineFile FileAt(const std::string& path);
// A worker writes this description of its file, and its campaign reads it.
void WriteEngineFile(const EngineFile& file, ByteWriter& writer);
EngineFile ReadEngineFile(ByteReader& reader);

// "crc32 1a2b3c4d of 6115744 bytes"; empty for a file with an empty path. Errors: kInternal if the
// file on disk differs from `file`.
Result<std::string> ContentOf(const EngineFile& file);

// The error that ends a run whose engine was replaced.
Error EngineReplaced(const std::string& engine, const std::string& before, const std::string& now);

}  // namespace anecheck
