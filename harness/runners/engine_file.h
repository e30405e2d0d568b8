// The file that an engine's library was loaded from. Each worker loads it by its name anew: a run
// whose later workers find another content there would mix the results of two engines.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/result.h"

namespace anecheck {

struct EngineFile {
  std::string path;  // empty: there is no such file, as of the images of macOS's shared cache
  uint64_t device = 0, number = 0, bytes = 0;
  int64_t changed = 0;  // seconds

  bool operator==(const EngineFile&) const = default;
};

// The file at `path` as it is now; of empty path where there is none.
EngineFile FileAt(const std::string& path);
// Written by a worker and read by its campaign.
void WriteEngineFile(const EngineFile& file, ByteWriter& writer);
EngineFile ReadEngineFile(ByteReader& reader);

// "crc32 1a2b3c4d of 6115744 bytes"; empty of a file of empty path. Errors: kInternal where it is
// not there any more as `file` says.
Result<std::string> ContentOf(const EngineFile& file);

// The words and the end of a run whose engine is another one than it began with.
Error EngineReplaced(const std::string& engine, const std::string& before, const std::string& now);

}  // namespace anecheck
