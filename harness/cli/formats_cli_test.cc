// Tests the subcommands for files as a user or a script runs them: gen, inspect, encode and diff.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "generators/formats/registry/registry.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
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
  // Generates files into the folder `name`.
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

// Sparse files of 10 GB, which take no space on the disk.
TEST_F(FormatsCliTest, TextsOfTenGigabytesAreRefusedBeforeTheyAreRead) {
  const auto inspect = [&](const std::string& name, std::string_view begin,
                           const std::string& flags) {
    EXPECT_TRUE(WriteFileAtomic(Path(name), begin).ok());
    std::filesystem::resize_file(Path(name), uint64_t{10} << 30);
    const Outcome outcome = Tool("inspect " + flags + Path(name));
    EXPECT_EQ(outcome.code, 2) << flags;
    return outcome.err;
  };
  for (const char* flags : {"", "--json ", "--verify ", "--format mil "}) {
    EXPECT_NE(inspect("huge.mil", "program(1.3)", flags)
                  .find("MIL text of 10737418240 bytes; at most 268435456"),
              std::string::npos);
  }
  EXPECT_NE(inspect("huge.net", R"({"format_version":)", "")
                .find("a network in JSON of 10737418240 bytes; at most 1073741824"),
            std::string::npos);
  EXPECT_NE(inspect("huge.json", R"({"layers":)", "").find("no format recognises"),
            std::string::npos);
}

TEST_F(FormatsCliTest, AContainerMovesToOtherApertures) {
  Gen("a", "--format hwx --count 1 --seed 5");
  const std::string file = Path("a/hwx_000000.hwx");
  const auto encode = [&](const std::string& flags, const std::string& from,
                          const std::string& name) {
    EXPECT_TRUE(WriteFileAtomic(Path("form.json"), Tool("inspect --json " + from).out).ok());
    return Tool("encode " + flags + " " + Path("form.json") + " " + Path(name));
  };
  const auto lowest = [&](const std::string& name) {
    std::string least = "0xffffffffffffffff";
    const Json json = *ParseJson(Tool("inspect --json " + Path(name)).out);
    for (const Json& command : json["content"]["commands"]) {
      if (command["cmd"] != "segment" || command["vmaddr"] == "0x0") continue;
      const std::string& address = command["vmaddr"].text();
      if (address.size() < least.size() || address < least) least = address;
    }
    return least;
  };
  ASSERT_EQ(encode("--rebase 0x70000000", file, "moved.hwx").code, 0);
  EXPECT_EQ(lowest("moved.hwx"), "0x70000000");
  EXPECT_EQ(Tool("inspect --verify --strict " + Path("moved.hwx")).code, 0);
  ASSERT_EQ(encode("--rebase 0x30000000", Path("moved.hwx"), "back.hwx").code, 0);
  EXPECT_EQ(*ReadFile(Path("back.hwx")), *ReadFile(file));
  ASSERT_EQ(encode("--make-room", file, "roomy.hwx").code, 0);
  EXPECT_EQ(*ReadFile(Path("roomy.hwx")), *ReadFile(file));

  const Outcome odd = encode("--rebase 0x70000001", file, "odd.hwx");
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.err.find("0x70000001 is no multiple of 0x4000"), std::string::npos) << odd.err;
  const Outcome word = encode("--rebase here", file, "word.hwx");
  EXPECT_EQ(word.code, 2);
  EXPECT_NE(word.err.find("here: not an address"), std::string::npos) << word.err;
  const Outcome few = encode("--rebase 0x0,0x4000", file, "few.hwx");
  EXPECT_NE(few.err.find("2 addresses for"), std::string::npos) << few.err;
  Gen("e", "--format e5 --count 1");
  const Outcome other = encode("--rebase 0x70000000", Path("e/e5_000000.e5"), "other.e5");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("for hardware containers"), std::string::npos) << other.err;
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

// Most rules of task chains rest on assumptions.
TEST_F(FormatsCliTest, RulesThatOnlyWarnHaveTheirOwnSet) {
  for (const std::string severity : {"error", "warning"}) {
    Gen(severity,
        "--format td --count 30 --must-" + std::string(severity == "error" ? "reject" : "warn"));
    const Json manifest = *ParseJson(*ReadTextFile(Path(severity + "/manifest.json")));
    ASSERT_EQ(manifest["files"].size(), 30u);
    for (const Json& entry : manifest["files"]) {
      EXPECT_EQ(entry["severity"], severity) << entry;
      const std::string file = Path(severity + "/" + entry["file"].get<std::string>());
      const std::string reading = " --format " + entry.value("format", "td") + " " + file;
      EXPECT_EQ(Tool("inspect --verify" + reading).code != 0, severity == "error") << entry;
    }
  }
}

TEST_F(FormatsCliTest, AManifestMakesTheSameFilesAgain) {
  Gen("m", "--format netlist --count 5 --seed 9 --mutated");
  Gen("again", "--replay " + Path("m/manifest.json"));
  for (const std::string name : {"manifest.json", "netlist_000000.plist", "netlist_000004.plist"}) {
    EXPECT_EQ(*ReadFile(Path("m/" + name)), *ReadFile(Path("again/" + name))) << name;
  }
}

// If earlier files stayed, a loop over the files that must be refused would also find valid files.
TEST_F(FormatsCliTest, ASetReplacesAnEarlierOneAndLeavesOtherFiles) {
  Gen("set", "--format hwx --count 3");
  ASSERT_TRUE(WriteFileAtomic(Path("set/mine.hwx"), std::string_view("mine")).ok());
  Gen("set", "--format hwx --count 1 --must-reject");
  EXPECT_TRUE(ReadFile(Path("set/hwx_000000.hwx")).ok());
  EXPECT_FALSE(ReadFile(Path("set/hwx_000001.hwx")).ok());
  EXPECT_FALSE(ReadFile(Path("set/hwx_000002.hwx")).ok());
  EXPECT_TRUE(ReadFile(Path("set/mine.hwx")).ok());
  Gen("set", "--pair --count 1");
  EXPECT_FALSE(ReadFile(Path("set/hwx_000000.hwx")).ok());
  Gen("set", "--format graph --count 1");
  EXPECT_FALSE(ReadFile(Path("set/pair_000000.e5")).ok());
  EXPECT_FALSE(ReadFile(Path("set/pair_000000.hwx")).ok());
  Gen("set", "--format e5 --count 1");
  EXPECT_FALSE(ReadFile(Path("set/graph_000000.json")).ok());
}

// `gen` removes only files that it may have written itself, even if a manifest names others.
TEST_F(FormatsCliTest, AForeignManifestRemovesNoFile) {
  ASSERT_TRUE(WriteFileAtomic(Path("outside.hwx"), std::string_view("mine")).ok());
  Gen("foreign", "--format hwx --count 1");
  for (const std::string name : {"../outside.hwx", "hwx_/../../outside.hwx", "mine.hwx"}) {
    ASSERT_TRUE(WriteFileAtomic(Path("foreign/mine.hwx"), std::string_view("mine")).ok());
    const Json manifest = {{"version", 1}, {"format", "hwx"}, {"files", {{{"file", name}}}}};
    ASSERT_TRUE(WriteFileAtomic(Path("foreign/manifest.json"), manifest.dump()).ok());
    Gen("foreign", "--format hwx --count 1");
    EXPECT_TRUE(ReadFile(Path("outside.hwx")).ok()) << name;
    EXPECT_TRUE(ReadFile(Path("foreign/mine.hwx")).ok()) << name;
  }
}

TEST_F(FormatsCliTest, DiffShowsAnEditThroughJsonAndNothingElse) {
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

// Tests every format that the tool knows, named by --format or recognised by content.
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
    // A bare task chain does not state its version, and a rule warns of this.
    const Outcome text =
        Tool((format == "td" ? "inspect --verify " : "inspect --verify --strict ") + files[0]);
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

TEST_F(FormatsCliTest, InspectCountsEveryByteOnce) {
  Gen("m", "--format hwx --count 1 --seed 3");
  const std::string file = Path("m/hwx_000000.hwx");
  const Json coverage = (*ParseJson(Tool("inspect --json " + file).out))["coverage"];
  uint64_t sum = 0;
  for (const char* kind : {"payload", "typed", "fill", "opaque"}) {
    sum += coverage[kind].get<uint64_t>();
  }
  EXPECT_EQ(sum, ReadFile(file)->size());
  EXPECT_EQ(coverage["total"], sum);
  const std::string text = Tool("inspect " + file).out;
  for (const std::string_view kind : {"typed", "fill", "opaque"}) {
    const std::string words =
        std::to_string(coverage[std::string(kind)].get<uint64_t>()) + " " + std::string(kind);
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
}

TEST_F(FormatsCliTest, AFileOfPayloadAloneHasNoTypedShare) {
  const std::string weights(4096, 'w');
  ASSERT_TRUE(WriteFileAtomic(Path("a.weights"), weights).ok());
  const Outcome inspect = Tool("inspect --format netweights " + Path("a.weights"));
  EXPECT_EQ(inspect.code, 0) << inspect.err;
  EXPECT_NE(inspect.out.find("0 opaque; all is payload\n"), std::string::npos) << inspect.out;
}

// If `inspect` reads a file in the format that the manifest states, the file breaks only the rule
// that the manifest states.
TEST_F(FormatsCliTest, AChainBreaksOnlyTheRuleOfItsManifest) {
  Gen("m", "--format td --count 40 --must-warn");
  const Json manifest = *ParseJson(*ReadTextFile(Path("m/manifest.json")));
  size_t of_a_version = 0;
  for (const Json& entry : manifest["files"]) {
    const auto rule = entry["breaks"].get<std::string>();
    const std::string reading = entry.value("format", "td");
    of_a_version += reading != "td" ? 1 : 0;
    const Outcome inspect = Tool("inspect --verify --strict --json --format " + reading + " " +
                                 Path("m/" + entry["file"].get<std::string>()));
    EXPECT_NE(inspect.code, 0) << entry;
    if (inspect.code != 1) continue;  // does not parse
    for (const Json& violation : (*ParseJson(inspect.out))["violations"]) {
      EXPECT_EQ(violation["rule"], rule) << entry;
    }
  }
  EXPECT_GT(of_a_version, 0u);
}

TEST_F(FormatsCliTest, ARuleIsNamedOnce) {
  Gen("m", "--format netlist --count 60 --must-reject");
  size_t seen = 0;
  for (const Json& entry : (*ParseJson(*ReadTextFile(Path("m/manifest.json"))))["files"]) {
    const auto rule = entry["breaks"].get<std::string>();
    const std::string text =
        Tool("inspect --verify " + Path("m/" + entry["file"].get<std::string>())).out;
    seen += text.find(": " + rule + ": ") != std::string::npos ? 1 : 0;
    EXPECT_EQ(text.find(rule + ": " + rule + ": "), std::string::npos) << text;
  }
  EXPECT_GT(seen, 0u);
}

TEST_F(FormatsCliTest, InspectGivesTheEvidenceOfEachField) {
  Gen("m", "--format activation --count 1 --seed 3");
  const std::string file = Path("m/activation_000000.activation");
  const Outcome text = Tool("inspect " + file);
  EXPECT_NE(text.out.find("\nevidence of the fields"), std::string::npos) << text.out;
  const Outcome json = Tool("inspect --json " + file);
  ASSERT_EQ(json.code, 0) << json.err;
  const Json rows = (*ParseJson(json.out))["evidence"];
  ASSERT_FALSE(rows.empty());
  for (const Json& row : rows) {
    const auto fields = row["fields"].get<std::string>();
    EXPECT_NE(row["evidence"], "unknown") << fields;
    EXPECT_NE(text.out.find(fields), std::string::npos) << fields;
    EXPECT_NE(text.out.find(row["evidence"].get<std::string>()), std::string::npos) << fields;
  }
}

TEST_F(FormatsCliTest, TheVersionOfATaskChainCanBeGiven) {
  // A section header, and a task of ten 32-bit words with one write of a register that both
  // versions have.
  std::vector<uint8_t> bytes(56, 0);
  bytes[0] = 1;
  bytes[18] = 10;
  bytes[48] = 5;
  bytes[52] = 7;
  ASSERT_TRUE(WriteFileAtomic(Path("a.td"), std::span<const uint8_t>(bytes)).ok());
  const Outcome guessed = Tool("inspect --verify " + Path("a.td"));
  EXPECT_EQ(guessed.code, 0) << guessed.err;
  EXPECT_NE(guessed.out.find("version 11 (H14)"), std::string::npos) << guessed.out;
  EXPECT_NE(guessed.out.find("td:8 (H15)"), std::string::npos) << guessed.out;
  EXPECT_NE(guessed.out.find("warning: td-version-open"), std::string::npos) << guessed.out;
  const Outcome said = Tool("inspect --verify --strict --format td:8 " + Path("a.td"));
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_NE(said.out.find("version 8 (H15)"), std::string::npos) << said.out;
  ASSERT_EQ(Tool("inspect --json --format td:8 " + Path("a.td")).code, 0);
  ASSERT_TRUE(WriteFileAtomic(Path("a.json"), *ReadTextFile(Path("out"))).ok());
  EXPECT_EQ(Tool("encode " + Path("a.json") + " " + Path("b.td")).code, 0);
  EXPECT_EQ(*ReadFile(Path("b.td")), bytes);
  EXPECT_EQ(Tool("inspect --format td:10 " + Path("a.td")).code, 2);
}

TEST_F(FormatsCliTest, EncodeNamesAWrongFormatAndStaleMembers) {
  Gen("m", "--format td --count 1 --seed 3");
  ASSERT_EQ(Tool("inspect --json " + Path("m/td_000000.td")).code, 0);
  Json json = *ParseJson(*ReadTextFile(Path("out")));
  ASSERT_TRUE(WriteFileAtomic(Path("a.json"), DumpJson(json)).ok());
  const Outcome wrong = Tool("encode --format hwx " + Path("a.json") + " " + Path("b"));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("is of format td, --format says hwx"), std::string::npos) << wrong.err;
  EXPECT_EQ(Tool("encode " + Path("a.json") + " " + Path("b")).err, "");
  json["content"]["tasks"][0]["derived"]["size"] = "0x7777";
  ASSERT_TRUE(WriteFileAtomic(Path("a.json"), DumpJson(json)).ok());
  const Outcome stale = Tool("encode " + Path("a.json") + " " + Path("b"));
  EXPECT_EQ(stale.code, 0);
  EXPECT_NE(stale.err.find("tasks[0].derived.size was ignored"), std::string::npos) << stale.err;
}

TEST_F(FormatsCliTest, FilesOfOneStructureDoNotDiffer) {
  const std::string_view text =
      "program(1.0)\n{ func main<ios16>(tensor<fp16, [1]> x) { } -> (x); }";
  ASSERT_TRUE(WriteFileAtomic(Path("a.mil"), text).ok());
  ASSERT_TRUE(WriteFileAtomic(Path("b.mil"), std::string(text) + "\n\n").ok());
  const Outcome same = Tool("diff " + Path("a.mil") + " " + Path("b.mil"));
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find("the same structure"), std::string::npos) << same.out;
  EXPECT_EQ(Tool("diff --layout " + Path("a.mil") + " " + Path("b.mil")).code, 1);
}

TEST_F(FormatsCliTest, ThreeTablesAreComparedByteByByte) {
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

TEST_F(FormatsCliTest, ADescriptorAndAContainerAreCheckedAsAPair) {
  Gen("p", "--pair --count 2 --seed 3");
  const std::string pair = Path("p/pair_000000.e5") + " " + Path("p/pair_000000.hwx");
  const Outcome good = Tool("inspect --verify --strict " + pair);
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("the two files belong together"), std::string::npos) << good.out;

  const std::string mixed = Path("p/pair_000001.hwx") + " " + Path("p/pair_000000.e5");
  const Outcome bad = Tool("inspect --verify " + mixed);
  EXPECT_EQ(bad.code, 0) << "a broken rule that rests on an assumption is only a warning";
  EXPECT_NE(bad.out.find("warning: pair-"), std::string::npos) << bad.out;
  EXPECT_EQ(Tool("inspect --verify --strict " + mixed).code, 1);
  EXPECT_EQ(Tool("inspect " + pair).code, 2);

  Gen("again", "--replay " + Path("p/manifest.json"));
  for (const std::string name : {"manifest.json", "pair_000000.e5", "pair_000001.hwx"}) {
    EXPECT_EQ(*ReadFile(Path("p/" + name)), *ReadFile(Path("again/" + name))) << name;
  }
}

TEST_F(FormatsCliTest, ACurveIsPrintedComparedWithContractsAndPlotted) {
  const Outcome json =
      Tool("activation gelu --at 0,1 --target h13,h16g --plot " + Path("gelu.svg") + " --json");
  ASSERT_EQ(json.code, 0) << json.err;
  const Json curve = ParseJson(json.out).value();
  EXPECT_EQ(curve["knots"].size(), 33u);
  EXPECT_EQ(curve["knots"][16]["word"], "0x922d");
  EXPECT_EQ(curve["points"][1]["x"], 1);
  EXPECT_EQ(curve["study"]["inputs"], 63487);
  ASSERT_EQ(curve["contracts"].size(), 2u);
  EXPECT_EQ(curve["contracts"][0]["outside"], 0);
  EXPECT_EQ(ReadTextFile(Path("gelu.svg"))->substr(0, 4), "<svg");
  const Outcome text = Tool("activation gelu");
  EXPECT_NE(text.out.find("0x922d"), std::string::npos) << text.out;
}

TEST_F(FormatsCliTest, AComposedCurveEvaluatesToItsKnots) {
  ASSERT_TRUE(WriteFileAtomic(Path("k.csv"), std::string("x,y\n-1,0\n0,2\n1,0\n")).ok());
  const Outcome made =
      Tool("activation " + Path("k.csv") + " --points 4 --compose " + Path("g.json"));
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("fp16 holds every constant"), std::string::npos) << made.out;
  const Outcome eval = Tool("eval " + Path("g.json") + " --out " + Path("y.npz"));
  EXPECT_EQ(eval.code, 0) << eval.err;
}

TEST_F(FormatsCliTest, ATaskIsBoundStreamedAndReadBack) {
  Gen("v10", "--format tdv10 --count 6 --seed 3");
  const std::string task = Path("v10/tdv10_000001.tdv10");
  ASSERT_TRUE(WriteFileAtomic(Path("b.json"), std::string(R"({"strides": [{"address": "0x4d14",
      "value": -128}], "bars": [{"name": "x", "kind": "device_address", "slot": "input_tile",
      "value": "0x30000000"}]})"))
                  .ok());
  const Outcome loaded = Tool("load " + task + " --bindings " + Path("b.json") +
                              " --form sparse --aperture 0x7f0000 --out " + Path("s.tdv10"));
  ASSERT_EQ(loaded.code, 0) << loaded.err;
  EXPECT_NE(loaded.out.find("stride at 0x4d14: -128"), std::string::npos) << loaded.out;
  const Outcome stream = Tool("inspect --verify " + Path("s.tdv10"));
  EXPECT_EQ(stream.code, 0) << stream.out;
  EXPECT_NE(stream.out.find("0x7f4d10: 0x30000000"), std::string::npos) << stream.out;
  // The stream, expanded to an image, equals the bound task.
  ASSERT_EQ(Tool("load " + Path("s.tdv10") + " --form image --out " + Path("i.tdv10")).code, 0);
  ASSERT_EQ(Tool("load " + task + " --bindings " + Path("b.json") + " --form image --out " +
                 Path("j.tdv10"))
                .code,
            0);
  EXPECT_EQ(Tool("diff " + Path("i.tdv10") + " " + Path("j.tdv10")).code, 0);
}

TEST_F(FormatsCliTest, ALoadedContainerIsTheRebasedOne) {
  Gen("h", "--format hwx --count 1 --seed 5");
  const std::string file = Path("h/hwx_000000.hwx");
  const Outcome loaded = Tool("load " + file + " --at 0x70000000 --json --out " + Path("l.hwx"));
  ASSERT_EQ(loaded.code, 0) << loaded.err;
  const Json json = ParseJson(loaded.out).value();
  EXPECT_GE(json["segments"].size(), 2u);
  ASSERT_TRUE(WriteFileAtomic(Path("h.json"), Tool("inspect --json " + file).out).ok());
  ASSERT_EQ(Tool("encode --rebase 0x70000000 " + Path("h.json") + " " + Path("r.hwx")).code, 0);
  EXPECT_EQ(*ReadFile(Path("l.hwx")), *ReadFile(Path("r.hwx")));
  EXPECT_EQ(Tool("load " + file + " --at 0x7000z --out " + Path("n.hwx")).code, 2);
  EXPECT_EQ(Tool("load " + file + " --bindings x --out " + Path("n.hwx")).code, 2);
  EXPECT_EQ(Tool("load " + Path("h.json") + " --out " + Path("n.hwx")).code, 2);
}

TEST_F(FormatsCliTest, EnumerationsAreListedAndPrinted) {
  const Outcome classes = Tool("enums operation_class");
  ASSERT_EQ(classes.code, 0) << classes.err;
  EXPECT_EQ(classes.out.find("operation_class, 79 members"), 0u) << classes.out;
  const Json operations = ParseJson(Tool("enums micro_op --json").out).value();
  EXPECT_EQ(operations["members"].size(), 126u);
  EXPECT_EQ(ParseJson(Tool("enums --json").out)->size(), 32u);
  EXPECT_EQ(Tool("enums nothing").code, 2);
}

}  // namespace
}  // namespace anecheck
