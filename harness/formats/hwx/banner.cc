#include "harness/formats/hwx/banner.h"

#include <array>
#include <fmt/format.h>

namespace anecheck::hwx {
namespace {

constexpr auto kKnownFlags = std::to_array<KnownFlag>({
    {"-t", "target", FactEvidence::kRealFile},
    {"-i", "input network", FactEvidence::kRealFile},
    {"-o", "output container", FactEvidence::kRealFile},
    {"--fl2-cache-mode", "keep the L2 working set resident", FactEvidence::kSpecification},
    {"--fkernel-rewind", "kernel-stream rewind", FactEvidence::kSpecification},
    {"--split-kernel-section", "split the weight section", FactEvidence::kSpecification},
    {"--max-kernel-section-size", "ceiling of a weight section in bytes",
     FactEvidence::kSpecification},
    {"--e4m3-overflow-setting", "fp8 overflow policy: clamp, not NaN",
     FactEvidence::kSpecification},
    {"--memcache-size", "size of the memory cache in bytes", FactEvidence::kSpecification},
    {"--bss-limit", "limit of the zero-filled data in bytes", FactEvidence::kSpecification},
    {"--foptimize-ne-utilization", "optimize the use of the neural engines",
     FactEvidence::kSpecification},
    {"--enable-global-cw-optimization", "global optimization of channel and width",
     FactEvidence::kAssumed},
});

bool TakesNextToken(std::string_view flag) { return flag == "-t" || flag == "-i" || flag == "-o"; }

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::string_view Next() {
    while (!text_.empty() && IsSpace(text_.front())) text_.remove_prefix(1);
    size_t end = 0;
    while (end < text_.size() && !IsSpace(text_[end])) ++end;
    const std::string_view token = text_.substr(0, end);
    text_.remove_prefix(end);
    return token;
  }
  // Takes the rest of the line and returns it without the spaces around it.
  std::string_view RestOfLine() {
    std::string_view rest = text_.substr(0, text_.find('\n'));
    text_.remove_prefix(rest.size());
    while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && IsSpace(rest.back())) rest.remove_suffix(1);
    return rest;
  }
  // Takes the value of -i or -o. A path may contain spaces, so the value extends to the end of the
  // line or to the next option.
  std::string_view NextPath() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    const size_t line = text_.find('\n');
    const size_t option = text_.find(" -");
    const std::string_view path = text_.substr(0, line < option ? line : option);
    text_.remove_prefix(path.size());
    return path;
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  std::string_view text_;
};

struct ModuleKey {
  std::string_view key;
  std::string_view BannerModule::* member;
};
constexpr auto kModuleKeys = std::to_array<ModuleKey>({
    {"ModuleBundleName:", &BannerModule::bundle},
    {"ModuleVersion:", &BannerModule::version},
    {"CompilationMethod:", &BannerModule::method},
});

// Returns whether the token belongs to the manifest of modules. If it does, also reads its value.
bool TakeModule(std::string_view token, Tokens& tokens, std::vector<BannerModule>& modules) {
  if (token == "Module") {
    std::string_view name = tokens.RestOfLine();
    if (name.ends_with(':')) name.remove_suffix(1);
    modules.push_back({.name = name});
    return true;
  }
  if (modules.empty()) return false;
  if (token == "ModuleCompilationFlags:") return true;
  for (const ModuleKey& key : kModuleKeys) {
    if (token != key.key) continue;
    modules.back().*key.member = tokens.RestOfLine();
    return true;
  }
  return false;
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

const BannerFlag* Banner::Find(std::string_view name) const {
  for (const BannerFlag& flag : flags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

Banner ParseBanner(std::string_view text) {
  Banner banner;
  banner.format = TakeLine(text);
  const std::string_view tool = TakeLine(text);
  const size_t space = tool.find(' ');
  banner.compiler = tool.substr(0, space);
  if (space != std::string_view::npos) {
    banner.version = tool.substr(space + 1);
    if (banner.version.starts_with('v')) banner.version.remove_prefix(1);
  }
  Tokens tokens(text);
  for (std::string_view token = tokens.Next(); !token.empty(); token = tokens.Next()) {
    if (TakeModule(token, tokens, banner.modules)) continue;
    BannerFlag flag{.name = token};
    if (TakesNextToken(token)) {
      flag.has_value = true;
      flag.value = token == "-t" ? tokens.Next() : tokens.NextPath();
    } else if (const size_t equals = token.find('='); equals != std::string_view::npos) {
      flag = {
          .name = token.substr(0, equals), .value = token.substr(equals + 1), .has_value = true};
    }
    if (flag.name == "-t") banner.target = flag.value;
    if (flag.name == "-i") banner.input = flag.value;
    if (flag.name == "-o") banner.output = flag.value;
    banner.flags.push_back(flag);
  }
  return banner;
}

std::string MakeBanner(std::string_view compiler, std::string_view version,
                       const std::vector<std::string>& options,
                       std::span<const BannerModule> modules) {
  std::string text = fmt::format("ANEC v1\n{} v{}\n", compiler, version);
  for (const BannerModule& module : modules) {
    const bool last = &module == &modules.back();  // the options follow the last module
    text += fmt::format("\n Module {}: \n", module.name);
    if (!module.method.empty()) text += fmt::format("\t CompilationMethod: {}\n", module.method);
    text += fmt::format("\t ModuleBundleName: {}\n", module.bundle);
    if (!last) text += "\t ModuleCompilationFlags: \n";
    text += fmt::format("\t ModuleVersion: {}\n", module.version);
    if (last) text += "\t ModuleCompilationFlags: \n";
  }
  for (const std::string& option : options) text += fmt::format("\t{}\n", option);
  return text;
}

const KnownFlag* FindKnownFlag(std::string_view name) {
  for (const KnownFlag& flag : kKnownFlags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

std::vector<std::string> SpecificationOptions() {
  return {"-t h13g",
          "--fl2-cache-mode=resident",
          "--fkernel-rewind=enabled",
          "--split-kernel-section=true",
          "--max-kernel-section-size=134217728",
          "--e4m3-overflow-setting=Saturate",
          "--memcache-size=4194304",
          "--bss-limit=3221225472",
          "--foptimize-ne-utilization=true",
          "--enable-global-cw-optimization=true",
          "-i .../model.mil",
          "-o .../model.hwx.tmp"};
}

bool TargetIsOf(std::string_view target, std::string_view family) {
  if (target.size() < family.size() || target.size() > family.size() + 1) return false;
  return (target[0] | 0x20) == 'h' && target.substr(1, family.size() - 1) == family.substr(1);
}

}  // namespace anecheck::hwx
