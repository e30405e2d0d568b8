#include "harness/parserfuzz/scaffold/scaffold.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

#include "harness/base/file.h"

namespace anecheck::scaffold_templates {
extern const std::string_view kAflMakefile;
extern const std::string_view kAtherisTarget;
extern const std::string_view kCTarget;
extern const std::string_view kCargoManifest;
extern const std::string_view kCargoTarget;
extern const std::string_view kCfliteBuild;
extern const std::string_view kCfliteDockerfile;
extern const std::string_view kCfliteProject;
extern const std::string_view kCfliteReadme;
extern const std::string_view kLibfuzzerMakefile;
extern const std::string_view kLibfuzzerMutator;
}  // namespace anecheck::scaffold_templates

namespace anecheck::parserfuzz {
namespace {

namespace templates = scaffold_templates;

struct TemplateFile {
  std::string_view kind;
  std::string_view path;
  const std::string_view* text;
};

constexpr auto kFiles = std::to_array<TemplateFile>({
    {"libfuzzer", "target.c", &templates::kCTarget},
    {"libfuzzer", "mutator.c", &templates::kLibfuzzerMutator},
    {"libfuzzer", "Makefile", &templates::kLibfuzzerMakefile},
    {"afl", "target.c", &templates::kCTarget},
    {"afl", "Makefile", &templates::kAflMakefile},
    {"cargo-fuzz", "fuzz/Cargo.toml", &templates::kCargoManifest},
    {"cargo-fuzz", "fuzz/fuzz_targets/parse.rs", &templates::kCargoTarget},
    {"atheris", "target.py", &templates::kAtherisTarget},
    {"clusterfuzzlite", "target.c", &templates::kCTarget},
    {"clusterfuzzlite", ".clusterfuzzlite/Dockerfile", &templates::kCfliteDockerfile},
    {"clusterfuzzlite", ".clusterfuzzlite/build.sh", &templates::kCfliteBuild},
    {"clusterfuzzlite", ".clusterfuzzlite/project.yaml", &templates::kCfliteProject},
    {"clusterfuzzlite", "README.md", &templates::kCfliteReadme},
});

constexpr std::string_view kKinds[] = {"libfuzzer", "afl", "cargo-fuzz", "atheris",
                                       "clusterfuzzlite"};

constexpr std::string_view kFormatWord = "{{format}}";

std::string Filled(std::string_view text, std::string_view format) {
  std::string filled(text);
  for (size_t at = filled.find(kFormatWord); at != std::string::npos;
       at = filled.find(kFormatWord, at + format.size())) {
    filled.replace(at, kFormatWord.size(), format);
  }
  return filled;
}

}  // namespace

std::span<const std::string_view> ScaffoldKinds() { return kKinds; }

Status WriteScaffold(std::string_view kind, std::string_view format, const std::string& folder) {
  if (std::ranges::find(kKinds, kind) == std::end(kKinds)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--for: {} is none of {}", kind, fmt::join(kKinds, ", ")));
  }
  const auto ours = [&](const TemplateFile& file) { return file.kind == kind; };
  std::error_code none;
  for (const TemplateFile& file : kFiles) {
    const std::string path = fmt::format("{}/{}", folder, file.path);
    if (ours(file) && std::filesystem::exists(path, none)) {
      return MakeError(ErrorCode::kInvalid, fmt::format("{}: is there already", path));
    }
  }
  for (const TemplateFile& file : kFiles) {
    if (!ours(file)) continue;
    const std::string path = fmt::format("{}/{}", folder, file.path);
    ANECHECK_RETURN_IF_ERROR(MakeDirectories(std::filesystem::path(path).parent_path().string()));
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, Filled(*file.text, format)));
  }
  return {};
}

}  // namespace anecheck::parserfuzz
