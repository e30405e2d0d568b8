#include "harness/base/pointer_file.h"

#include <fmt/format.h>

namespace anecheck {
namespace {

struct PointerKind {
  std::string_view start;
  std::string_view tool;
  std::string_view command;
};
constexpr PointerKind kKinds[] = {
    {"version https://git-lfs.github.com/spec/", "Git LFS", "git lfs pull"},
    {"/annex/objects/", "git-annex", "git annex get"},
};
constexpr size_t kMostPointer = 1024;  // a pointer of Git LFS is smaller

}  // namespace

Status CheckNotPointer(const std::string& path, std::string_view content) {
  if (content.size() >= kMostPointer) return {};
  for (const PointerKind& kind : kKinds) {
    if (!content.starts_with(kind.start)) continue;
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: is a pointer of {}, not the file itself; fetch it with `{}`",
                                 path, kind.tool, kind.command));
  }
  return {};
}

}  // namespace anecheck
