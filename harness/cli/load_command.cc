// `anecheck load`: changes a container or a version-10 task as a loader does before it runs.
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/address.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/model_flags.h"
#include "harness/cli/with_file.h"
#include "harness/encoder/layer_streams.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/relocate.h"
#include "harness/formats/registry/registry.h"
#include "harness/formats/tdv10/bindings.h"
#include "harness/formats/tdv10/file.h"

namespace anecheck {
namespace {

struct LoadFlags {
  std::string in, out, bindings, form, aperture = "0", layer, kernel = "0";
  std::vector<std::string> at;  // one address for the lowest segment, or one for each
  bool json = false;
};

Error Bad(const std::string& message) { return MakeError(ErrorCode::kInvalid, message); }

// ---- containers ----

Json SegmentsJson(const hwx::MemoryImage& before, const hwx::MemoryImage& after) {
  Json segments = Json::array();
  for (size_t i = 0; i < after.segments.size(); ++i) {
    segments.push_back({{"name", after.segments[i].name},
                        {"from", fmt::format("0x{:x}", before.segments[i].address)},
                        {"to", fmt::format("0x{:x}", after.segments[i].address)},
                        {"size", after.segments[i].size}});
  }
  return segments;
}

Json WordsJson(const hwx::MemoryImage& image) {
  Json words = Json::array();
  for (const hwx::ResolvedWord& word : image.words) {
    words.push_back({{"at", fmt::format("0x{:x}", word.address)},
                     {"device_address", fmt::format("0x{:x}", word.target)}});
  }
  return words;
}

Result<Json> LoadContainer(const LoadFlags& flags, ByteSpan bytes) {
  if (!flags.bindings.empty() || !flags.form.empty() || !flags.layer.empty()) {
    return Bad("--bindings, --form and --layer are for version-10 tasks (tdv10), not containers");
  }
  ANECHECK_ASSIGN(hwx::Container container, hwx::Parse(bytes));
  ANECHECK_ASSIGN(const hwx::MemoryImage before, hwx::Load(container, bytes));
  std::vector<uint64_t> addresses;
  for (const std::string& text : flags.at) {
    ANECHECK_ASSIGN(const uint64_t address, ReadAddress("--at", text));
    addresses.push_back(address);
  }
  if (addresses.size() == 1) {
    ANECHECK_RETURN_IF_ERROR(hwx::RebaseAll(container, addresses.front()));
  } else if (!addresses.empty()) {
    ANECHECK_RETURN_IF_ERROR(hwx::Rebase(container, addresses));
  }
  ANECHECK_ASSIGN(const Bytes placed, hwx::Write(container));
  ANECHECK_ASSIGN(const hwx::Container again, hwx::Parse(placed));
  ANECHECK_ASSIGN(const hwx::MemoryImage after, hwx::Load(again, placed));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(flags.out, std::span<const uint8_t>(placed)));
  return Json{{"out", flags.out},
              {"format", "hwx"},
              {"segments", SegmentsJson(before, after)},
              {"relocated_words", WordsJson(after)}};
}

// ---- version-10 tasks ----

Result<tdv10::Image> ImageOf(const tdv10::File& file) {
  if (file.image) return *file.image;
  return tdv10::Deserialize(file.records, tdv10::Image());
}

// Returns the task in the requested form. A structure without lead bytes gets 8 zero bytes.
Result<Bytes> InForm(const tdv10::File& file, const tdv10::Image& image, tdv10::Form form,
                     uint64_t aperture) {
  if (form == tdv10::Form::kSparse) {
    return tdv10::WriteRecords(tdv10::Serialize(image, tdv10::Image(), aperture));
  }
  Bytes bytes;
  if (form == tdv10::Form::kStructure) {
    bytes = file.lead;
    bytes.resize(tdv10::kStructureLead);
  }
  bytes.insert(bytes.end(), image.bytes().begin(), image.bytes().end());
  return bytes;
}

Result<tdv10::Form> AskedForm(const std::string& name, tdv10::Form own) {
  if (name.empty()) return own;
  for (const auto form : {tdv10::Form::kImage, tdv10::Form::kStructure, tdv10::Form::kSparse}) {
    if (tdv10::FormName(form) == name) return form;
  }
  return Bad(fmt::format("--form {}: must be image, structure or sparse", name));
}

Result<tdv10::Bindings> ReadBindingsFile(const std::string& file) {
  if (file.empty()) return tdv10::Bindings();
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(file));
  ANECHECK_ASSIGN(const Json json, ParseJson(text, file));
  auto bindings = tdv10::ReadBindings(json);
  if (!bindings.ok()) return WithFile(file, bindings.error());
  return bindings;
}

// Writes the weight streams of the model's layer into the task. Returns an array of {name, base,
// size}.
Result<Json> AddStreams(const LoadFlags& flags, tdv10::Image& image) {
  Json rows = Json::array();
  if (flags.layer.empty()) return rows;
  ANECHECK_ASSIGN(const uint64_t section, ReadAddress("--kernel", flags.kernel));
  if (section > std::numeric_limits<uint32_t>::max()) {
    return Bad(fmt::format("--kernel {}: above 32 bits", flags.kernel));
  }
  ANECHECK_ASSIGN(const ModelGraph model, ReadModel(ModelFlags{.model = flags.layer}));
  const auto sizes = encoder::StreamsOfLayer(model.graph);
  if (!sizes.ok()) return WithFile(flags.layer, sizes.error());
  ANECHECK_ASSIGN(const auto placed, tdv10::PlaceStreams(*sizes, 0));
  ANECHECK_RETURN_IF_ERROR(tdv10::WriteStreams(placed, static_cast<uint32_t>(section), image));
  for (const tdv10::PlacedStream& stream : placed) {
    rows.push_back({{"name", tdv10::WeightStreams()[static_cast<size_t>(stream.stream)].name},
                    {"base", stream.base},
                    {"size", stream.size}});
  }
  return rows;
}

Result<Json> LoadTask(const LoadFlags& flags, ByteSpan bytes) {
  if (!flags.at.empty()) return Bad("--at is for containers (hwx); a task has --bindings");
  ANECHECK_ASSIGN(const uint64_t aperture, ReadAddress("--aperture", flags.aperture));
  if (aperture % tdv10::kApertureSize != 0) {
    return Bad(fmt::format("--aperture {}: not a multiple of 0x{:x}", flags.aperture,
                           tdv10::kApertureSize));
  }
  ANECHECK_ASSIGN(const tdv10::File file, tdv10::Parse(bytes));
  ANECHECK_ASSIGN(const tdv10::Form form, AskedForm(flags.form, file.form));
  ANECHECK_ASSIGN(tdv10::Image image, ImageOf(file));
  ANECHECK_ASSIGN(Json streams, AddStreams(flags, image));
  ANECHECK_ASSIGN(const tdv10::Bindings bindings, ReadBindingsFile(flags.bindings));
  const Status applied = tdv10::Apply(bindings, image);
  if (!applied.ok()) return WithFile(flags.bindings, applied.error());
  ANECHECK_ASSIGN(const Bytes placed, InForm(file, image, form, aperture));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(flags.out, std::span<const uint8_t>(placed)));
  Json strides = Json::array();
  for (const tdv10::Stride& stride : bindings.strides) {
    ANECHECK_ASSIGN(const int32_t value, image.Stride(stride.address));
    strides.push_back({{"address", fmt::format("0x{:x}", stride.address)}, {"value", value}});
  }
  const size_t records = form == tdv10::Form::kSparse ? placed.size() / tdv10::kRecordSize : 0;
  return Json{{"out", flags.out},
              {"format", "tdv10"},
              {"form", tdv10::FormName(form)},
              {"records", records},
              {"bars", bindings.bars.size()},
              {"live_ins", bindings.live_ins.size()},
              {"streams", std::move(streams)},
              {"strides", strides}};
}

Result<Json> Load(const LoadFlags& flags) {
  ANECHECK_ASSIGN(const Bytes bytes, ReadFile(flags.in));
  const auto format = RecogniseFormat(bytes, flags.in);
  if (!format.ok()) return WithFile(flags.in, format.error());
  auto loaded = *format == &kFormat_hwx     ? LoadContainer(flags, bytes)
                : *format == &kFormat_tdv10 ? LoadTask(flags, bytes)
                                            : Result<Json>(Bad("is no hardware container and no "
                                                               "version-10 task"));
  if (!loaded.ok()) return WithFile(flags.in, loaded.error());
  return loaded;
}

std::string ToText(const Json& json) {
  std::string text = fmt::format("wrote {}\n", json["out"].text());
  if (json["format"] == "hwx") {
    for (const Json& segment : json["segments"]) {
      text +=
          fmt::format("  {:16} from {} to {}, {}\n", segment["name"].text(), segment["from"].text(),
                      segment["to"].text(), Counted(segment["size"].get<uint64_t>(), "byte"));
    }
    for (const Json& word : json["relocated_words"]) {
      text +=
          fmt::format("  word at {} reads {}\n", word["at"].text(), word["device_address"].text());
    }
    return text;
  }
  text += fmt::format("  form {}, {}, {}", json["form"].text(),
                      Counted(json["bars"].get<size_t>(), "bar"),
                      Counted(json["live_ins"].get<size_t>(), "live-in"));
  if (json["form"] == "sparse") text += ", " + Counted(json["records"].get<size_t>(), "record");
  text += "\n";
  for (const Json& stream : json["streams"]) {
    text += fmt::format("  {} stream at 0x{:x} of the kernel section, {}\n", stream["name"].text(),
                        stream["base"].get<uint32_t>(),
                        Counted(stream["size"].get<uint32_t>(), "byte"));
  }
  for (const Json& stride : json["strides"]) {
    text += fmt::format("  stride at {}: {}\n", stride["address"].text(),
                        stride["value"].get<int64_t>());
  }
  return text;
}

int RunLoad(const LoadFlags& flags) {
  const auto json = Load(flags);
  if (!json.ok()) return Fail(json.error());
  flags.json ? Print(json->dump(2)) : PrintText(ToText(*json));
  return kExitClean;
}

}  // namespace

void AddLoadCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "load", "Place a container or a version-10 task as a loader does, and write the result");
  auto flags = std::make_shared<LoadFlags>();
  command.AddOption("in", flags->in, "A hardware container, or a version-10 task").Required();
  command.AddOption("--out", flags->out, "File to write").Check(FileName()).Required();
  command
      .AddOption("--at", flags->at,
                 "Addresses of a container: one for its lowest segment, or one for each "
                 "segment, separated by commas")
      .Delimiter(',')
      .TypeName("ADDRESS");
  command.AddOption("--bindings", flags->bindings,
                    "JSON with bars, live_ins and strides to write into a task "
                    "(harness/formats/tdv10/bindings.h)");
  command.AddOption("--layer", flags->layer,
                    "A model; the weight streams of its first convolution or linear layer are "
                    "written into a task: "
                    "bias, post-scale, palette, activation table");
  command.AddOption("--kernel", flags->kernel, "Device address of the kernel section, for --layer")
      .TypeName("ADDRESS");
  command.AddOption("--form", flags->form,
                    "Form of a task: image, structure or sparse (default: unchanged)");
  command
      .AddOption("--aperture", flags->aperture,
                 "Device address of the registers in the sparse form, a multiple of 0x10000")
      .TypeName("ADDRESS");
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "Example: anecheck load model.hwx --at 0x70000000 --out placed.hwx\nExample: anecheck load "
      "task.tdv10 --bindings b.json --form sparse --out stream.tdv10\nExample: anecheck load "
      "task.tdv10 --layer "
      "model.mil --kernel 0x30004000 --out placed.tdv10");
  command.WhenChosen([flags, &selected] { selected = [flags] { return RunLoad(*flags); }; });
}

}  // namespace anecheck
