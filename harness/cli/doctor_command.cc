// `anecheck doctor`: prints the engine of this machine, and the next commands.
#include <fmt/format.h>
#include <memory>
#include <sys/utsname.h>
#include <utility>

#include "harness/base/parallel_for.h"
#include "harness/base/version.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/run_row.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/runners/chip_target.h"
#include "harness/runners/e5rt_library.h"
#include "harness/runners/machine.h"

namespace anecheck {
namespace {

#if defined(__has_feature)
#define ANECHECK_HAS_FEATURE(feature) __has_feature(feature)
#else
#define ANECHECK_HAS_FEATURE(feature) 0
#endif

std::vector<std::string> Sanitizers() {
  std::vector<std::string> names;
#if ANECHECK_HAS_FEATURE(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
  names.emplace_back("address");
#endif
#if ANECHECK_HAS_FEATURE(undefined_behavior_sanitizer)
  names.emplace_back("undefined");
#endif
#if ANECHECK_HAS_FEATURE(thread_sanitizer) || defined(__SANITIZE_THREAD__)
  names.emplace_back("thread");
#endif
#if ANECHECK_HAS_FEATURE(memory_sanitizer)
  names.emplace_back("memory");
#endif
  return names;
}

Json Machine() {
  utsname system{};
  uname(&system);
  const std::string chip = ChipName();
  return {{"os", fmt::format("{} {}", system.sysname, system.release)},
          {"architecture", system.machine},
          {"processors", DefaultJobs()},
          {"chip", chip},
          {"target", TargetOfChip(chip)}};
}

// Asks a worker process to load the library, because a library may crash when it is loaded.
Json Engine(const std::string& library) {
  const std::string path = library.empty() ? DefaultEspressoPath() : library;
  E5rtRunner runner({.library = path});
  const auto identity = runner.Identify();
  Json engine = {{"path", path}, {"found", identity.ok()}};
  engine["provenance"] = identity.ok() ? std::string(ToText(identity->provenance)) : "";
  engine["version"] = identity.ok() ? identity->engine : "";
  engine["message"] = identity.ok() ? "" : identity.error().message;
  return engine;
}

Json Build() {
  Json libraries = Json::object();
  for (const auto& [name, version] : LibraryVersions()) libraries[name] = version;
  libraries["CLI11"] = ParserVersion();
  return {{"version", kToolVersion},
          {"compiler", __VERSION__},
          {"sanitizers", Sanitizers()},
          {"libraries", std::move(libraries)}};
}

// Quotes `path` so that a shell reads it as one word.
std::string Quoted(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:=@%";
  if (path.find_first_not_of(kPlain) == std::string::npos) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// `library` is the value of --espresso-lib; empty for the default.
Json NextSteps(const Json& engine, const Json& machine, const std::string& library) {
  Json steps = Json::array();
  const std::string target = machine["target"].get<std::string>();
  std::string options = library.empty() ? "" : " --espresso-lib " + Quoted(library);
  if (!target.empty()) options += " --targets " + target;
  const bool silicon = engine["provenance"] == ToText(Provenance::kSilicon);
  if (silicon && target.empty()) {
    // CheckOwnTarget would refuse every target, so a campaign on this engine would end before its
    // first case.
    steps.push_back(
        "the target of this machine's chip is unknown, so that answers of its engine cannot be "
        "judged; name another engine: --espresso-lib FILE, or ANECHECK_ESPRESSO=FILE");
  } else if (engine["found"].get<bool>()) {
    steps.push_back("anecheck run --cases 2000" + options + " --db results.sqlite");
    steps.push_back("anecheck probe" + options);
    steps.push_back("anecheck report --db results.sqlite --out report");
  } else {
    steps.push_back(
        "build the target anecheck_espresso, or name an engine: --espresso-lib FILE, or "
        "ANECHECK_ESPRESSO=FILE");
  }
  steps.push_back("anecheck run --runner roundtrip --cases 2000 --db roundtrip.sqlite");
  if (!silicon) {
    steps.push_back(
        "for evidence of silicon: run on a Mac with an Apple chip, or through an external program: "
        "--runner exec:COMMAND (harness/runners/PROTOCOL.md)");
  }
  return steps;
}

std::string Text(const Json& json) {
  const auto word = [](const Json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    return text.empty() ? std::string("unknown") : text;
  };
  const Json& machine = json["machine"];
  const Json& engine = json["engine"];
  std::string text =
      fmt::format("machine   {}, {}, {} processors, chip {}, target {}\n", word(machine["os"]),
                  word(machine["architecture"]), word(machine["processors"]), word(machine["chip"]),
                  word(machine["target"]));
  text += engine["found"].get<bool>()
              ? fmt::format("engine    {} ({}) in {}\n", word(engine["version"]),
                            word(engine["provenance"]), word(engine["path"]))
              : fmt::format("engine    none: {}\n", word(engine["message"]));
  const Json& build = json["build"];
  text +=
      fmt::format("build     anecheck {}, {}\n", word(build["version"]), word(build["compiler"]));
  text += fmt::format("checks    {}\n",
                      build["sanitizers"].empty() ? "no sanitizer" : build["sanitizers"].dump());
  text += "libraries";
  for (const auto& [name, version] : build["libraries"].items()) {
    text += fmt::format(" {} {}", name, word(version));
  }
  text += "\nnext\n";
  for (const Json& step : json["next"]) text += fmt::format("  {}\n", word(step));
  return text;
}

int Run(const std::string& library, bool json) {
  Json report;
  report["machine"] = Machine();
  report["engine"] = Engine(library);
  report["build"] = Build();
  report["runners"] = {{"e5rt", report["engine"]["found"]}, {"roundtrip", true}, {"exec", true}};
  report["next"] = NextSteps(report["engine"], report["machine"], library);
  json ? Print(report.dump(2)) : PrintText(Text(report));
  return report["engine"]["found"].get<bool>() ? kExitClean : kExitUsage;
}

}  // namespace

void AddDoctorCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("doctor", "Show the engines of this machine and the next commands");
  auto library = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command.AddOption("--espresso-lib", *library,
                    "Engine to examine (default: the engine that `run` uses)");
  command.AddFlag("--json", *json, "Print JSON");
  command.Footer("Example: anecheck doctor\nExit code 2: no engine can be loaded.");
  command.WhenChosen(
      [library, json, &selected] { selected = [library, json] { return Run(*library, *json); }; });
}

}  // namespace anecheck
