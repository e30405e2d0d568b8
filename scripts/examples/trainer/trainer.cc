// Trains a network of 784, 256 and 10 units with GELU and Adam on the engine, through the C ABI of
// libanecheck_e5rt: one program is one step, and its twelve state tensors (weights, first and
// second moments) stay resident, each output bound to the input of the next step.
//
// usage: trainer STEP.mil [STEPS [SEED [FOLDER]]]
// Prints a line every 20 steps and the accuracy on samples that training never saw. Into FOLDER it
// writes the ports of the first, the middle and the last step (fp16, little-endian), for a judge:
// FOLDER/STEP/in/PORT and FOLDER/STEP/out/PORT.
// Exit code 0: accuracy of at least 90 %, and every state within kMostChanges of the host's.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "harness/runners/wrapper/ane_e5rt.h"

namespace {

constexpr size_t kBatch = 32, kIn = 784, kHidden = 256, kOut = 10;
constexpr double kBeta1 = 0.9, kBeta2 = 0.99, kEpsilon = 1e-3, kRate = 0.001;
// The largest distance of a weight from the host's after one step, in steps of Adam. An element
// with hardly any gradient may move either way.
constexpr double kMostChanges = 1;

using Half = _Float16;
constexpr Half kOff = 0, kOn = 1;
using Numbers = std::vector<Half>;

struct Port {
  std::string name;
  size_t size = 0;  // elements
};
const std::vector<Port> kParameters = {
    {"w1", kIn* kHidden}, {"b1", kHidden}, {"w2", kHidden* kOut}, {"b2", kOut}};

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "trainer: %s: %s\n", what.c_str(), anecheck_e5rt_last_error());
  std::exit(2);
}

// ---- data: ten variants of one pattern, each sample with half of its pixels drawn anew ----

struct Samples {
  std::vector<Half> pixels;     // kBatch x kIn
  std::vector<Half> targets;    // kBatch x kOut, one 1 in each row
  std::vector<size_t> classes;  // kBatch
};

class Data {
 public:
  explicit Data(uint64_t seed) : random_(seed), patterns_(kOut * kIn) {
    for (size_t i = 0; i < kIn; ++i) {
      const bool common = random_() % 6 == 0;
      for (size_t label = 0; label < kOut; ++label) {
        const bool varied = random_() % 4 == 0;
        patterns_[label * kIn + i] = varied ? random_() % 6 == 0 : common;
      }
    }
  }
  Samples Draw() {
    Samples samples{Numbers(kBatch * kIn), Numbers(kBatch * kOut), std::vector<size_t>(kBatch)};
    for (size_t row = 0; row < kBatch; ++row) {
      const size_t label = random_() % kOut;
      samples.classes[row] = label;
      samples.targets[row * kOut + label] = 1;
      for (size_t i = 0; i < kIn; ++i) {
        const bool redrawn = random_() % 2 == 0;
        const bool on = redrawn ? random_() % 6 == 0 : patterns_[label * kIn + i] != 0;
        samples.pixels[row * kIn + i] = on ? kOn : kOff;
      }
    }
    return samples;
  }
  double Normal() { return std::normal_distribution<double>()(random_); }

 private:
  std::mt19937_64 random_;
  std::vector<uint8_t> patterns_;
};

// ---- the engine ----

class Engine {
 public:
  explicit Engine(const char* mil) {
    inputs_ = {{"x", kBatch * kIn}, {"t", kBatch * kOut}, {"rate", 1}};
    outputs_ = {{"p", kBatch * kOut}};
    for (const char* kind : {"", "m_", "v_"}) {
      for (const Port& parameter : kParameters) {
        inputs_.push_back({kind + parameter.name, parameter.size});
        outputs_.push_back({kind + parameter.name + "_next", parameter.size});
      }
    }
    std::vector<const char*> in_names, out_names;
    std::vector<size_t> in_sizes, out_sizes;
    for (const Port& port : inputs_) {
      in_names.push_back(port.name.c_str());
      in_sizes.push_back(port.size * sizeof(Half));
    }
    for (const Port& port : outputs_) {
      out_names.push_back(port.name.c_str());
      out_sizes.push_back(port.size * sizeof(Half));
    }
    constexpr uint64_t kEngineAlone = 4;
    program_ = ane_e5rt_program_compile(mil, nullptr, kEngineAlone, in_names.data(),
                                        in_sizes.data(), in_names.size(), out_names.data(),
                                        out_sizes.data(), out_names.size());
    if (program_ == nullptr) Fail(mil);
    for (size_t i = 1; i < outputs_.size(); ++i) {
      const std::string input = outputs_[i].name.substr(0, outputs_[i].name.rfind("_next"));
      if (ane_e5rt_program_share_buffer(program_, 0, outputs_[i].name.c_str(), 0, input.c_str()) !=
          0) {
        Fail("share " + input);
      }
    }
  }
  ~Engine() { ane_e5rt_program_release(program_); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void Set(const std::string& port, const Numbers& numbers) {
    if (ane_e5rt_program_set_input_fp16(program_, port.c_str(),
                                        reinterpret_cast<const uint16_t*>(numbers.data()),
                                        numbers.size()) != 0) {
      Fail("input " + port);
    }
  }
  Numbers Get(const std::string& port, size_t size) {
    Numbers numbers(size);
    if (ane_e5rt_program_get_output_fp16(program_, port.c_str(),
                                         reinterpret_cast<uint16_t*>(numbers.data()), size) != 0) {
      Fail("output " + port);
    }
    return numbers;
  }
  void Step() {
    if (ane_e5rt_program_execute(program_) != 0) Fail("execute");
  }
  const std::vector<Port>& outputs() const { return outputs_; }

 private:
  std::vector<Port> inputs_, outputs_;
  ane_e5rt_program_t* program_ = nullptr;
};

// ---- the host's step, in double ----

// The states in the order of Engine's outputs, p first.
using State = std::vector<Numbers>;

std::vector<double> Gradient(const Samples& samples, const State& before, size_t parameter) {
  const Numbers &w1 = before[1], &b1 = before[2], &w2 = before[3], &b2 = before[4];
  std::vector<double> g(kParameters[parameter].size);
  std::vector<double> h(kHidden), a(kHidden), z(kOut);
  for (size_t row = 0; row < kBatch; ++row) {
    const Half* x = &samples.pixels[row * kIn];
    for (size_t j = 0; j < kHidden; ++j) h[j] = b1[j];
    for (size_t i = 0; i < kIn; ++i) {
      if (x[i] == kOff) continue;
      for (size_t j = 0; j < kHidden; ++j) h[j] += double{x[i]} * double{w1[i * kHidden + j]};
    }
    for (size_t j = 0; j < kHidden; ++j) a[j] = 0.5 * h[j] * (1 + std::erf(h[j] / std::sqrt(2.0)));
    for (size_t k = 0; k < kOut; ++k) {
      z[k] = b2[k];
      for (size_t j = 0; j < kHidden; ++j) z[k] += a[j] * double{w2[j * kOut + k]};
    }
    const double most = *std::max_element(z.begin(), z.end());
    double sum = 0;
    for (double& value : z) sum += value = std::exp(value - most);
    for (size_t k = 0; k < kOut; ++k) z[k] = z[k] / sum - double{samples.targets[row * kOut + k]};
    if (parameter == 3) {
      for (size_t k = 0; k < kOut; ++k) g[k] += z[k];
      continue;
    }
    for (size_t j = 0; j < kHidden; ++j) {
      if (parameter == 2) {
        for (size_t k = 0; k < kOut; ++k) g[j * kOut + k] += a[j] * z[k];
        continue;
      }
      double back = 0;
      for (size_t k = 0; k < kOut; ++k) back += z[k] * double{w2[j * kOut + k]};
      const double phi = 0.5 * (1 + std::erf(h[j] / std::sqrt(2.0)));
      back *= phi + h[j] * std::exp(-h[j] * h[j] / 2) / std::sqrt(2 * M_PI);
      if (parameter == 1) {
        g[j] += back;
        continue;
      }
      for (size_t i = 0; i < kIn; ++i) {
        if (x[i] != kOff) g[i * kHidden + j] += double{x[i]} * back;
      }
    }
  }
  return g;
}

// The largest distance of a weight from the host's, in steps of Adam.
double Distance(const Samples& samples, const State& before, const State& after, double rate) {
  double worst = 0;
  for (size_t p = 0; p < kParameters.size(); ++p) {
    const std::vector<double> g = Gradient(samples, before, p);
    for (size_t i = 0; i < g.size(); ++i) {
      const double m = kBeta1 * double{before[5 + p][i]} + (1 - kBeta1) * g[i];
      const double v = kBeta2 * double{before[9 + p][i]} + (1 - kBeta2) * g[i] * g[i];
      const double w = double{before[1 + p][i]} - rate * m / (std::sqrt(v) + kEpsilon);
      worst = std::max(worst, std::fabs(w - double{after[1 + p][i]}) / rate);
    }
  }
  return worst;
}

// ---- training ----

size_t Right(const Samples& samples, const Numbers& p) {
  size_t right = 0;
  for (size_t row = 0; row < kBatch; ++row) {
    const auto begin = p.begin() + static_cast<ptrdiff_t>(row * kOut);
    right +=
        static_cast<size_t>(std::max_element(begin, begin + kOut) - begin) == samples.classes[row];
  }
  return right;
}

double Loss(const Samples& samples, const Numbers& p) {
  double loss = 0;
  for (size_t row = 0; row < kBatch; ++row) {
    loss -= std::log(std::max(1e-6, double{p[row * kOut + samples.classes[row]]}));
  }
  return loss / kBatch;
}

void Write(const std::filesystem::path& path, const Numbers& numbers) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(Half)));
}

State Read(Engine& engine) {
  State state;
  for (const Port& port : engine.outputs()) state.push_back(engine.Get(port.name, port.size));
  return state;
}

State FirstState(Data& data, Engine& engine) {
  State state = {Numbers(kBatch * kOut)};
  for (const char* kind : {"", "m_", "v_"}) {
    for (const Port& parameter : kParameters) {
      Numbers numbers(parameter.size);
      const double deviation = parameter.name == "w1" ? 1 / std::sqrt(static_cast<double>(kIn) / 6)
                               : parameter.name == "w2"
                                   ? 1 / std::sqrt(static_cast<double>(kHidden))
                                   : 0;
      if (kind[0] == '\0') {
        for (Half& number : numbers) number = static_cast<Half>(deviation * data.Normal());
      }
      engine.Set(kind + parameter.name, numbers);
      state.push_back(std::move(numbers));
    }
  }
  return state;
}

void Dump(const std::string& folder, size_t step, const Engine& engine, const Samples& samples,
          Half rate, const State& before, const State& after) {
  const std::filesystem::path at = std::filesystem::path(folder) / std::to_string(step);
  Write(at / "in" / "x", samples.pixels);
  Write(at / "in" / "t", samples.targets);
  Write(at / "in" / "rate", {rate});
  for (size_t i = 0; i < after.size(); ++i) {
    const std::string& name = engine.outputs()[i].name;
    if (i > 0) Write(at / "in" / name.substr(0, name.rfind("_next")), before[i]);
    Write(at / "out" / name, after[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) {
    std::fprintf(stderr, "usage: trainer STEP.mil [STEPS [SEED [FOLDER]]]\n");
    return 2;
  }
  const size_t steps = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 200;
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::string folder = argc > 4 ? argv[4] : "";
  Data data(seed);
  Engine engine(argv[1]);
  State state = FirstState(data, engine);
  std::printf("784-256-10, GELU, Adam, batch %zu, %zu steps, seed %llu\n", kBatch, steps,
              static_cast<unsigned long long>(seed));
  double worst = 0;
  for (size_t step = 1; step <= steps; ++step) {
    const Samples samples = data.Draw();
    // The rate includes the bias correction of the moments.
    const Half rate = static_cast<Half>(kRate * std::sqrt(1 - std::pow(kBeta2, step)) /
                                        (1 - std::pow(kBeta1, step)));
    engine.Set("x", samples.pixels);
    engine.Set("t", samples.targets);
    engine.Set("rate", {rate});
    engine.Step();
    const bool shown = step == 1 || step == steps || step % 20 == 0;
    const bool dumped = !folder.empty() && (step == 1 || step == steps || step == steps / 2);
    const State after = Read(engine);
    if (shown || dumped) {
      const double distance = Distance(samples, state, after, double{rate});
      worst = std::max(worst, distance);
      std::printf("step %zu: loss %.4f, %zu of %zu right, distance from the host %.3f steps\n",
                  step, Loss(samples, after[0]), Right(samples, after[0]), kBatch, distance);
    }
    if (dumped) Dump(folder, step, engine, samples, rate, state, after);
    state = after;
  }
  // Evaluates samples that training never saw; a rate of 0 keeps the weights.
  size_t right = 0;
  constexpr size_t kHeldOut = 10;
  engine.Set("rate", {kOff});
  for (size_t i = 0; i < kHeldOut; ++i) {
    const Samples samples = data.Draw();
    engine.Set("x", samples.pixels);
    engine.Set("t", samples.targets);
    engine.Step();
    right += Right(samples, engine.Get("p", kBatch * kOut));
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(kHeldOut * kBatch);
  std::printf("held out: %zu of %zu right (%.2f %%), worst distance %.3f steps\n", right,
              kHeldOut * kBatch, 100 * accuracy, worst);
  return accuracy >= 0.9 && worst <= kMostChanges ? 0 : 1;
}
