// Tests of help, manual page, completion and installation. The help of each subcommand has an
// example, and the texts that are made from the description of the commands name all commands.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "harness/base/file.h"

namespace anecheck {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  int code = -1;
  std::string out, err;
};

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class HelpTest : public ::testing::Test {
 protected:
  Outcome Shell(const std::string& command) {
    const std::string out = folder_->File("out"), err = folder_->File("err");
    const int status = std::system((command + " >" + out + " 2>" + err).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, *ReadTextFile(out), *ReadTextFile(err)};
  }
  Outcome Tool(const std::string& arguments) {
    return Shell(std::string(ANECHECK_TOOL) + " " + arguments);
  }
  bool Has(const std::string& program) { return Shell("command -v " + program).code == 0; }

  // Returns the names of the subcommands that the help of `path` lists.
  std::vector<std::string> Subcommands(const std::string& path) {
    std::vector<std::string> names;
    bool inside = false;
    for (const std::string& line : Lines(Tool(path + " --help").out)) {
      if (inside && line.starts_with("  ") && line[2] != ' ') names.push_back(Words(line)[0]);
      inside = line == "Subcommands:" || (inside && line.starts_with(" "));
    }
    return names;
  }
  // Returns every command that can be called: "run", "finding", "finding export" ...
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    for (const std::string& name : Subcommands("")) {
      paths.push_back(name);
      for (const std::string& below : Subcommands(name)) paths.push_back(name + " " + below);
    }
    return paths;
  }
  // Returns the options that the help of `path` lists.
  std::vector<std::string> Options(const std::string& path) {
    std::vector<std::string> options;
    for (const std::string& line : Lines(Tool(path + " --help").out)) {
      if (!line.starts_with("  -")) continue;
      std::istringstream names(Words(line)[0]);
      for (std::string name; std::getline(names, name, ',');) options.push_back(name);
    }
    return options;
  }
  // Returns the words that bash offers to complete the last of `words`.
  std::vector<std::string> BashOffers(const std::string& words) {
    const std::string script = folder_->File("anecheck.bash");
    EXPECT_EQ(Shell(std::string(ANECHECK_TOOL) + " help --completion bash | tee " + script).code,
              0);
    const Outcome outcome = Shell("bash -c 'source " + script + "; COMP_WORDS=(anecheck " + words +
                                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _anecheck; "
                                  "echo \"${COMPREPLY[*]}\"'");
    EXPECT_EQ(outcome.err, "");
    return Words(outcome.out);
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-help-");
};

std::vector<std::string> Commands() {
  std::vector<std::string> names = {
#define ANECHECK_COMMAND(Name) #Name,
#include "harness/cli/commands.def"
#undef ANECHECK_COMMAND
  };
  for (std::string& name : names) name[0] = static_cast<char>(std::tolower(name[0]));
  return names;
}

TEST_F(HelpTest, ListsEveryRowOfTheTableInItsOrder) {
  EXPECT_EQ(Subcommands(""), Commands());
  EXPECT_EQ(Tool("help").out, Tool("--help").out);
}

TEST_F(HelpTest, EachSubcommandHasAnExampleWithOptionsThatItHas) {
  for (const std::string& path : Paths()) {
    const Outcome help = Tool("help " + path);
    EXPECT_EQ(help.code, 0) << path << help.err;
    EXPECT_EQ(help.out, Tool(path + " --help").out) << path;
    const std::vector<std::string> options = Options(path), below = Subcommands(path);
    int examples = 0;
    for (const std::string& line : Lines(help.out)) {
      if (!line.starts_with("Example: ")) continue;
      EXPECT_THAT(line, StartsWith("Example: anecheck " + path)) << path;
      ++examples;
      // The words after a pipe or a lone -- belong to another program.
      for (const std::string& word : Words(line.substr(0, line.find_first_of("|>&;")))) {
        if (word == "--") break;
        if (word.starts_with("--") && below.empty()) {
          EXPECT_THAT(options, Contains(word)) << line;
        }
      }
    }
    EXPECT_GE(examples, 1) << path;
  }
}

TEST_F(HelpTest, EveryOptionIsExplained) {
  for (const std::string& path : Paths()) {
    for (const std::string& line : Lines(Tool("help " + path).out)) {
      // The parser prints a long name on its own line and its text on the next line.
      if (!line.starts_with("  ") || line[2] == ' ') continue;
      EXPECT_GE(Words(line).size(), line.size() < 29 ? 2u : 1u) << path << ": " << line;
    }
  }
}

TEST_F(HelpTest, AnUnknownSubcommandIsBadUsage) {
  const Outcome help = Tool("help no-such-thing");
  EXPECT_EQ(help.code, 2);
  EXPECT_THAT(help.err, HasSubstr("no-such-thing"));
  EXPECT_EQ(Tool("help finding import").code, 2);
  EXPECT_EQ(Tool("help --completion fish").code, 2);
  EXPECT_EQ(Tool("help run --man").code, 2);
}

TEST_F(HelpTest, TheManualPageNamesAllAndIsRightRoff) {
  const Outcome page = Tool("help --man");
  ASSERT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, StartsWith(".TH ANECHECK 1"));
  if (!Has("groff")) GTEST_SKIP() << "groff is not installed";
  const Outcome text =
      Shell(std::string(ANECHECK_TOOL) + " help --man | groff -man -Tascii -P-cbou -ww -rLL=1000n");
  EXPECT_EQ(text.err, "");
  for (const std::string& path : Paths()) {
    EXPECT_THAT(text.out, HasSubstr("\n   anecheck " + path + "\n")) << path;
    for (const std::string& option : Options(path)) EXPECT_THAT(text.out, HasSubstr(option));
  }
  for (const std::string& line : Lines(Tool("help run").out)) {
    if (line.starts_with("Example: ")) {
      EXPECT_THAT(text.out, HasSubstr(line.substr(sizeof("Example: ") - 1)));
    }
  }
}

TEST_F(HelpTest, BashOffersTheCommandsAndOptionsOfHelp) {
  if (!Has("bash")) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(BashOffers("\"\""), Commands());
  EXPECT_EQ(BashOffers("help \"\""), Commands());
  EXPECT_EQ(BashOffers("sh"), std::vector<std::string>{"shrink"});
  EXPECT_EQ(BashOffers("finding \"\""), Subcommands("finding"));
  for (const std::string& path : Paths()) {
    std::vector<std::string> offers = BashOffers(path + " -"), options = Options(path);
    std::sort(offers.begin(), offers.end());
    std::sort(options.begin(), options.end());
    EXPECT_EQ(offers, options) << path;
  }
}

TEST_F(HelpTest, BashOffersTheValuesOfTheTables) {
  if (!Has("bash")) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(BashOffers("help --completion \"\""), (std::vector<std::string>{"bash", "zsh"}));
  EXPECT_THAT(BashOffers("run --ops conv_"), Contains("conv_transpose"));
  EXPECT_EQ(BashOffers("run --ops add,soft"),
            (std::vector<std::string>{"add,softmax", "add,softplus", "add,softplus_parametric",
                                      "add,softsign"}));
  EXPECT_THAT(BashOffers("run --targets \"\""), Contains("h17s"));
  EXPECT_THAT(BashOffers("gen --format hw"), Contains("hwx"));
  // If the next word is a file, the shell's own completion takes over.
  EXPECT_THAT(BashOffers("run --db \"\""), IsEmpty());
}

TEST_F(HelpTest, ZshCompletesAsItIsTyped) {
  if (!Has("zsh")) GTEST_SKIP() << "zsh is not installed";
  const std::string script = folder_->File("_anecheck");
  ASSERT_EQ(Shell(std::string(ANECHECK_TOOL) + " help --completion zsh | tee " + script).code, 0);
  EXPECT_EQ(Shell("zsh -f -n " + script).err, "");
  const Outcome completed =
      Shell("timeout 60 zsh -f " ANECHECK_SOURCE_DIR "/harness/cli/testing/complete.zsh " + script +
            " 'anecheck shr' 'anecheck finding ex' 'anecheck run --res' 'anecheck help shr'"
            " 'anecheck matrix --format ht' 'anecheck run --targets h13,h17s'"
            " 'anecheck run --ops cosh'");
  EXPECT_EQ(completed.err, "");
  EXPECT_EQ(completed.out,
            "anecheck shrink \n"
            "anecheck finding export \n"
            "anecheck run --resume \n"
            "anecheck help shrink \n"
            "anecheck matrix --format html \n"
            "anecheck run --targets h13,h17s,\n"
            "anecheck run --ops cosh,\n");
}

TEST_F(HelpTest, AnInstalledToolFindsItsEngineAndBringsItsManual) {
  const std::string prefix = folder_->File("prefix");
  const Outcome install = Shell("'" ANECHECK_CMAKE "' --install '" ANECHECK_BINARY_DIR
                                "' --component anecheck --prefix " +
                                prefix);
  ASSERT_EQ(install.code, 0) << install.err;
  const Outcome doctor = Shell(prefix + "/bin/anecheck doctor");
  EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
  EXPECT_THAT(doctor.out, HasSubstr(prefix));
  EXPECT_EQ(*ReadTextFile(prefix + "/share/man/man1/anecheck.1"), Tool("help --man").out);
  EXPECT_EQ(*ReadTextFile(prefix + "/share/bash-completion/completions/anecheck"),
            Tool("help --completion bash").out);
  EXPECT_EQ(*ReadTextFile(prefix + "/share/zsh/site-functions/_anecheck"),
            Tool("help --completion zsh").out);
}

}  // namespace
}  // namespace anecheck
