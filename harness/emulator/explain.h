// Describes a program: the work of each task, its reads and writes, and its words without a known
// meaning. Used by `anecheck inspect --explain`.
#pragma once

#include <string>
#include <vector>

#include "harness/emulator/activation_table.h"
#include "harness/emulator/program.h"

namespace anecheck::emulator {

// Returns a text such as "convolution 3x3, stride 2, 64 to 64 channels, bias, relu". `table` is the
// task's table, or null. If the table has a name, the text contains the name.
std::string DescribeWork(const Task& task, const ActivationTable* table = nullptr);
// Returns a text such as "reads image (BAR 5), 1x64x16x16; writes probs@output (BAR 4)".
std::string DescribeTraffic(const Task& task, const Program& program);

struct TaskExplanation {
  std::string text;                  // the task's work and traffic; empty if the task is refused
  std::string refusal;               // the reason why the task cannot be executed
  std::vector<std::string> unknown;  // set bits without a known meaning
  std::vector<std::string> weak;  // fields in use whose meaning has only notes or names as evidence
};
TaskExplanation ExplainTask(const Program& program, const TaskWords& words);

// Describes all tasks, with one paragraph each.
std::string ExplainProgram(const Program& program);

}  // namespace anecheck::emulator
