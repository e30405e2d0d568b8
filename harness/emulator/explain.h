// Describes a program: the work of each task, its reads and writes, and which of its words have no
// known meaning. Used by `anecheck inspect --explain`.
#pragma once

#include <string>
#include <vector>

#include "harness/emulator/activation_table.h"
#include "harness/emulator/program.h"

namespace anecheck::emulator {

// "convolution 3x3, stride 2, 64 to 64 channels, bias, relu". `table` is the task's table, or null.
// If the table has a name, the text contains it.
std::string DescribeWork(const Task& task, const ActivationTable* table = nullptr);
// "reads image (BAR 5), 1x64x16x16; writes probs@output (BAR 4)".
std::string DescribeTraffic(const Task& task, const Program& program);

struct TaskExplanation {
  std::string text;                  // its work and moves; empty if it is refused
  std::string refusal;               // why it cannot be executed
  std::vector<std::string> unknown;  // set bits without a known meaning
  std::vector<std::string> weak;     // fields in use whose meaning rests on notes or names alone
};
TaskExplanation ExplainTask(const Program& program, const TaskWords& words);

// All tasks, one paragraph each.
std::string ExplainProgram(const Program& program);

}  // namespace anecheck::emulator
