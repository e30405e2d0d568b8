#include "harness/emulator/explain.h"

#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/emulator/coefficients.h"

namespace anecheck::emulator {
namespace {

std::string Shape(const Extents& e) {
  std::string text = e.groups > 1 ? fmt::format("{} groups of ", e.groups) : "";
  if (e.depth > 1) text += fmt::format("{}x", e.depth);
  return text + fmt::format("{}x{}x{}", e.channels, e.height, e.width);
}

std::string_view Name(PlanarOperation operation) {
  constexpr std::string_view kNames[] = {"addition", "product", "maximum", "minimum",
                                         "square of the sum"};
  return kNames[static_cast<size_t>(operation)];
}

std::string Activation(const NeuralTask& neural, const ActivationTable* table) {
  switch (neural.nonlinear) {
    case Nonlinear::kNone:
      return "";
    case Nonlinear::kRelu:
      return ", relu";
    case Nonlinear::kTable:
      if (table == nullptr || table->Name().empty()) return ", activation table";
      return fmt::format(", table of {}", table->Name());
  }
  return "";
}

std::string Window(const Task& task) {
  const NeuralTask& neural = task.neural;
  std::string text =
      neural.unicast && neural.unicast_channels == 1 ? "depthwise convolution" : "convolution";
  text +=
      fmt::format(" {}x{}, stride {}", neural.kernel_height, neural.kernel_width, neural.stride_y);
  if (neural.stride_x != neural.stride_y) text += fmt::format("x{}", neural.stride_x);
  text += fmt::format(", {} to {}", task.input.channels, Counted(task.output.channels, "channel"));
  if (task.output.groups > 1) text += fmt::format(" in each of {} groups", task.output.groups);
  if (neural.pad_left != 0 || neural.pad_top != 0) {
    text += fmt::format(", padding {} top {} left", neural.pad_top, neural.pad_left);
  }
  if (neural.zero_skip) text += ", zeros skipped";
  if (neural.bias_row) text += ", bias";
  return text;
}

std::string NeuralWork(const Task& task, const ActivationTable* table) {
  const NeuralTask& neural = task.neural;
  std::string text;
  if (neural.int8_coefficients) {
    text = fmt::format("sum of {} each by int8 factors, {} to {}",
                       Counted(neural.unicast_channels, "channel"), task.input.channels,
                       Counted(task.output.channels, "channel"));
  } else if (neural.coefficients) {
    text = Window(task);
  } else if (neural.unicast_channels == 1) {
    text = neural.nonlinear == Nonlinear::kNone && neural.post_scale == 1 ? "copy" : "activation";
  } else {
    constexpr std::string_view kNames[] = {"sum", "", "product", "maximum", "copy"};
    text = fmt::format("{} of {} each, {} to {}", kNames[static_cast<size_t>(neural.operation)],
                       Counted(neural.unicast_channels, "channel"), task.input.channels,
                       Counted(task.output.channels, "channel"));
  }
  if (neural.accumulator_bias != 0) text += fmt::format(", plus {:g}", neural.accumulator_bias);
  if (neural.post_scale != 1) text += fmt::format(", times {:g}", neural.post_scale);
  text += Activation(neural, table);
  if (task.result.memory.swapped) text += ", width and channels exchanged";
  return text;
}

std::string PlanarWork(const Task& task) {
  const PlanarTask& planar = task.planar;
  std::string text;
  switch (task.kind) {
    case TaskKind::kPlanarUnary:
      text = "elementwise on one source";
      break;
    case TaskKind::kPlanarElementwise:
      text = fmt::format("elementwise {}", Name(planar.operation));
      break;
    case TaskKind::kPlanarPerChannel:
      text = planar.negate2 ? "per channel (x - row 0) * row 1" : "per channel (x + row 0) * row 1";
      break;
    case TaskKind::kPlanarElementwiseReduction:
      text = fmt::format("elementwise {}, then ", Name(planar.operation));
      [[fallthrough]];
    default:
      text += fmt::format("{} over depth, height and width", planar.maximum ? "maximum" : "sum");
  }
  if (planar.negate1) text += ", source 1 negated";
  if (planar.negate2 && task.kind != TaskKind::kPlanarPerChannel) text += ", source 2 negated";
  if (planar.scale != 1) text += fmt::format(", times {:g}", planar.scale);
  if (planar.bias != 0) text += fmt::format(", plus {:g}", planar.bias);
  if (planar.absolute) text += ", absolute value";
  if (planar.relu) text += ", relu";
  if (planar.final_scale != 1) text += fmt::format(", times {:g}", planar.final_scale);
  if (planar.epsilon != 0) text += fmt::format(", plus {:g}", planar.epsilon);
  if (planar.post == PostFunction::kReciprocal) text += ", reciprocal";
  if (planar.post == PostFunction::kReciprocalRoot) text += ", reciprocal square root";
  if (task.result.memory.swapped) text += ", width and channels exchanged";
  return text;
}

// Returns the name of the region at which a BAR points, with `offset` and the number of the BAR.
std::string BarName(const Program& program, uint32_t bar, uint64_t offset) {
  std::string name = "unbound";
  const auto& bars = program.memory.bars();
  if (const auto at = bars.find(bar); at != bars.end()) {
    for (const Region& region : program.memory.regions()) {
      if (at->second < region.address || at->second - region.address >= region.bytes.size()) {
        continue;
      }
      name = region.name;
    }
  }
  const std::string place = offset == 0 ? "" : fmt::format(" + 0x{:x}", offset);
  return fmt::format("{}{} (BAR {})", name, place, bar);
}

std::string SourceText(const Source& source, const Program& program) {
  const std::string shape = Shape(source.extents) + (source.l2.OfBytes() ? " bytes" : "");
  if (source.chained) return "the task before, " + shape;
  if (!source.by_dma) return fmt::format("L2 at 0x{:x}, {}", source.l2.base, shape);
  const std::string kept = source.keep ? fmt::format(", kept in L2 at 0x{:x}", source.l2.base) : "";
  return fmt::format("{}, {}{}", BarName(program, source.bar, source.memory.base), shape, kept);
}

// A field with a neutral value needs no evidence.
bool IsNeutral(const FieldTable::Entry& entry, uint32_t value) {
  return value == 0 || (entry.codes.size() == 1 && entry.codes[0].low == entry.codes[0].high);
}

void ListWeakFields(const FieldTable& table, const TaskWords& words, const FieldValues& values,
                    std::vector<std::string>& weak) {
  for (const FieldTable::Entry& entry : table.entries()) {
    const FieldRow& row = *entry.row;
    if (row.effect != Effect::kResult || row.evidence < Evidence::kNotes) continue;
    if (entry.place.kind == PlaceKind::kNone || !Counts(row.when, values)) continue;
    const uint32_t value = values[row.field];
    if (IsNeutral(entry, value)) continue;
    std::string text = fmt::format("{} = {}: {} ({})", PlaceOf(words, entry, 0), value, row.meaning,
                                   EvidenceName(row.evidence));
    if (!row.other.empty()) text += fmt::format("; by another source: {}", row.other);
    weak.push_back(std::move(text));
  }
}

void ListUnknownBits(const FieldTable& table, const TaskWords& words,
                     std::vector<std::string>& unknown) {
  const auto add = [&](std::string_view what, uint32_t address, uint32_t value, uint32_t known) {
    if ((value & ~known) == 0) return;
    unknown.push_back(
        fmt::format("{} 0x{:x} = 0x{:x}: bits 0x{:x}", what, address, value, value & ~known));
  };
  for (uint32_t i = 0; i < words.header.size(); ++i) {
    add("header word", i, words.header[i], table.KnownBits(PlaceKind::kHeader, i));
  }
  for (const RegisterValue& written : words.registers) {
    add("register", written.address, written.value,
        table.KnownBits(PlaceKind::kRegister, written.address));
  }
}

}  // namespace

std::string DescribeWork(const Task& task, const ActivationTable* table) {
  return task.kind == TaskKind::kNeural ? NeuralWork(task, table) : PlanarWork(task);
}

std::string DescribeTraffic(const Task& task, const Program& program) {
  std::string text = "reads " + SourceText(task.source1, program);
  if (task.source2) text += "; and " + SourceText(*task.source2, program);
  if (task.kind == TaskKind::kNeural && task.neural.has_stream) {
    text +=
        "; coefficients from " + BarName(program, task.neural.kernel_bar, task.neural.kernel_base);
  }
  const Destination& result = task.result;
  text += "; writes ";
  if (result.by_dma) text += BarName(program, result.bar, result.memory.base);
  if (result.chained) text += "for the next task";
  if (result.by_dma && result.to_l2) text += " and ";
  if (result.to_l2) text += fmt::format("L2 at 0x{:x}", result.l2.base);
  return text + ", " + Shape(task.output) + (result.memory.OfBytes() ? " bytes" : "");
}

TaskExplanation ExplainTask(const Program& program, const TaskWords& words) {
  TaskExplanation explanation;
  const FieldTable& fields = FieldTable::Of(program.generation);
  ListUnknownBits(fields, words, explanation.unknown);
  std::vector<std::string> warnings;
  const auto values = ReadFields(fields, words, warnings);
  if (!values.ok()) {
    explanation.refusal = values.error().message;
    return explanation;
  }
  ListWeakFields(fields, words, *values, explanation.weak);
  const auto task = DecodeTask(program.generation, words, *values, fields);
  if (!task.ok()) {
    explanation.refusal = task.error().message;
    return explanation;
  }
  // A table that cannot be read has no name.
  const auto table = ReadTable(*task, program.memory);
  const ActivationTable* const known = table.ok() && *table ? &**table : nullptr;
  explanation.text = DescribeWork(*task, known) + "; " + DescribeTraffic(*task, program);
  return explanation;
}

std::string ExplainProgram(const Program& program) {
  std::string text = fmt::format("{} of {}:\n", Counted(program.tasks.size(), "task"),
                                 GenerationName(program.generation));
  for (const TaskWords& words : program.tasks) {
    const TaskExplanation task = ExplainTask(program, words);
    text += fmt::format("  task {}: {}\n", words.index,
                        task.refusal.empty() ? task.text : "not executable: " + task.refusal);
    for (const std::string& line : task.unknown) {
      text += fmt::format("    no known meaning: {}\n", line);
    }
    for (const std::string& line : task.weak) text += fmt::format("    weak: {}\n", line);
  }
  return text;
}

}  // namespace anecheck::emulator
