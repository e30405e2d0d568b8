// Converts the model file of the Linux driver of the M1 (`.ane`, also `.anec`), so that an M1 under
// Linux can run the encoder's files. The file has a header of sizes, then task words and constants.
//
// Source: github eiln/ane, libane/ane.h (struct anec), libane/ane.c and ane/src/ane_drv.c, commit
// 0dcea9976fae. All numbers are little endian:
//
// | offset | field                                                                       |
// |--------|-----------------------------------------------------------------------------|
// | 0      | u64 bytes behind the header                                                 |
// | 8      | u32 bytes of the first task, u32 number of tasks                            |
// | 16     | u64 bytes of the task words, u64 bytes of the constants behind them         |
// | 32     | u32 inputs, u32 outputs                                                     |
// | 40     | u32[32] 16 KiB pages of each base address: 0 words and constants, 3 scratch, |
// |        | outputs from 4 on, inputs behind them                                       |
// | 168    | u64[32][6] N, C, H, W, bytes of a plane and of a row of each                |
// | 0x800  | task words, at the next multiple of 16 the constants                        |
//
// The library of the driver reads the words at 0x800. The compiler of the driver writes them at
// 0x1000 (github eiln/anecc, HEADER_SIZE, and nine real files). The functions below read both
// forms, and write the words at 0x800.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck::encoder {

// Returns whether `bytes` may be such a file. This is so if the sizes in its header are consistent
// with each other and with the length of the file.
bool LooksLikeAne(ByteSpan bytes);

// Converts an H13 hardware container into such a file. The format contains no names. Errors:
// kUnsupported if the container has more than one procedure, kernels in a separate segment, or
// inputs before outputs.
Result<Bytes> AneOfContainer(ByteSpan container);

// Converts such a file into a container. Its ports are input_0, input_1, ... and output_0, ...,
// each in the order of the base addresses. A base address that tasks write is an output, and one
// that they only read is an input. The tasks overrule the header, because three published files,
// made from containers of macOS 14 and 26, have their inputs first (github allbilly/ane, hwx). A
// header that contradicts the tasks adds one line to `warnings`. Errors: kTruncated and kMalformed
// with the offset, kUnsupported for elements that are not fp16.
Result<Bytes> ContainerOfAne(ByteSpan bytes, std::vector<std::string>* warnings = nullptr);

// Converts a driver's file into its container; returns other bytes unchanged.
Result<Bytes> AsContainer(Bytes bytes, std::vector<std::string>* warnings = nullptr);

}  // namespace anecheck::encoder
