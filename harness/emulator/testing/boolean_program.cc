#include "harness/emulator/testing/boolean_program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace anecheck::emulator::testing {
namespace {

constexpr uint16_t kOne = 0x3c00;
constexpr uint32_t kConstantsBar = 1, kFirstPort = 4;
constexpr size_t kSurface = 4096;
constexpr uint32_t kRow = 64;

using Registers = std::vector<std::pair<uint32_t, uint32_t>>;

uint64_t AddressOf(uint32_t bar) { return uint64_t{bar} << 32; }

void Bind(Program& program, uint32_t bar, std::string name, RegionKind kind,
          std::vector<uint8_t> bytes) {
  program.memory.SetBar(bar, AddressOf(bar));
  static_cast<void>(program.memory.Add({std::move(name), kind, AddressOf(bar), std::move(bytes)}));
}

struct PortSpec {
  std::string name;
  bool output = false;
  uint32_t element = 2;
};

// Adds ports. Their base addresses have the numbers from 4 on, in the order of the ports.
void AddPorts(Program& program, const std::vector<PortSpec>& ports,
              const std::array<uint32_t, 4>& shape) {
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const PortSpec& spec = ports[i];
    const size_t region = program.memory.regions().size();
    Bind(program, kFirstPort + i, spec.name, spec.output ? RegionKind::kOutput : RegionKind::kInput,
         std::vector<uint8_t>(kSurface));
    const uint64_t plane = uint64_t{kRow} * shape[2];
    program.ports.push_back({.name = spec.name,
                             .output = spec.output,
                             .region = region,
                             .shape = shape,
                             .strides = {plane * shape[1], plane, kRow, spec.element},
                             .element = spec.element});
  }
}

// Adds a task with the register words that all these tasks share and with the words `own`.
void AddTask(Program& program, uint32_t bars, uint32_t kernel, const Registers& own) {
  TaskWords words;
  words.index = static_cast<uint32_t>(program.tasks.size());
  words.header = {0x01000000, 0, 0x400, 0, 0xfff800, 0, 0x10000000, 0, bars, kernel};
  for (const auto& [address, value] : Registers{{0x0, 0x00010001},
                                                {0x4, 1},
                                                {0xc, kBooleanChannels},
                                                {0x10, kBooleanChannels},
                                                {0x14, 0x00010001},
                                                {0x18, 1},
                                                {0x1c, 0x5000a021},
                                                {0x20, 0x2041},
                                                {0x28, 1},
                                                {0x13800, 0x8880},
                                                {0x13804, 0x8880},
                                                {0x13838, 0x01000000},
                                                {0x13840, 0x100},
                                                {0x17800, 0xc0},
                                                {0x17818, 0x01000000}}) {
    words.Set(address, value);
  }
  for (const auto& [address, value] : own) words.Set(address, value);
  program.tasks.push_back(std::move(words));
}

// Adds a copy of task `task` with some register words changed.
void AddAlike(Program& program, size_t task, uint32_t bars, const Registers& own) {
  TaskWords words = program.tasks[task];
  words.index = static_cast<uint32_t>(program.tasks.size());
  words.header[8] = bars;
  for (const auto& [address, value] : own) words.Set(address, value);
  program.tasks.push_back(std::move(words));
}

void SetStreams(Program& program, uint32_t engines, uint32_t first, uint32_t step, uint32_t size) {
  TaskWords& words = program.tasks.back();
  words.Set(0x1f800, 0x40);
  for (uint32_t i = 0; i < engines; ++i) {
    words.Set(0x1f808 + 4 * i, 0x81);
    words.Set(0x1f848 + 4 * i, first + i * step);
    words.Set(0x1f888 + 4 * i, size);
  }
}

const Registers kChannelsByDma = {
    {0x13800, 0x33881}, {0x1380c, 0x40}, {0x13810, 0x40}, {0x13814, 0x1000}, {0x13818, 0x1000}};
const Registers kChannelsOut = {
    {0x17800, 0x40000c1}, {0x17808, 0x40}, {0x1780c, 0x40}, {0x17810, 0x1000}, {0x17814, 0x1000}};
const Registers kPlanar = {{0x24, 0x10001},      {0x8804, 0x3c000000}, {0x8808, 0x3c000000},
                           {0x880c, 0x3f800000}, {0xc800, 0x80},       {0xc804, 0x100000}};

Registers Joined(std::initializer_list<Registers> parts) {
  Registers all;
  for (const Registers& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
// Returns the registers for one row of all channels in L2, with width and channels exchanged.
Registers L2Row(uint32_t base_register, uint32_t base) {
  Registers row = {{base_register, base}};
  for (uint32_t i = 1; i <= 3; ++i) row.emplace_back(base_register + 4 * i, 0x80);
  return row;
}

std::vector<uint8_t> ToBytes(const std::array<uint16_t, 64>& halves) {
  std::vector<uint8_t> bytes(sizeof halves);
  std::memcpy(bytes.data(), halves.data(), bytes.size());
  return bytes;
}
// Returns a table of a mode without knots, whose bounds are the infinities of fp16.
std::vector<uint8_t> RoundingTable(uint16_t below, uint16_t above, uint16_t steps, uint16_t mode) {
  std::array<uint16_t, 64> halves = {0xfc00, 0x7c00, below, above};
  halves[41] = steps;
  halves[42] = mode;
  return ToBytes(halves);
}

void Put(std::vector<uint8_t>& to, size_t at, const std::vector<uint8_t>& bytes) {
  to.resize(std::max(to.size(), at + bytes.size()));
  std::ranges::copy(bytes, to.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

std::vector<uint8_t> StepTable(uint16_t below, uint16_t zero, uint16_t above) {
  std::array<uint16_t, 64> halves = {0x8001, 0x0001, below, above};
  std::fill_n(halves.begin() + 4, 32, zero);
  halves[38] = below;
  halves[40] = above;
  halves[41] = 0x40;
  halves[42] = 1;
  return ToBytes(halves);
}

Program LessProgram() {
  Program program;
  constexpr uint32_t kEngineCount = 16, kStream = 0xc0;
  std::vector<uint8_t> constants;
  for (uint32_t engine = 0; engine < kEngineCount; ++engine) {
    std::vector<uint8_t> stream = StepTable(kOne, 0, 0);
    for (int channel = 0; channel < 4; ++channel) stream.insert(stream.end(), {0x01, 0xff});
    stream.resize(kStream);
    Put(constants, constants.size(), stream);
  }
  Bind(program, kConstantsBar, "constants", RegionKind::kConstants, constants);
  AddPorts(program, {{"x"}, {"y"}, {"z", true, 1}}, {1, kBooleanChannels, 1, 1});
  // Each channel of x comes before the channel of y with the same index.
  AddTask(program, 0x05800025, 0,
          Joined({kChannelsByDma,
                  {{0x8, 0x22},
                   {0x24, 0x14001},
                   {0x34, 0x200001},
                   {0x4804, 0x500172},
                   {0x4830, 0x500170},
                   {0x4834, 0x10},
                   {0x4838, 0x20},
                   {0x483c, 0x800},
                   {0x4840, 0x800},
                   {0xc800, 0x82},
                   {0xc804, 0x101c0c},
                   {0xc810, 0x3c00},
                   {0x13838, 0x01002031}}}));
  AddAlike(program, 0, 0x05800024, {{0x4804, 0x142}, {0x4830, 0x140}, {0x4834, 0}});
  AddTask(program, 0x05026000, 0x21,
          Joined({kChannelsOut,
                  {{0x8, 0x2},
                   {0xc, 2 * kBooleanChannels},
                   {0x24, 0x24001},
                   {0x34, 0x200001},
                   {0x4804, 0x120},
                   {0x480c, 0x10},
                   {0x4810, 0x800},
                   {0x4814, 0x800},
                   {0x4830, 0x10a},
                   {0x4834, 0x800},
                   {0xc800, 0x81},
                   {0xc804, 0x120000},
                   {0xc810, 0x3c00},
                   {0x17818, 0x01300000}}}));
  SetStreams(program, kEngineCount, 0, kStream, kStream);
  return program;
}

Program FloorProgram() {
  Program program;
  std::vector<uint8_t> constants = RoundingTable(0, 0, 0, 0x63);
  Put(constants, 0x400, StepTable(kOne, 0, 0));
  Put(constants, 0x480, RoundingTable(0xfc00, 0x7c00, 5, 0x64));
  Bind(program, kConstantsBar, "constants", RegionKind::kConstants, constants);
  AddPorts(program, {{"x"}, {"y", true}}, {1, kBooleanChannels, 1, 1});
  AddTask(program, 0x04800024, 0x21,
          Joined({kChannelsByDma,
                  L2Row(0x4834, 0x80),
                  {{0x8, 0x22},
                   {0x24, 0x14001},
                   {0x34, 0x10180001},
                   {0x4804, 0x500171},
                   {0x4808, 0x100},
                   {0x480c, 0x10},
                   {0x4810, 0x400},
                   {0x4814, 0x400},
                   {0x4818, 0x400},
                   {0x4830, 0x500170},
                   {0xc800, 0x82},
                   {0xc804, 0x121c0c},
                   {0xc810, 0x3c00},
                   {0x13838, 0x01002031}}}));
  SetStreams(program, 8, 0, 0, 0x80);
  AddTask(program, 0x01800000, 0x21,
          Joined({L2Row(0x4808, 0x80),
                  L2Row(0x4834, 0),
                  {{0x0, 0x10040},
                   {0x8, 0x22},
                   {0xc, 1},
                   {0x10, 1},
                   {0x14, 0x10040},
                   {0x24, 0x14001},
                   {0x34, 1},
                   {0x4804, 0x120},
                   {0x4830, 0x140},
                   {0xc800, 0x82},
                   {0xc804, 0x121c0c},
                   {0xc810, 0x3c00}}}));
  SetStreams(program, 1, 0x400, 0, 0x80);
  AddAlike(program, 0, 0x04800000,
           {{0x4804, 0x100}, {0x4830, 0x140}, {0x13800, 0x8880}, {0x13838, 0x01000000}});
  SetStreams(program, 8, 0x480, 0, 0x80);
  AddTask(program, 0x00025000, 0,
          Joined({kPlanar,
                  kChannelsOut,
                  L2Row(0x4808, 0x80),
                  L2Row(0x481c, 0),
                  {{0x8, 0x2a},
                   {0x2c, 4},
                   {0x30, 0x300},
                   {0x34, 0x31},
                   {0x4804, 0x120},
                   {0x4830, 0x14a},
                   {0x4834, 0x100},
                   {0x8800, 0xc0000},
                   {0x17818, 0x01302031}}}));
  return program;
}

Program SelectProgram() {
  Program program;
  std::vector<uint8_t> constants = StepTable(kOne, 0, kOne);
  Put(constants, 0x400, StepTable(0, kOne, 0));
  Bind(program, kConstantsBar, "constants", RegionKind::kConstants, constants);
  AddPorts(program, {{"a"}, {"b"}, {"cond", false, 1}, {"y", true}}, {1, kBooleanChannels, 1, 1});
  AddTask(program, 0x04800026, 0x21,
          Joined({kChannelsByDma,
                  L2Row(0x4834, 0),
                  {{0x8, 0x20},
                   {0x24, 0x14001},
                   {0x34, 0x10180001},
                   {0x4804, 0x500131},
                   {0x4808, 0x100},
                   {0x480c, 0x10},
                   {0x4810, 0x400},
                   {0x4814, 0x400},
                   {0x4818, 0x400},
                   {0x4830, 0x500170},
                   {0xc800, 0x80},
                   {0xc804, 0x12000c},
                   {0xc810, 0x3c00}}}));
  SetStreams(program, 8, 0, 0, 0x80);
  AddTask(
      program, 0x00800900, 0,
      Joined(
          {kPlanar,
           L2Row(0x4808, 0),
           L2Row(0x4834, 0x80),
           {{0x8, 0x2a},          {0x2c, 4},          {0x30, 0x500},         {0x34, 0x32},
            {0x4804, 0x01000144}, {0x481c, 0x500},    {0x4820, 0x10},        {0x4824, 0x420},
            {0x4828, 0x400},      {0x482c, 0x400},    {0x4830, 0x140},       {0x8800, 0x80004},
            {0x13800, 0x8881},    {0x13804, 0x33880}, {0x13820, 0x40},       {0x13824, 0x40},
            {0x13828, 0x1000},    {0x1382c, 0x1000},  {0x13838, 0x01000001}, {0x1383c, 0x2030}}}));
  AddAlike(program, 0, 0x04800000, {{0x4804, 0x100}, {0x4830, 0x100140}, {0x13800, 0x8880}});
  SetStreams(program, 8, 0x400, 0, 0x80);
  AddAlike(program, 1, 0x00800940,
           {{0x4804, 0x01000170}, {0x481c, 0x180}, {0x4834, 0x100}, {0xc800, 0x1080}});
  AddTask(program, 0x00027000, 0,
          Joined({kPlanar,
                  kChannelsOut,
                  L2Row(0x4808, 0x80),
                  L2Row(0x481c, 0x100),
                  {{0x8, 0x2a},
                   {0x2c, 4},
                   {0x30, 0x300},
                   {0x34, 0x31},
                   {0x4804, 0x400100},
                   {0x4830, 0x14a},
                   {0x4834, 0x180},
                   {0x8800, 0x80000},
                   {0xc800, 0x4080},
                   {0x17818, 0x01302031}}}));
  return program;
}

Program CastProgram() {
  Program program;
  AddPorts(program, {{"x", false, 1}, {"y", true}}, {1, 1, 64, 1});
  AddTask(
      program, 0x00025024, 0,
      Joined({kPlanar,
              {{0x0, 0x400001},      {0x8, 0x20},          {0xc, 1},          {0x10, 1},
               {0x14, 0x400001},     {0x28, 0x40},         {0x2c, 0x54},      {0x34, 0x21},
               {0x4804, 0x500132},   {0x4830, 0x50017a},   {0x4834, 0x800},   {0x13800, 0x33881},
               {0x1380c, 0x40},      {0x13810, 0x1000},    {0x13814, 0x1000}, {0x13818, 0x1000},
               {0x17800, 0x40000c1}, {0x17808, 0x40},      {0x1780c, 0x1000}, {0x17810, 0x1000},
               {0x17814, 0x1000},    {0x17818, 0x01302031}}}));
  return program;
}

Program NotProgram() {
  Program program;
  Bind(program, kConstantsBar, "constants", RegionKind::kConstants, StepTable(0, kOne, 0));
  AddPorts(program, {{"x", false, 1}, {"y", true, 1}}, {1, 1, 64, 64});
  AddTask(program, 0x01025024, 0x21,
          {{0x0, 0x400040},      {0x8, 0},           {0xc, 1},           {0x10, 1},
           {0x14, 0x400040},     {0x24, 0x14001},    {0x28, 0x40},       {0x34, 0x20001},
           {0x4804, 0x500132},   {0x4830, 0x50013a}, {0x4834, 0x1400},   {0xc800, 0x80},
           {0xc804, 0x12000c},   {0xc810, 0x3c00},   {0x13800, 0x33881}, {0x1380c, 0x40},
           {0x13810, 0x1000},    {0x13814, 0x1000},  {0x13818, 0x1000},  {0x17800, 0x40000c1},
           {0x17808, 0x40},      {0x1780c, 0x1000},  {0x17810, 0x1000},  {0x17814, 0x1000},
           {0x17818, 0x01300000}});
  SetStreams(program, 1, 0, 0, 0x80);
  return program;
}

Program ChainProgram() {
  Program program;
  Bind(program, kConstantsBar, "constants", RegionKind::kConstants,
       RoundingTable(0xfc00, 0x7c00, 5, 0x64));
  AddPorts(program, {{"x"}, {"y", true}}, {1, kBooleanChannels, 1, 1});
  AddTask(program, 0x01800024, 0x21,
          Joined({kChannelsByDma,
                  {{0x8, 0x22},
                   {0x24, 0x14001},
                   {0x34, 0x4044401},
                   {0x4804, 0x500172},
                   {0x4830, 0x500173},
                   {0x4838, 0x20},
                   {0x483c, 0x20},
                   {0xc800, 0x82},
                   {0xc804, 0x121c0c},
                   {0xc810, 0x3c00},
                   {0x13838, 0x01002031}}}));
  SetStreams(program, 1, 0, 0, 0x80);
  AddTask(program, 0x00025000, 0,
          Joined({kChannelsOut,
                  {{0x8, 0x22},
                   {0x24, 0x10001},
                   {0x2c, 0x44},
                   {0x34, 0x21},
                   {0x4804, 0x103},
                   {0x480c, 0x20},
                   {0x4810, 0x20},
                   {0x4830, 0x142},
                   {0x4834, 0x600},
                   {0x8804, 0x40000000},
                   {0x8808, 0x3c000000},
                   {0x880c, 0x3f800000},
                   {0x17818, 0x01302031}}}));
  return program;
}

}  // namespace anecheck::emulator::testing
