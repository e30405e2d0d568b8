// The subcommands for files as a person or a script meets them: gen, inspect, encode and diff.
#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "generators/formats/registry/registry.h"
#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/base/testing/test_data.h"

namespace anecheck {
namespace {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

class FormatsCliTest : public ::testing::Test {
 protected:
  Outcome Tool(const std::string& arguments) {
    const std::string command =
        std::string(ANECHECK_TOOL) + " " + arguments + " >" + Path("out") + " 2>" + Path("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, *ReadTextFile(Path("out")),
            *ReadTextFile(Path("err"))};
  }
  std::string Path(const std::string& name) const { return folder_->File(name); }
  // Generates files into a folder of this name.
  void Gen(const std::string& name, const std::string& arguments) {
    const Outcome gen = Tool("gen --out " + Path(name) + " " + arguments);
    ASSERT_EQ(gen.code, 0) << gen.err;
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-formats-");
};

TEST_F(FormatsCliTest, GeneratedFilesAreCleanAndTheSameSeedGivesTheSame) {
  Gen("a", "--format e5 --count 3 --seed 5");
  Gen("b", "--format e5 --count 3 --seed 5 --valid");
  Gen("c", "--format e5 --count 3 --seed 6");
  for (const std::string file : {"/e5_000000.e5", "/e5_000002.e5"}) {
    EXPECT_EQ(*ReadFile(Path("a" + file)), *ReadFile(Path("b" + file)));
    EXPECT_NE(*ReadFile(Path("a" + file)), *ReadFile(Path("c" + file)));
    const Outcome inspect = Tool("inspect --verify --strict " + Path("a" + file));
    EXPECT_EQ(inspect.code, 0) << inspect.out;
  }
}

TEST_F(FormatsCliTest, AMustRejectSetIsRejectedForTheRulesOfItsManifest) {
  Gen("m", "--format vmfb --count 15 --must-reject");
  const Json manifest = *ParseJson(*ReadTextFile(Path("m/manifest.json")));
  ASSERT_EQ(manifest["files"].size(), 15u);
  for (const Json& entry : manifest["files"]) {
    const Outcome inspect = Tool("inspect --verify --strict --format vmfb " +
                                 Path("m/" + entry["file"].get<std::string>()));
    EXPECT_NE(inspect.code, 0) << entry;
    EXPECT_NE((inspect.out + inspect.err).find(entry["breaks"].get<std::string>()),
              std::string::npos)
        << entry << inspect.out << inspect.err;
  }
}

TEST_F(FormatsCliTest, AManifestMakesTheSameFilesAgain) {
  Gen("m", "--format netlist --count 5 --seed 9 --mutated");
  Gen("again", "--replay " + Path("m/manifest.json"));
  for (const std::string name : {"manifest.json", "netlist_000000.plist", "netlist_000004.plist"}) {
    EXPECT_EQ(*ReadFile(Path("m/" + name)), *ReadFile(Path("again/" + name))) << name;
  }
}

TEST_F(FormatsCliTest, GenSaysWhatItNeeds) {
  const Outcome none = Tool("gen --out " + Path("x"));
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--format"), std::string::npos);
  const Outcome unknown = Tool("gen --format jpeg --out " + Path("x"));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("there are activation, e5"), std::string::npos) << unknown.err;
  EXPECT_EQ(Tool("gen --format e5 --mutated --must-reject --out " + Path("x")).code, 2);
}

TEST_F(FormatsCliTest, AnEditThroughJsonIsTheOneDifference) {
  Gen("m", "--format e5 --count 1 --seed 5");
  const std::string file = Path("m/e5_000000.e5");
  ASSERT_EQ(Tool("inspect --json " + file).code, 0);
  Json json = *ParseJson(*ReadTextFile(Path("out")));
  ASSERT_TRUE(WriteFileAtomic(Path("same.json"), DumpJson(json)).ok());
  json["content"]["root"]["sections"][0]["name"] = "renamed";
  ASSERT_TRUE(WriteFileAtomic(Path("edited.json"), DumpJson(json)).ok());
  ASSERT_EQ(Tool("encode " + Path("same.json") + " " + Path("same.e5")).code, 0);
  ASSERT_EQ(Tool("encode " + Path("edited.json") + " " + Path("edited.e5")).code, 0);
  EXPECT_EQ(*ReadFile(file), *ReadFile(Path("same.e5")));

  const Outcome same = Tool("diff " + file + " " + Path("same.e5"));
  EXPECT_EQ(same.code, 0);
  EXPECT_EQ(same.out, "the files are the same\n");
  const Outcome differ = Tool("diff " + file + " " + Path("edited.e5"));
  EXPECT_EQ(differ.code, 1);
  EXPECT_TRUE(differ.out.starts_with("~ root.sections[0].name: ")) << differ.out;
  EXPECT_EQ(differ.out.find('\n'), differ.out.size() - 1) << differ.out;
}

// Every format that the tool knows, by its name and by what the file holds.
TEST_F(FormatsCliTest, EveryFormatIsInspectedEncodedAndCompared) {
  for (const DescriptorGenerator* generator : AllGenerators()) {
    const std::string format(generator->format);
    SCOPED_TRACE(format);
    Gen(format, "--format " + format + " --count 2 --seed 11");
    std::vector<std::string> files;
    for (const std::string& path : testing::FilesUnder(Path(format))) {
      if (path.find("manifest.json") == std::string::npos) files.push_back(path);
    }
    ASSERT_EQ(files.size(), 2u);
    const Outcome text = Tool("inspect --verify --strict " + files[0]);
    EXPECT_EQ(text.code, 0) << text.out << text.err;
    EXPECT_NE(text.out.find("typed"), std::string::npos) << text.out;
    const Outcome json = Tool("inspect --json --format " + format + " " + files[0]);
    ASSERT_EQ(json.code, 0) << json.err;
    EXPECT_EQ((*ParseJson(json.out))["format"], format);
    ASSERT_TRUE(WriteFileAtomic(Path("form.json"), json.out).ok());
    const Outcome encoded =
        Tool("encode --format " + format + " " + Path("form.json") + " " + Path("encoded"));
    ASSERT_EQ(encoded.code, 0) << encoded.err;
    EXPECT_EQ(*ReadFile(Path("encoded")), *ReadFile(files[0]));
    EXPECT_EQ(Tool("diff --format " + format + " " + files[0] + " " + Path("encoded")).code, 0);
    const Outcome differ = Tool("diff " + files[0] + " " + files[1]);
    EXPECT_EQ(differ.code, 1) << differ.err;
    EXPECT_FALSE(differ.out.empty());
  }
}

TEST_F(FormatsCliTest, TablesOfAnyNumberAreComparedByteByByte) {
  Gen("m", "--format hal --count 3");
  const std::string files =
      Path("m/hal_000000.hal") + " " + Path("m/hal_000001.hal") + " " + Path("m/hal_000002.hal");
  const Outcome diff = Tool("diff --json " + files);
  EXPECT_EQ(diff.code, 1) << diff.err;
  const Json json = *ParseJson(diff.out);
  ASSERT_FALSE(json["differences"].empty());
  const std::vector<uint8_t> first = *ReadFile(Path("m/hal_000000.hal"));
  for (const Json& difference : json["differences"]) {
    ASSERT_EQ(difference["values"].size(), 3u);
    EXPECT_EQ(difference["values"][0], first[difference["offset"].get<size_t>()]);
  }
}

TEST_F(FormatsCliTest, DiffWantsOneFormat) {
  Gen("m", "--format hal --count 1");
  Gen("n", "--format e5 --count 1");
  const Outcome diff = Tool("diff " + Path("m/hal_000000.hal") + " " + Path("n/e5_000000.e5"));
  EXPECT_EQ(diff.code, 2);
  EXPECT_NE(diff.err.find("is of format hal"), std::string::npos) << diff.err;
}

TEST_F(FormatsCliTest, ADescriptorAndAContainerAreCheckedAsAPair) {
  Gen("p", "--pair --count 2 --seed 3");
  const std::string pair = Path("p/pair_000000.e5") + " " + Path("p/pair_000000.hwx");
  const Outcome good = Tool("inspect --verify --strict " + pair);
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("the two belong together"), std::string::npos) << good.out;

  const std::string mixed = Path("p/pair_000001.hwx") + " " + Path("p/pair_000000.e5");
  const Outcome bad = Tool("inspect --verify " + mixed);
  EXPECT_EQ(bad.code, 0) << "rules that rest on assumptions warn";
  EXPECT_NE(bad.out.find("warning: pair-"), std::string::npos) << bad.out;
  EXPECT_EQ(Tool("inspect --verify --strict " + mixed).code, 1);
  EXPECT_EQ(Tool("inspect " + pair).code, 2);
}

}  // namespace
}  // namespace anecheck
