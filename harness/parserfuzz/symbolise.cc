#include "harness/parserfuzz/symbolise.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include "harness/parserfuzz/command.h"
#include "harness/parserfuzz/runtime_frames.h"

namespace anecheck::parserfuzz {
namespace {

constexpr int kTimeout = 60000;
constexpr std::string_view kUnknown = "??";

struct RawFrame {
  std::string_view address;
  std::string_view module;
  std::string_view offset;
};

// Reads a line like "    #0 0x55d2  (/tmp/parser+0x1a2b) (BuildId: ab12)".
std::optional<RawFrame> ReadRawFrame(std::string_view line) {
  const size_t number = line.find('#');
  if (number == std::string_view::npos || line.find_first_not_of(' ') != number) return {};
  const size_t address = line.find(" 0x", number);
  const size_t open = line.find("  (/", number);
  if (address == std::string_view::npos || open == std::string_view::npos || open < address) {
    return {};
  }
  const size_t close = line.find(')', open);
  const size_t plus = line.rfind("+0x", close);
  if (close == std::string_view::npos || plus == std::string_view::npos || plus < open) return {};
  return RawFrame{line.substr(address + 1, open - address - 1),
                  line.substr(open + 3, plus - open - 3), line.substr(plus + 1, close - plus - 1)};
}

template <typename See>
void ForLines(std::string_view text, const See& see) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    see(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string FindSymboliser() {
  constexpr int kNewest = 24, kOldest = 13;
  const char* path = std::getenv("PATH");
  std::vector<std::string> names = {"llvm-symbolizer"};
  for (int version = kNewest; version >= kOldest; --version) {
    names.push_back(fmt::format("llvm-symbolizer-{}", version));
  }
  for (const std::string& name : names) {
    for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
      const size_t end = std::min(rest.find(':'), rest.size());
      const std::filesystem::path file = std::filesystem::path(rest.substr(0, end)) / name;
      std::error_code none;
      if (std::filesystem::exists(file, none)) return file.string();
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return "";
}

}  // namespace

const std::string& SymboliserPath() {
  static const std::string path = FindSymboliser();
  return path;
}

std::string Symboliser::Symbolise(const std::string& report) {
  if (SymboliserPath().empty()) return report;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, std::vector<std::string>> unknown;
  ForLines(report, [&](std::string_view line) {
    const auto frame = ReadRawFrame(line);
    if (!frame) return;
    const Place place(frame->module, frame->offset);
    if (frames_.emplace(place, std::vector<std::string>()).second) {
      unknown[place.first].push_back(place.second);
    }
  });
  for (const auto& [module, offsets] : unknown) Learn(module, offsets);
  std::string text;
  int number = 0;
  ForLines(report, [&](std::string_view line) {
    const auto frame = ReadRawFrame(line);
    if (!frame) {
      text.append(line).append("\n");
      if (line.find('#') == std::string_view::npos) number = 0;
      return;
    }
    const std::vector<std::string>& names =
        frames_[{std::string(frame->module), std::string(frame->offset)}];
    if (names.empty()) {
      text += fmt::format("    #{} {}  ({}+{})\n", number++, frame->address, frame->module,
                          frame->offset);
    }
    for (const std::string& name : names) {
      text += fmt::format("    #{} {} {}\n", number++, frame->address, name);
    }
  });
  return text;
}

// The output of llvm-symbolizer has a block for each place. A block has pairs of lines, the
// function and "file:line:column", and ends with an empty line.
void Symboliser::Learn(const std::string& module, const std::vector<std::string>& offsets) {
  std::vector<std::string> command = {SymboliserPath(), "--obj=" + module};
  command.insert(command.end(), offsets.begin(), offsets.end());
  const auto outcome = RunCommand(command, "", {.timeout_ms = kTimeout});
  if (!outcome.ok() || outcome->exit_code != 0) return;
  size_t place = 0;
  std::string function;
  ForLines(outcome->out, [&](std::string_view line) {
    if (line.empty()) {
      ++place;
    } else if (function.empty()) {
      function = line;
    } else {
      const bool known = place < offsets.size() && function != kUnknown;
      // Lines of libraries would look like lines of the parser.
      const bool has_line = !line.starts_with(kUnknown) && !IsRuntimeModule(module);
      if (known) {
        frames_[{module, offsets[place]}].push_back(
            has_line ? fmt::format("in {} {}", function, line)
                     : fmt::format("in {} ({}+{})", function, module, offsets[place]));
      }
      function.clear();
    }
  });
}

}  // namespace anecheck::parserfuzz
