// Tests the numbers of specification 003, tables 24.2 to 24.4, and 004, table 26.1, as verdicts,
// with one test for each table. harness/targets/hal_tables_test.cc tests the values themselves.
#include <gtest/gtest.h>

#include "oracles/legality/testing/judge.h"

namespace anecheck::legality {
namespace {

Outcome OutcomeOf(std::string_view target, Route route, const Instance& instance) {
  return Judged(target, route, instance).outcome;
}

// Table 24.2: the floors, as verdicts of the conversion route on both sides of each floor.
TEST(Table24_2, MinimumFamilyFloors) {
  for (const char* op : {"conv", "matmul", "max_pool", "add", "reshape", "transpose", "concat"}) {
    for (const char* target : {"h11", "h13", "h17s"}) {
      EXPECT_EQ(Judged(target, Route::kMil, Make(op)).at(Layer::kMinimumFamily).ruling,
                Ruling::kPass)
          << op << " " << target;
    }
  }
  const std::pair<const char*, const char*> f2[] = {
      {"softmax", "h13"},       {"layer_norm", "h13"},
      {"instance_norm", "h13"}, {"batch_norm", "h13"},
      {"reduce_sum", "h13"},    {"erf", "h13"},
      {"sqrt", "h13"},          {"scaled_dot_product_attention", "h13"}};
  for (const auto& [op, first] : f2) {
    EXPECT_EQ(Judged(first, Route::kMil, Make(op)).at(Layer::kMinimumFamily).ruling, Ruling::kPass);
    EXPECT_EQ(Judged("h12", Route::kMil, Make(op)).at(Layer::kMinimumFamily).ruling,
              Ruling::kDecompose)
        << op;
  }
  for (const char* op : {"crop_resize", "resample"}) {
    EXPECT_EQ(OutcomeOf("h13", Route::kMil, Make(op)), Outcome::kRejected) << op;
    EXPECT_EQ(OutcomeOf("h14", Route::kMil, Make(op)), Outcome::kNative) << op;
  }
  for (const char* op : {"sin", "cos", "GlobalArgMinMax"}) {
    EXPECT_EQ(OutcomeOf("h14", Route::kMil, Make(op)), Outcome::kRejected) << op;
    EXPECT_EQ(OutcomeOf("h15", Route::kMil, Make(op)), Outcome::kNative) << op;
  }
  // If the family of a target is unknown, it is unknown whether the target reaches a floor above 0.
  EXPECT_EQ(OutcomeOf("u1", Route::kMil, Make("sin")), Outcome::kUnknown);
}

// Table 24.3: the verdicts that the capability bytes give on the direct route.
TEST(Table24_3, CapabilityBytes) {
  for (const char* layer : {"Dropout", "Random"}) {
    EXPECT_EQ(OutcomeOf("h14", Route::kNetlist, Make(layer)), Outcome::kRejected) << layer;
    EXPECT_EQ(OutcomeOf("h15", Route::kNetlist, Make(layer)), Outcome::kNative) << layer;
  }
  for (const char* layer : {"Resize", "CropResize", "AffineTransform", "Resample"}) {
    EXPECT_EQ(OutcomeOf("h13", Route::kNetlist, Make(layer)), Outcome::kRejected) << layer;
    EXPECT_EQ(OutcomeOf("h14", Route::kNetlist, Make(layer)), Outcome::kNative) << layer;
  }
  EXPECT_EQ(OutcomeOf("h13", Route::kMil, Make("resize")), Outcome::kDecomposed);
  EXPECT_EQ(OutcomeOf("h14", Route::kMil, Make("resize")), Outcome::kNative);
  // No source gives the byte of range normalization.
  EXPECT_EQ(OutcomeOf("h15", Route::kNetlist, Make("MinMaxNorm")), Outcome::kUnknown);
}

// fp8 is legal on A18 only (specification 003, capability-byte gates; facts/more/fp8_formats.csv).
TEST(Table24_3, Fp8IsLegalOnlyOnA18) {
  for (const Target& target : AllTargets()) {
    for (const Route route : {Route::kMil, Route::kNetlist}) {
      for (const char* weight :
           {"weight:8,8,1,1:fp8e4m3fn:const", "weight:8,8,1,1:fp8e5m2:const"}) {
        const auto verdict = Judged(target.name, route, Make("conv", {"x:1,8,8,8", weight}));
        EXPECT_EQ(verdict.at(Layer::kCapability).ruling == Ruling::kReject,
                  target.tier != Tier::kA18)
            << target.name << " " << weight;
        EXPECT_EQ(verdict.outcome == Outcome::kNative, target.tier == Tier::kA18) << target.name;
      }
    }
  }
}

// Table 24.4: the extents as verdicts.
TEST(Table24_4, PerFamilyExtents) {
  EXPECT_EQ(OutcomeOf("h15", Route::kMil, Make("abs", {"x:1,16385"})), Outcome::kRejected);
  EXPECT_EQ(OutcomeOf("h16", Route::kMil, Make("abs", {"x:1,65536"})), Outcome::kNative);
  EXPECT_EQ(OutcomeOf("h16", Route::kMil, Make("abs", {"x:1,65537"})), Outcome::kRejected);
  const auto reduced = [](const char* target, const char* shape) {
    return OutcomeOf(target, Route::kMil, Make("reduce_sum", {shape, "axes=1,"}));
  };
  EXPECT_EQ(reduced("h13", "x:1,191"), Outcome::kNative);
  EXPECT_EQ(reduced("h13", "x:1,192"), Outcome::kDecomposed);
  EXPECT_EQ(reduced("h15", "x:1,383"), Outcome::kNative);
  EXPECT_EQ(reduced("h15", "x:1,384"), Outcome::kDecomposed);
}

// Specification 004, table 26.1: the first family of each native layer on the direct route.
TEST(Table26_1, FirstFamilies) {
  const struct {
    const char* layer;
    const char* first;   // the first target that runs it; null if none is known
    const char* before;  // the last that refuses it, or null
  } rows[] = {{"SDPA", "h13", "h12"},
              {"ArgMinMax", "h13", "h12"},
              {"TopK", "h14", "h13"},
              {"Sort", "h14", "h13"},
              {"GlobalArgMinMax", "h13", "h12"},
              {"PixelShuffle", "h13", "h12"},
              {"PixelUnshuffle", "h13", "h12"},
              {"SpaceToChannel", "h13", "h12"},
              {"ChannelToSpace", "h13", "h12"},
              {"SpaceToBatch", "h13", "h12"},
              {"BatchToSpace", "h13", "h12"},
              {"LRN", "h13", nullptr},
              {"GOC", "h13", nullptr},
              {"DynamicGOC", "h13", nullptr},
              {"CrossCorrelation", "h13", "h12"},
              {"CrossProduct", "h13", "h12"},
              {"FurthestPointSampling", "h13", "h12"},
              {"RadiusSearch", "h13", "h12"},
              {"CostVolume", "h13", "h12"},
              {"Resize", "h14", "h13"},
              {"CropResize", "h14", "h13"},
              {"Resample", "h14", "h13"},
              {"AffineTransform", "h14", "h13"},
              {"InputView", "h13", "h12"},
              {"DynamicSlice", nullptr, "h13"},
              {"Tile", "h13", nullptr},
              {"Concat", "h13", nullptr},
              {"RingBufferWriter", "h14", "h13"}};
  for (const auto& row : rows) {
    if (row.first != nullptr) {
      EXPECT_EQ(OutcomeOf(row.first, Route::kNetlist, Make(row.layer)), Outcome::kNative)
          << row.layer;
    }
    if (row.before != nullptr) {
      EXPECT_EQ(OutcomeOf(row.before, Route::kNetlist, Make(row.layer)), Outcome::kRejected)
          << row.layer;
    }
  }
  EXPECT_EQ(OutcomeOf("h13", Route::kNetlist, Make("MinMaxNorm")), Outcome::kRejected);
}

// The binding gates of the same table: an instance that keeps the gate and an instance that breaks
// it, on a target that runs the layer.
TEST(Table26_1, BindingGates) {
  using Words = std::vector<std::string>;
  const struct {
    const char* layer;
    Words keeps, breaks;
    const char* rule;
  } rows[] = {
      {"SDPA",
       {"q:1,2,4,8", "k:1,2,4,8", "v:1,2,4,8", "scale:1"},
       {"q:1,2,4,8", "k:1,2,4,8", "v:1,2,4,8"},
       "sdpa_operand_count"},
      {"SDPA",
       {"q:1,2,4,8", "k:1,2,4,8", "v:1,2,4,8", "scale:1", "mask:1,1,4,4"},
       {"q:1,2,4,8", "k:1,2,4,8", "v:1,2,5,8", "scale:1"},
       "sdpa_key_value"},
      {"SDPA", {"SubtractMax=true"}, {"SubtractMax=false"}, "sdpa_subtract_max"},
      {"PixelShuffle", {"x:1,8,4,4", "FactorX=2"}, {"FactorZ=2"}, "pixel_shuffle_factors"},
      {"PixelShuffle", {"x:1,9,4,4", "FactorX=3"}, {"FactorX=5"}, "pixel_shuffle_factors"},
      {"PixelUnshuffle", {"FactorY=8"}, {"FactorY=5"}, "pixel_unshuffle_factors"},
      {"SpaceToChannel", {"FactorX=6"}, {"FactorX=5"}, "space_to_channel_factors"},
      {"ChannelToSpace", {"FactorX=4"}, {"FactorX=7"}, "channel_to_space_factors"},
      {"SpaceToBatch", {"FactorY=3"}, {"FactorY=11"}, "space_to_batch_factors"},
      {"CrossProduct",
       {"a:1,3,1,1", "b:1,3,1,1", "Interleave=1"},
       {"a:1,3,1,1", "b:1,3,1,1", "Interleave=2"},
       "cross_product_format"},
      {"CrossProduct",
       {"a:1,3,1,1", "b:1,3,1,1"},
       {"a:1,3,1,1:int8", "b:1,3,1,1:int8"},
       "cross_product_format"},
      {"CrossCorrelation",
       {"x:1,1,1,8,8", "template:1,1,1,3,3"},
       {"x:1,1,1,8,8", "template:1,1,2,3,3"},
       "cross_correlation_depth"},
      {"InputView", {"producer=Reshape"}, {"producer=Conv"}, "input_view_after_reshape"},
      {"RingBufferWriter",
       {"ConnectsLiveState=true"},
       {"ConnectsLiveState=false"},
       "ring_buffer_live_state"},
      {"GOC", {"x:1,8,4,4"}, {"x:1,8,4,4", "y:8"}, "bottom_count"},
      {"DynamicGOC", {"x:1,8,4,4", "scale:1,8,1,1", "bias:1,8,1,1"}, {"x:1,8,4,4"}, "bottom_count"},
      {"RadiusSearch",
       {"centroids:1,3,1,2", "points:1,3,1,5"},
       {"centroids:1,3,1,2", "points:1,3,5,1"},
       "radius_search_shape"},
  };
  for (const auto& row : rows) {
    const Verdict keeps = Judged("h15", Route::kNetlist, Make(row.layer, row.keeps));
    const Verdict breaks = Judged("h15", Route::kNetlist, Make(row.layer, row.breaks));
    EXPECT_NE(keeps.at(Layer::kValidator).rule, row.rule) << row.layer;
    EXPECT_EQ(keeps.outcome, Outcome::kNative) << row.layer;
    EXPECT_EQ(breaks.at(Layer::kValidator).rule, row.rule) << row.layer;
  }
  // On the M1, state is reached only through a shared buffer.
  for (const char* op : {"read_state", "write_state"}) {
    EXPECT_EQ(Judged("h13", Route::kMil, Make(op)).at(Layer::kCodeGeneration).rule,
              "state_shared_buffer");
    EXPECT_EQ(OutcomeOf("h14", Route::kMil, Make(op)), Outcome::kNative) << op;
  }
}

// Specification 004, two compile routes and their gates.
TEST(Routes, AreJudgedSeparately) {
  EXPECT_EQ(OutcomeOf("h13", Route::kMil, Make("GlobalArgMinMax")), Outcome::kRejected);
  EXPECT_EQ(OutcomeOf("h13", Route::kNetlist, Make("GlobalArgMinMax")), Outcome::kNative);
  for (const char* op : {"sin", "cos"}) {
    EXPECT_EQ(OutcomeOf("h17s", Route::kMil, Make(op)), Outcome::kNative);
    EXPECT_EQ(OutcomeOf("h17s", Route::kNetlist, Make(op)), Outcome::kRejected);
  }
  EXPECT_EQ(OutcomeOf("h14", Route::kMil, Make("SDPA")), Outcome::kRejected);
  const Verdict direct = Judged("h13", Route::kNetlist, Make("softmax"));
  EXPECT_EQ(direct.at(Layer::kMinimumFamily).ruling, Ruling::kNotRead);
  EXPECT_EQ(direct.at(Layer::kFrontEnd).ruling, Ruling::kNotRead);
}

// The conversion route refuses range normalization, and no source gives its byte for the direct
// route.
TEST(Routes, AnUnknownDirectRouteIsNoEvidenceOfAGate) {
  const auto status = [](std::string_view op, std::string_view target,
                         std::string* rule = nullptr) {
    return *ReachStatus(op, **FindTarget(target), FamilyOrder::kSpecification, rule);
  };
  std::string rule;
  EXPECT_EQ(OutcomeOf("h15", Route::kMil, Make("MinMaxNorm")), Outcome::kRejected);
  EXPECT_EQ(status("MinMaxNorm", "h15", &rule), "unknown");
  EXPECT_EQ(rule, "capability_reject");
  EXPECT_EQ(status("sin", "h13"), "family_gated") << "both routes refuse it";
  EXPECT_EQ(status("GlobalArgMinMax", "h13"), "bridge");
}

// Specification 003, listing 24.3 and specification 000, listing 23.4.
TEST(KernelMemory, SplitsAtTheCap) {
  const auto ruling = [](const char* target, std::string_view bytes, std::string_view format) {
    return Judged(target, Route::kMil,
                  Make("conv", {"weight_bytes=" + std::string(bytes),
                                "weight_format=" + std::string(format)}))
        .at(Layer::kKernelMemory)
        .ruling;
  };
  EXPECT_EQ(ruling("h13", "65536", "fp16"), Ruling::kPass);
  EXPECT_EQ(ruling("h13", "65537", "fp16"), Ruling::kSplit);
  EXPECT_EQ(ruling("h13", "16777216", "sparse"), Ruling::kPass);
  EXPECT_EQ(ruling("h13", "16777217", "sparse"), Ruling::kSplit);
  EXPECT_EQ(ruling("h13", "16777216", "int4 table"), Ruling::kPass);
  // int8 kernels stream from A14 on, blockwise kernels from A15 on.
  EXPECT_EQ(ruling("h13", "65537", "int8"), Ruling::kSplit);
  EXPECT_EQ(ruling("h14", "65537", "int8"), Ruling::kPass);
  EXPECT_EQ(ruling("h14", "65537", "blockwise"), Ruling::kSplit);
  EXPECT_EQ(ruling("h15", "65537", "blockwise"), Ruling::kPass);
  EXPECT_EQ(ruling("h13", "134217728", "sparse"), Ruling::kSplit);
  EXPECT_EQ(ruling("h13", "134217729", "sparse"), Ruling::kReject);
}

TEST(KernelMemory, FollowsTheStreamingMaster) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  ASSERT_TRUE(catalog
                  .ApplyUserFile(R"({"fields": [{"offset": "0x48f", "values": [{"value": 0,
                      "targets": ["H13"], "source": "a test"}]}]})",
                                 "user.json")
                  .ok());
  const auto verdict = Judge(Make("conv", {"weight_bytes=65537", "weight_format=sparse"}),
                             **catalog.Find("h13"), Route::kMil);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->at(Layer::kKernelMemory).ruling, Ruling::kSplit);
  EXPECT_EQ(verdict->at(Layer::kKernelMemory).reason,
            "split: 65537 bytes of weights exceed the cap of 65536 bytes");
}

// The demand of a constant weight follows from its shape and type.
TEST(KernelMemory, CountsTheBytesOfAConstantWeight) {
  const auto ruling = [](const char* weight) {
    return Judged("h13", Route::kMil, Make("conv", {"x:1,64,8,8", weight, "groups=1"}))
        .at(Layer::kKernelMemory)
        .ruling;
  };
  EXPECT_EQ(ruling("weight:512,64,1,1:fp16:const"), Ruling::kPass);
  EXPECT_EQ(ruling("weight:513,64,1,1:fp16:const"), Ruling::kSplit);
  EXPECT_EQ(ruling("weight:513,64,1,1"), Ruling::kPass);
}

// The kernel must fit into the padded input.
TEST(CodeGeneration, CountsThePaddingOfAConvolution) {
  const auto rule = [](const std::vector<std::string>& padding) {
    std::vector<std::string> words = {"x:1,4,2,8", "weight:4,4,3,3:fp16:const", "groups=1"};
    words.insert(words.end(), padding.begin(), padding.end());
    return Judged("h13", Route::kMil, Make("conv", words)).at(Layer::kCodeGeneration).rule;
  };
  EXPECT_EQ(rule({}), "conv_kernel_height_input");
  EXPECT_EQ(rule({"pad_type=valid", "pad=1,1,1,1"}), "conv_kernel_height_input");
  EXPECT_EQ(rule({"pad_type=custom", "pad=0,0,1,1"}), "conv_kernel_height_input");
  for (const char* pad : {"pad=1,0,0,0", "pad=0,1,0,0", "pad=1,1,1,1"}) {
    EXPECT_EQ(rule({"pad_type=custom", pad}), "") << pad;
  }
  EXPECT_EQ(rule({"pad_type=same"}), "");
  EXPECT_EQ(rule({"pad_type=same_lower"}), "");
}

// Specification 003, attested is not reachable: a convolution over three axes fails on every device
// mask, even if the kernel depth is attested.
TEST(CodeGeneration, RefusesConvolutionOverThreeAxesEverywhere) {
  for (const Target& target : AllTargets()) {
    for (const Route route : {Route::kMil, Route::kNetlist}) {
      const Verdict verdict =
          Judged(target.name, route, Make("conv", {"x:1,4,8,8,8", "weight:4,4,2,3,3:fp16:const"}));
      EXPECT_EQ(verdict.outcome, Outcome::kRejected) << target.name;
      EXPECT_EQ(verdict.at(Layer::kCodeGeneration).rule, "convolution_3d") << target.name;
      const Verdict flat = Judged(target.name, Route::kNetlist,
                                  Make("conv", {"x:1,4,8,8", "weight:4,4,3,3:fp16:const"}));
      EXPECT_NE(flat.outcome, Outcome::kRejected) << target.name;
    }
  }
}

// Operations that earlier layers admit (attested) and code generation refuses.
TEST(CodeGeneration, RefusesAttestedOperations) {
  const Verdict deep =
      Judged("h17s", Route::kMil, Make("conv", {"x:1,4,8,8,8", "weight:4,4,2,3,3:fp16:const"}));
  EXPECT_EQ(deep.at(Layer::kCapability).ruling, Ruling::kPass);
  EXPECT_EQ(deep.at(Layer::kValidator).ruling, Ruling::kPass);
  EXPECT_EQ(deep.at(Layer::kCodeGeneration).rule, "convolution_3d");
  for (const char* op : {"topk", "argsort", "DynamicSlice"}) {
    const Verdict verdict = Judged("h13", Route::kNetlist, Make(op));
    EXPECT_EQ(verdict.at(Layer::kValidator).ruling, Ruling::kPass) << op;
    EXPECT_EQ(verdict.at(Layer::kCodeGeneration).ruling, Ruling::kReject) << op;
  }
  for (const char* k : {"k=2", "k=5"}) {
    EXPECT_EQ(OutcomeOf("h17s", Route::kMil, Make("topk", {k, "x:8"})), Outcome::kNative) << k;
  }
  for (const char* k : {"k=3", "k=4"}) {
    EXPECT_EQ(OutcomeOf("h17s", Route::kMil, Make("topk", {k, "x:8"})), Outcome::kRejected) << k;
  }
  EXPECT_EQ(OutcomeOf("h13", Route::kNetlist, Make("LRN", {"x:1,15,4,4"})), Outcome::kNative);
  EXPECT_EQ(OutcomeOf("h13", Route::kNetlist, Make("LRN", {"x:1,16,4,4"})), Outcome::kRejected);
  // No source gives the limit of A14.
  EXPECT_EQ(OutcomeOf("h14", Route::kNetlist, Make("LRN", {"x:1,16,4,4"})), Outcome::kUnknown);
  EXPECT_EQ(OutcomeOf("h13", Route::kMil, Make("mul", {"producer_x=reduce_sum", "value_y=0"})),
            Outcome::kRejected);
  EXPECT_EQ(OutcomeOf("h13", Route::kMil, Make("mul", {"producer_x=reduce_sum", "value_y=1"})),
            Outcome::kNative);
}

// ---- values of a user -------------------------------------------------------------------------

LayerVerdict FloorOf(const TargetCatalog& catalog, std::string op, std::string_view target) {
  Instance instance;
  instance.op = std::move(op);
  const auto found = catalog.Find(target);
  EXPECT_TRUE(found.ok());
  const auto verdict = Judge(instance, **found, Route::kMil);
  EXPECT_TRUE(verdict.ok());
  return verdict->at(Layer::kMinimumFamily);
}

TEST(UserFloors, DecideInPlaceOfTheTables) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  EXPECT_EQ(FloorOf(catalog, "softmax", "h13").ruling, Ruling::kPass);
  EXPECT_EQ(FloorOf(catalog, "sin", "h13").ruling, Ruling::kReject);
  ASSERT_TRUE(catalog
                  .ApplyUserFile(R"({"version": 1, "floors": [
                    {"op": "softmax", "floor": 4, "source": "audit"},
                    {"op": "reductions", "floor": 3, "source": "audit"},
                    {"op": "linear", "floor": 3, "source": "audit"},
                    {"op": "sin", "floor": 2, "source": "audit"}]})",
                                 "floors.json")
                  .ok());
  const LayerVerdict softmax = FloorOf(catalog, "softmax", "h13");
  EXPECT_EQ(softmax.ruling, Ruling::kDecompose);
  EXPECT_EQ(softmax.reason, "softmax is native from family 4; family 2 decomposes it");
  EXPECT_NE(softmax.source.find("audit"), std::string::npos);
  EXPECT_EQ(FloorOf(catalog, "softmax", "h15").ruling, Ruling::kPass);
  EXPECT_EQ(FloorOf(catalog, "reduce_sum", "h13").ruling, Ruling::kDecompose)
      << "table 24.2 names a class of operations";
  EXPECT_EQ(FloorOf(catalog, "linear", "h13").ruling, Ruling::kDecompose)
      << "the tables only bound this floor";
  EXPECT_EQ(FloorOf(catalog, "sin", "h13").ruling, Ruling::kPass);
  EXPECT_EQ(FloorOf(catalog, "cos", "h13").ruling, Ruling::kReject)
      << "the user gave no floor for cos";
  EXPECT_EQ(FloorOf(TargetCatalog::Builtin(), "sin", "h13").ruling, Ruling::kReject);
}

TEST(UserHal, AMissingTextureEngineIsMissingByConversionToo) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  for (const char* op : {"crop_resize", "resample", "affine"}) {
    const auto outcome = [&](const TargetCatalog& of) {
      Instance instance;
      instance.op = op;
      return Judge(instance, **of.Find("h14"), Route::kMil)->outcome;
    };
    EXPECT_EQ(outcome(TargetCatalog::Builtin()), Outcome::kNative) << op;
    ASSERT_TRUE(catalog.ReplaceHal("h14", std::vector<uint8_t>(0x938), "zeros").ok());
    EXPECT_EQ(outcome(catalog), Outcome::kRejected) << op;
  }
}

// Layers whose code generation first runs on A14 (specification 004, arch-gated negatives and table
// 26.1; facts/more/defects_plus.csv) run on no earlier target.
TEST(Layers, ThatFirstRunOnA14AreRefusedOnEveryEarlierTarget) {
  for (const char* layer : {"Sort", "TopK", "DynamicSlice", "Unflatten"}) {
    for (const char* target : {"h11", "h12", "m9", "t0", "h13"}) {
      Instance instance;
      instance.op = layer;
      const auto verdict = Judge(instance, **FindTarget(target), Route::kNetlist);
      ASSERT_TRUE(verdict.ok());
      EXPECT_EQ(verdict->outcome, Outcome::kRejected) << layer << " on " << target;
    }
  }
}

}  // namespace
}  // namespace anecheck::legality
