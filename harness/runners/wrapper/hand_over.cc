// Passes tensors between a program and other processes, through shared memory.
#include <utility>
#include <vector>

#include "harness/runners/shared_buffer.h"
#include "harness/runners/wrapper/ane_e5rt.h"
#include "harness/runners/wrapper/failure.h"

struct anecheck_e5rt_shared {  // NOLINT(readability-identifier-naming): a name of C
  anecheck::SharedBuffer buffer;
};

namespace {

using anecheck::Result;
using anecheck::SharedBuffer;
using anecheck::Status;
using anecheck::WrapperFailed;

anecheck_e5rt_shared_t* Owned(Result<SharedBuffer> buffer) {
  if (buffer.ok()) return new anecheck_e5rt_shared{std::move(buffer).value()};
  WrapperFailed(buffer.error().message);
  return nullptr;
}

int Done(const Status& status) { return status.ok() ? 0 : WrapperFailed(status.error().message); }

}  // namespace

anecheck_e5rt_shared_t* anecheck_e5rt_shared_create(const char* name, size_t bytes) {
  return Owned(SharedBuffer::Create(name == nullptr ? "" : name, bytes));
}

anecheck_e5rt_shared_t* anecheck_e5rt_shared_open(const char* name) {
  return Owned(SharedBuffer::Open(name == nullptr ? "" : name));
}

void anecheck_e5rt_shared_release(anecheck_e5rt_shared_t* shared) { delete shared; }

int anecheck_e5rt_shared_write_fp16(anecheck_e5rt_shared_t* shared, const uint16_t* data,
                                    size_t n) {
  if (shared == nullptr || data == nullptr) return WrapperFailed("shared or data is NULL");
  return Done(shared->buffer.Write({reinterpret_cast<const uint8_t*>(data), n * sizeof *data}));
}

int anecheck_e5rt_shared_read_fp16(anecheck_e5rt_shared_t* shared, uint16_t* dest, size_t n) {
  if (shared == nullptr || dest == nullptr) return WrapperFailed("shared or dest is NULL");
  return Done(shared->buffer.Read({reinterpret_cast<uint8_t*>(dest), n * sizeof *dest}));
}

int anecheck_e5rt_input_from_shared(ane_e5rt_program_t* program, size_t op_idx, const char* port,
                                    anecheck_e5rt_shared_t* shared, size_t n) {
  if (shared == nullptr) return WrapperFailed("shared is NULL");
  if (n > shared->buffer.size() / 2) return WrapperFailed("the shared buffer holds fewer elements");
  std::vector<uint16_t> elements(n);
  if (anecheck_e5rt_shared_read_fp16(shared, elements.data(), n) != 0) return -1;
  return ane_e5rt_program_set_input_fp16_op(program, op_idx, port, elements.data(), n);
}

int anecheck_e5rt_output_to_shared(ane_e5rt_program_t* program, size_t op_idx, const char* port,
                                   anecheck_e5rt_shared_t* shared, size_t n) {
  if (shared == nullptr) return WrapperFailed("shared is NULL");
  if (n > shared->buffer.size() / 2) return WrapperFailed("the shared buffer holds fewer elements");
  std::vector<uint16_t> elements(n);
  if (ane_e5rt_program_get_output_fp16_op(program, op_idx, port, elements.data(), n) != 0) {
    return -1;
  }
  return anecheck_e5rt_shared_write_fp16(shared, elements.data(), n);
}
