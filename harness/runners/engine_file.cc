#include "harness/runners/engine_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "harness/base/checksum.h"
#include "harness/base/file.h"

namespace anecheck {

EngineFile FileAt(const std::string& path) {
  struct stat info{};
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  return {.path = path,
          .device = static_cast<uint64_t>(info.st_dev),
          .number = static_cast<uint64_t>(info.st_ino),
          .bytes = static_cast<uint64_t>(info.st_size),
          .changed = static_cast<int64_t>(info.st_mtime)};
}

void WriteEngineFile(const EngineFile& file, ByteWriter& writer) {
  writer.CString(file.path);
  writer.U64(file.device);
  writer.U64(file.number);
  writer.U64(file.bytes);
  writer.I64(file.changed);
}

EngineFile ReadEngineFile(ByteReader& reader) {
  EngineFile file;
  file.path = reader.CString("path");
  file.device = reader.U64("device");
  file.number = reader.U64("number");
  file.bytes = reader.U64("bytes");
  file.changed = reader.I64("changed");
  return file;
}

Result<std::string> ContentOf(const EngineFile& file) {
  if (file.path.empty()) return std::string();
  const Result<std::vector<uint8_t>> content = ReadFile(file.path);
  if (!content.ok() || FileAt(file.path) != file) {
    return EngineReplaced(file.path, "the file that a worker has loaded", "another file, or none");
  }
  return fmt::format("crc32 {:08x} of {} bytes", Crc32(*content), content->size());
}

Error EngineReplaced(const std::string& engine, const std::string& before, const std::string& now) {
  return MakeError(
      ErrorCode::kInternal,
      fmt::format("{}: the engine was replaced during the run (it was {}; now {}); one run "
                  "cannot hold results of two engines: put it back and continue with --resume, or "
                  "begin a new run",
                  engine, before, now));
}

}  // namespace anecheck
