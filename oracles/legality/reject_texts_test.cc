// Some generated instance produces each reject text of the validators (facts/netlist_layers.csv,
// column reject_text; facts/more/reject_strings.csv, the rows of layers).
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>

#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"
#include "oracles/legality/testing/draw_instance.h"

namespace anecheck::legality {
namespace {

struct Row {
  const char* subject;
  const char* text;  // as the source prints it; %d, %s, %zd and ... match any text
};

constexpr Row kRows[] = {
    {"SDPA", "SDPA layer must have only 4 or 5(optional mask) inputs"},
    {"SDPA", "4 or 5 bottoms must be present for SDPA"},
    {"SDPA", "Mask format must be same as Q, K and V"},
    {"ArgMinMax", "ArgMinMax layer must have one input"},
    {"ArgMinMax",
     "ArgMinMax left padding value should be smaller than kernel width %d, but %d is given"},
    {"PixelShuffle", "returned invalid:..."},
    {"PixelUnshuffle", "returned invalid:..."},
    {"ChannelToSpace", "ChannelToSpace in z dimension is not supported, current factor.z = %d."},
    {"BatchToSpace", "Input batch n = %zd is not divisible by factor x = %d * factor y = %d"},
    {"LRN", "LRN is not supported on this architecture."},
    {"InputView", "InvalidInputViewDimension"},
    {"InputView", "InvalidInputViewOffset"},
    {"InputView", "InvalidInputViewSize"},
    {"InputView", "InvalidInputViewStep"},
    {"Dropout", "Dropout layer is not supported on this architecture."},
    {"Broadcast", "Broadcast along depth axis is not supported on this architecture"},
    {"Conv", "Invalid conv kernel %s = %zd, It should be in [%zd, %zd]"},
    {"Conv", "input/output channels should be divisible by num group"},
    {"MatrixMult", "depth > 1 is not supported for MatMult"},
    {"MatrixMult", "Matrix mult. layer can only have two bottoms"},
    {"MatrixMult", "can not fit the Kmem"},
    {"Linear", "Linear layer must have only one single input."},
    {"Linear", "ANE cannot support Linear with input rank >= 5"},
    {"Pool", "Pool layer must have only one single input."},
    {"Pool", "Pooling mode \"%s\" is not available on this ANE architecture."},
    {"Neuron", "This platform doesn't support Neuron %s"},
    {"Reduction", "square operation after reduction is not supported"},
    {"Reduction", "Reduction layer can only have one bottom"},
    {"Softmax", "Softmax is not supported by this ANE architecture"},
    {"LayerNorm", "... does not yet support depth > 1"},
    {"InstanceNorm", "InstanceNorm layer not supported for this ANE architecture"},
    {"Transpose", "NE Input Transpose is not supported for this arch"},
    {"Concat", "Concat layer must have at least 2 inputs"},
    {"Concat", "ANE Concat supports only supports const positive axis"},
    {"Concat", "both concat inputs must have the same layout"},
    {"Pad", "Channel padding is not supported on ANE"},
    {"Pad", "Architecture does not support padding mode."},
    {"Reshape", "Cannot reshape a tensor of rank > 5"},
    {"Gather", "Cannot decompose layer on this architecture"},
    {"Resize", "failed to map resize layer on this arch"},
    {"CropResize", "Codegen Error: Invalid Texture CropCfg"},
    {"AffineTransform", "affine transform is not supported on this architecture"},
    {"Resample", "Channel size in coordinates should be 1 or 2"},
    {"Random", "Random layer is not supported on this architecture."},
    {"RingBufferWriter", "Circular buffer is not supported on this architecture"},
    {"Flatten", "cannot be lowered as Flatten on ANE"},
    {"conv", "E4M3 is not supported on this architecture"},
    {"conv", "Error: Invalid Common InFmt E4M3"},
    {"conv", "E4M3Overflow is not supported"},
    {"conv", "MIL is only supported for H13+ ANE architectures"},
    {"quantize", "Zero point is not supported for quant with E4M3 output format"},
    {"lstm", "Some ops are not supported on any of the specified backends"},
};

std::regex Pattern(std::string text) {
  text = std::regex_replace(text, std::regex(R"([.*+?^${}()|\[\]\\])"), R"(\$&)");
  text = std::regex_replace(text, std::regex(R"(\\\.\\\.\\\.|%zd|%d|%s)"), ".*");
  return std::regex(text);
}

const char* const kTargets[] = {"h12", "h13", "h14", "h15", "h17s", "h18"};

// For families before A13, no source gives the table byte of local response normalization.
// Therefore no target is known to lack the operation. This catalogue has a target without it.
const TargetCatalog& Catalog() {
  static const TargetCatalog* const kCatalog = [] {
    auto* catalog = new TargetCatalog(TargetCatalog::Builtin());
    EXPECT_TRUE(catalog
                    ->ApplyUserFile(R"({"fields": [{"offset": "0x81a", "values": [{"value": 0,
                        "targets": ["H12"], "source": "a test"}]}]})",
                                    "test.json")
                    .ok());
    return catalog;
  }();
  return *kCatalog;
}

// Removes from `wanted` the messages with which instances of `subject` are refused, until `wanted`
// is empty or `draws` instances were judged.
void Strike(std::string_view subject, int draws, std::map<std::string, std::regex>& wanted) {
  InstanceDrawer drawer(Rules::Builtin(), subject, 17);
  for (int i = 0; i < draws && !wanted.empty(); ++i) {
    const char* target = kTargets[static_cast<size_t>(i) % std::size(kTargets)];
    const Route route = i % 5 == 0 ? Route::kMil : Route::kNetlist;
    const auto verdict = Judge(drawer.Draw(), **Catalog().Find(target), route);
    ASSERT_TRUE(verdict.ok()) << verdict.error().message;
    for (const LayerVerdict& layer : verdict->layers) {
      if (layer.ruling != Ruling::kReject) continue;
      // If sources spell a text differently, the verdict gives both spellings.
      std::erase_if(wanted, [&](const auto& text) {
        const auto says = [&](const OtherReading& other) {
          return std::regex_match(other.says, text.second);
        };
        return std::regex_match(layer.reason, text.second) ||
               std::any_of(layer.others.begin(), layer.others.end(), says);
      });
    }
  }
}

TEST(RejectTexts, EachIsProducedByAGeneratedInstance) {
  std::map<std::string, std::map<std::string, std::regex>> wanted;
  for (const Row& row : kRows) wanted[row.subject].emplace(row.text, Pattern(row.text));
  for (auto& [subject, texts] : wanted) {
    Strike(subject, 40000, texts);
    for (const auto& [text, pattern] : texts) ADD_FAILURE() << subject << ": " << text;
  }
}

}  // namespace
}  // namespace anecheck::legality
