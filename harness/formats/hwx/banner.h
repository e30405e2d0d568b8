// The build-info banner, which has the compiler invocation that made a container. Used by print,
// rules and builder. Sources: specification 000, listing 23.4; facts/hwx.md, build info.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck::hwx {

// One option. If `value` is empty, `has_value` is true for an empty value, false for none.
struct BannerFlag {
  std::string_view name;  // with its dashes: "-t", "--fl2-cache-mode"
  std::string_view value;
  bool has_value = false;
};

// One entry of the build manifest: a framework that took part in the compilation. Real files of
// compilers 7.6.4 and 9.509.0 have two entries, each under a line "Module NAME:".
struct BannerModule {
  std::string_view name;     // "0", "ANEC"
  std::string_view bundle;   // "com.apple.ANECompilerFramework"
  std::string_view version;  // "9.509.0"
  std::string_view method;   // "V1"; empty if none is given
};

// The members refer to the text that was parsed.
struct Banner {
  std::string_view format;    // "ANEC v1"
  std::string_view compiler;  // "zin_ane_compiler"
  std::string_view version;   // "4.2.1", without the v
  std::string_view target;    // the value of -t
  std::string_view input;     // -i
  std::string_view output;    // -o
  std::vector<BannerModule> modules;
  std::vector<BannerFlag> flags;

  const BannerFlag* Find(std::string_view name) const;
};

// Reads the parts that are present. Missing parts stay empty.
Banner ParseBanner(std::string_view text);

// The compiler in every real file. The JSON form of its banners is the version and the options.
inline constexpr std::string_view kAppleCompiler = "zin_ane_compiler";

// Returns the text that a compiler writes: the modules of its manifest, if any, and one line with a
// tab and the option for each option.
std::string MakeBanner(std::string_view compiler, std::string_view version,
                       const std::vector<std::string>& options,
                       std::span<const BannerModule> modules = {});

// An option whose meaning is known from a source.
struct KnownFlag {
  std::string_view name;
  std::string_view meaning;
  FactEvidence evidence;
};
const KnownFlag* FindKnownFlag(std::string_view name);
// Returns the options of specification 000, listing 23.4, in the order of the listing.
std::vector<std::string> SpecificationOptions();

// Returns whether a banner's -t names this generation. For example, "h13" and "h13g" name "H13".
bool TargetIsOf(std::string_view target, std::string_view family);

}  // namespace anecheck::hwx
