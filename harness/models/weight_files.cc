#include "harness/models/weight_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "harness/lowering/graph_to_mil.h"
#include "harness/models/made_up.h"

namespace anecheck {
namespace {

constexpr std::string_view kModelPath = "@model_path";
constexpr std::string_view kIfMissing = "name the file with --weights, or give --made-up-weights";
constexpr std::string_view kIfElsewhere =
    "a model's weights are read from its own folder, from files of --weights and from folders of "
    "--allow-path";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string PathIn(const std::string& folder, std::string_view path) {
  if (path.starts_with(kModelPath)) {
    const std::string_view rest = path.substr(kModelPath.size());
    return fmt::format("{}{}{}", folder, rest.starts_with('/') ? "" : "/", rest);
  }
  if (path.starts_with('/')) return std::string(path);
  return fmt::format("{}/{}", folder, path);
}

// The place of an error in a weight file is in the message, because an offset would be taken for a
// place in the model's text.
Error InFile(std::string_view file, const Error& error) {
  return MakeError(error.code, fmt::format("{}: {}", file, error.message));
}

}  // namespace

Status CheckGivenFiles(std::span<const std::string> named, std::span<const std::string> given) {
  const std::set<std::string, std::less<>> paths(named.begin(), named.end());
  if (paths.size() == 1 && given.size() == 1) return {};
  std::set<std::string_view> names;
  for (const std::string& path : paths) names.insert(BaseName(path));
  for (const std::string& file : given) {
    if (names.contains(BaseName(file))) continue;
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("--weights {}: the model names {}", file,
                    names.empty() ? "no weight file"
                                  : fmt::format("{}, none of that name", fmt::join(names, ", "))));
  }
  return {};
}

WeightFiles::WeightFiles(std::string folder, std::span<const std::string> named,
                         WeightOptions options)
    : folders_{std::move(folder)},
      named_count_(std::set<std::string>(named.begin(), named.end()).size()),
      options_(std::move(options)) {
  folders_.insert(folders_.end(), options_.allowed.begin(), options_.allowed.end());
}

Result<SharedBytes> WeightFiles::Read(std::string_view path, uint64_t offset,
                                      const TensorType& type) {
  ANECHECK_ASSIGN(const File* const file, Open(path));
  if (file->mapped == nullptr) return MakeUp(type, offset);
  auto bytes = ReadMilBlob(file->mapped->bytes(), offset, type, file->mapped);
  if (!bytes.ok()) return InFile(file->path, bytes.error());
  return bytes;
}

Result<SharedBytes> WeightFiles::ReadPlain(std::string_view path, uint64_t offset,
                                           const TensorType& type) {
  ANECHECK_ASSIGN(const File* const file, Open(path));
  if (file->mapped == nullptr) return MakeUp(type, offset);
  const std::span<const uint8_t> all = file->mapped->bytes();
  const auto size = static_cast<uint64_t>(type.ByteSize());
  if (offset <= all.size() && size <= all.size() - offset) {
    return SharedBytes{all.subspan(offset, size), file->mapped};
  }
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {} bytes at {} are outside of its {}",
                                                    file->path, size, offset, all.size()));
}

SharedBytes WeightFiles::MakeUp(const TensorType& type, uint64_t seed) {
  ++made_up_count_;
  const auto made_up = std::make_shared<std::vector<uint8_t>>(MadeUpConstant(type, seed));
  return SharedBytes{*made_up, made_up};
}

Result<SharedBytes> WeightFiles::ReadWhole(std::string_view path) {
  ANECHECK_ASSIGN(const File* const file, Open(path));
  if (file->mapped != nullptr) return SharedBytes{file->mapped->bytes(), file->mapped};
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("{}: is missing, and cannot be made up, because its size is not known",
                  file->path));
}

const std::string* WeightFiles::Given(std::string_view path) const {
  const auto found = std::ranges::find(options_.files, BaseName(path), BaseName);
  if (found != options_.files.end()) return &*found;
  return named_count_ == 1 && options_.files.size() == 1 ? &options_.files.front() : nullptr;
}

Result<std::string> WeightFiles::Place(std::string_view path) const {
  if (path.find('\0') != std::string_view::npos) {
    return MakeError(ErrorCode::kInvalid, "the path of a weight file holds a zero byte");
  }
  auto real = ResolveInside(PathIn(folders_.front(), path), folders_);
  if (real.ok()) return real;
  const bool missing = real.error().code == ErrorCode::kNotFound;
  return MakeError(real.error().code, fmt::format("{}; {}", real.error().message,
                                                  Remedy(missing ? kIfMissing : kIfElsewhere)));
}

std::string_view WeightFiles::Remedy(std::string_view of_options) const {
  return options_.remedy.empty() ? of_options : options_.remedy;
}

Result<WeightFiles::File> WeightFiles::Map(std::string_view path) const {
  const std::string* const given = Given(path);
  const Result<std::string> place = given != nullptr ? Result<std::string>(*given) : Place(path);
  if (!place.ok()) return place.error();
  auto mapped = MappedFile::Open(*place);
  if (mapped.ok()) return File{*place, std::make_shared<const MappedFile>(std::move(*mapped))};
  Error error = mapped.error();
  const bool is_pointer = given == nullptr && error.code == ErrorCode::kNotFound;
  if (is_pointer) error.message += fmt::format("; {}", Remedy(kIfMissing));
  return error;
}

Result<const WeightFiles::File*> WeightFiles::Open(std::string_view path) {
  const auto known = files_.find(path);
  if (known != files_.end()) return &known->second;
  Result<File> file = Map(path);
  if (!file.ok()) {
    const bool may_be_missing = options_.made_up && Given(path) == nullptr;
    if (file.error().code != ErrorCode::kNotFound || !may_be_missing) return file.error();
    file = File{PathIn(folders_.front(), path), nullptr};
    missing_.insert(file->path);
  }
  return &files_.emplace(path, std::move(*file)).first->second;
}

}  // namespace anecheck
