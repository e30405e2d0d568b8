#include "harness/models/package.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "harness/base/checksum.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/base/mapped_file.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/formats/mlmodel/schema.h"

namespace anecheck {
namespace {

constexpr std::string_view kManifest = "Manifest.json";
constexpr std::string_view kCompiledText = "model.mil";
constexpr uint32_t kNeuralNetwork = 500;  // the kind's number in model files
constexpr uint64_t kMostManifest = uint64_t{1} << 20;
// Items of the manifest are in this folder of a package.
constexpr std::string_view kData = "Data";
constexpr std::string_view kAuthor = "com.apple.CoreML";

bool IsThere(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

Error InPackage(const std::string& path, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", path, what));
}

// Opens a file, which must be inside `folder`.
Result<MappedFile> OpenInside(const std::string& path, const std::string& folder) {
  ANECHECK_ASSIGN(const std::string real, ResolveInside(path, {&folder, 1}));
  return MappedFile::Open(real);
}

// The path of the root model below Data.
Result<std::string> RootPath(const std::string& manifest, std::string_view text) {
  ANECHECK_ASSIGN(const Json json, json_fields::ParseDocument(text, manifest));
  ANECHECK_ASSIGN(const std::string root,
                  json_fields::String(json, "rootModelIdentifier", manifest));
  const auto items = json.find("itemInfoEntries");
  const auto item = items == json.end() || !items->is_object() ? json.end() : items->find(root);
  if (items == json.end() || !items->is_object() || item == items->end()) {
    return InPackage(manifest, "itemInfoEntries has no entry of the root model");
  }
  return json_fields::String(*item, "path", manifest);
}

Result<ModelPlace> FindInPackage(const std::string& package) {
  const std::string manifest = fmt::format("{}/{}", package, kManifest);
  ANECHECK_ASSIGN(const MappedFile file, OpenInside(manifest, package));
  if (file.bytes().size() > kMostManifest) {
    return MakeError(ErrorCode::kLimit,
                     fmt::format("{}: more than {} bytes", manifest, kMostManifest));
  }
  const std::string text(file.bytes().begin(), file.bytes().end());
  ANECHECK_ASSIGN(const std::string root, RootPath(manifest, text));
  const std::string model = fmt::format("{}/{}/{}", package, kData, root);
  ANECHECK_ASSIGN(const std::string real, ResolveInside(model, {&package, 1}));
  return ModelPlace{real, std::filesystem::path(real).parent_path().string(), true};
}

Error InPipeline(const std::string& folder) {
  std::vector<std::string> programs;
  std::string model = folder + "/model0";
  for (int i = 1; IsFolder(model); model = fmt::format("{}/model{}", folder, i++)) {
    if (IsThere(fmt::format("{}/{}", model, kCompiledText))) programs.push_back(model);
  }
  return MakeError(
      ErrorCode::kUnsupported,
      programs.empty()
          ? fmt::format(
                "{}: is a compiled pipeline without ML Programs; only ML Programs are read: "
                "{}",
                folder, mlmodel::WayToProgram(kNeuralNetwork))
          : fmt::format("{}: is a compiled pipeline; name its ML Program: {}", folder,
                        fmt::join(programs, " or ")));
}

Result<ModelPlace> FindInFolder(const std::string& folder) {
  if (IsThere(fmt::format("{}/{}", folder, kManifest))) return FindInPackage(folder);
  const std::string text = fmt::format("{}/{}", folder, kCompiledText);
  if (IsThere(text)) {
    ANECHECK_ASSIGN(const std::string real, ResolveInside(text, {&folder, 1}));
    return ModelPlace{real, folder, true};
  }
  for (const char* name : {"model.espresso.net", "model.espresso.shape"}) {
    if (!IsThere(fmt::format("{}/{}", folder, name))) continue;
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{0}: is a compiled model of the kind \"neural network\" "
                                 "(Espresso); only ML Programs are read: {1}; `anecheck inspect "
                                 "{0}/{2}` shows the network",
                                 folder, mlmodel::WayToProgram(kNeuralNetwork), name));
  }
  if (IsFolder(folder + "/model0")) return InPipeline(folder);
  if (IsThere(folder + "/coremldata.bin")) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: is a compiled model without model.mil, so that it is no ML "
                                 "Program; only ML Programs are read",
                                 folder));
  }
  return InPackage(folder,
                   "is a folder without Manifest.json and model.mil: neither a package nor "
                   "a compiled model");
}

// An identifier in the form of a UUID, computed from bytes.
std::string Identifier(std::string_view what, std::span<const uint8_t> bytes) {
  std::vector<uint8_t> all(what.begin(), what.end());
  all.insert(all.end(), bytes.begin(), bytes.end());
  const uint32_t low = Crc32(all);
  all.push_back(1);
  const uint32_t high = Crc32(all);
  return fmt::format("{:08X}-{:04X}-4{:03X}-8{:03X}-{:08X}{:04X}", low, high >> 16, high & 0xfff,
                     low & 0xfff, high, low >> 16);
}

Json Item(std::string_view name, std::string_view description) {
  return {{"author", kAuthor},
          {"description", description},
          {"name", name},
          {"path", fmt::format("{}/{}", kAuthor, name)}};
}

}  // namespace

Result<ModelPlace> FindModel(const std::string& path) {
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.ends_with('/')) trimmed.pop_back();
  if (IsFolder(trimmed)) return FindInFolder(trimmed);
  const size_t slash = trimmed.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : trimmed.substr(0, slash);
  return ModelPlace{path, folder, false};
}

bool IsModelFile(const std::string& file, std::string_view text) {
  return mlmodel::MayBeModel(text) || (file.ends_with(".mlmodel") && !text.starts_with("program"));
}

Status WritePackage(const std::string& folder, std::string_view model,
                    std::span<const uint8_t> weights) {
  std::error_code code;
  if (IsThere(folder) && !std::filesystem::is_empty(folder, code)) {
    return InPackage(folder, "already exists; remove it, or name another folder");
  }
  const std::string content = fmt::format("{}/{}/{}", folder, kData, kAuthor);
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(content));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(content + "/model.mlmodel", model));
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(model.data()),
                                       model.size());
  const std::string root = Identifier("model", bytes);
  Json items = {{root, Item("model.mlmodel", "CoreML Model Specification")}};
  if (!weights.empty()) {
    ANECHECK_RETURN_IF_ERROR(MakeDirectories(content + "/weights"));
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(content + "/weights/weight.bin", weights));
    items[Identifier("weights", bytes)] = Item("weights", "CoreML Model Weights");
  }
  const Json manifest = {
      {"fileFormatVersion", "1.0.0"}, {"itemInfoEntries", items}, {"rootModelIdentifier", root}};
  return WriteFileAtomic(fmt::format("{}/{}", folder, kManifest), DumpJson(manifest, 4) + "\n");
}

}  // namespace anecheck
