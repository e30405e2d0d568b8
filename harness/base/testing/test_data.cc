#include "harness/base/testing/test_data.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <zlib.h>

namespace anecheck::testing {
namespace {

constexpr size_t kUnpackedLimit = size_t{1} << 30;

std::string Folder(const char* variable, std::string_view fallback) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : SourcePath(fallback);
}

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

}  // namespace

std::string SourcePath(std::string_view relative) {
  return std::string(ANECHECK_SOURCE_DIR) + "/" + std::string(relative);
}

std::string RealDataPath(std::string_view relative) {
  return Folder("ANECHECK_REAL_DATA", "../shared/real") + "/" + std::string(relative);
}

std::string VectorPath(std::string_view relative) {
  return Folder("ANECHECK_VECTORS", "../shared/vectors") + "/" + std::string(relative);
}

std::string CasePath(std::string_view relative) {
  return Folder("ANECHECK_CASES", "../shared/cases") + "/" + std::string(relative);
}

std::string FactPath(std::string_view relative) {
  return Folder("ANECHECK_FACTS", "../shared/facts") + "/" + std::string(relative);
}

bool PathExists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool HasTestData(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) || !FilesUnder(path).empty();
}

std::vector<std::string> FilesUnder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code code;
  std::filesystem::recursive_directory_iterator entry(folder, code);
  while (!code && entry != std::filesystem::recursive_directory_iterator()) {
    std::error_code not_a_file;
    if (entry->is_regular_file(not_a_file)) files.push_back(entry->path().string());
    entry.increment(code);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string> ReadGzipFile(const std::string& path) {
  const std::unique_ptr<gzFile_s, CloseGzip> file(gzopen(path.c_str(), "rb"));
  if (file == nullptr) return MakeError(ErrorCode::kNotFound, path + ": cannot open");
  std::string content;
  std::array<char, 65536> buffer{};
  while (true) {
    const int count = gzread(file.get(), buffer.data(), buffer.size());
    if (count < 0) return MakeError(ErrorCode::kMalformed, path + ": not a whole gzip file");
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(count));
    if (content.size() > kUnpackedLimit) {
      return MakeError(ErrorCode::kLimit, path + ": more than 1 GiB unpacked");
    }
  }
}

}  // namespace anecheck::testing
