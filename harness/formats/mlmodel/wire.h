// Reads the fields of a protocol buffers message. The readers use the library (protozero) only
// through this file, which checks the wire type before each access and catches the library's
// exceptions.
#pragma once

#include <cstdint>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/result.h"

namespace anecheck::mlmodel {

// One field of a message. Groups do not occur, because the library refuses them.
struct WireField {
  uint32_t number = 0;
  protozero::pbf_wire_type type = protozero::pbf_wire_type::unknown;
  uint64_t varint = 0;     // the value if the wire type is varint
  std::string_view bytes;  // the content of a length-delimited field

  bool IsVarint(uint32_t wanted) const {
    return number == wanted && type == protozero::pbf_wire_type::varint;
  }
  // Returns whether this is the field `wanted` and has a message, a string, bytes or a packed list.
  bool IsBytes(uint32_t wanted) const {
    return number == wanted && type == protozero::pbf_wire_type::length_delimited;
  }
};

// The library's exception, with the position of the field that extends beyond its message.
class WireError : public protozero::exception {
 public:
  WireError(const char* what, const char* at) : what_(what), at_(at) {}
  const char* what() const noexcept override { return what_; }
  const char* at() const { return at_; }

 private:
  const char* what_;  // has static storage, like the library's texts
  const char* at_;
};

// Reads the next field into `field`. Returns false at the end of the message. Throws WireError.
inline bool NextField(protozero::pbf_reader& reader, WireField& field) {
  const char* const at = reader.data().data();
  try {
    if (!reader.next()) return false;
    field = {.number = reader.tag(), .type = reader.wire_type()};
    if (field.type == protozero::pbf_wire_type::varint) {
      field.varint = reader.get_uint64();
    } else if (field.type == protozero::pbf_wire_type::length_delimited) {
      const protozero::data_view view = reader.get_view();
      field.bytes = {view.data(), view.size()};
    } else {
      reader.skip();
    }
    return true;
  } catch (const protozero::exception& error) {
    throw WireError(error.what(), at);
  }
}

// Calls `use(WireField)`, which returns a Status, for each field in order, until it returns an
// error. Throws WireError if the bytes are not a message.
template <typename Use>
Status ForEachField(std::string_view message, Use&& use) {
  protozero::pbf_reader reader(message.data(), message.size());
  WireField field;
  while (NextField(reader, field)) {
    ANECHECK_RETURN_IF_ERROR(use(static_cast<const WireField&>(field)));
  }
  return {};
}

// Calls `read`, which reads `bytes`. Converts the library's exceptions to errors.
template <typename Read>
auto CatchWire(std::string_view bytes, Read&& read) -> decltype(read()) {
  const auto broken = [](const protozero::exception& error, uint64_t offset) {
    return MakeError(ErrorCode::kMalformed,
                     std::string("damaged, or no protocol buffers: ") + error.what(), offset);
  };
  try {
    return read();
  } catch (const WireError& error) {
    return broken(error, static_cast<uint64_t>(error.at() - bytes.data()));
  } catch (const protozero::exception& error) {
    return broken(error, Error::kNoOffset);
  }
}

// Returns the last length-delimited field with that number, or "" if there is none.
inline std::string_view FindBytes(std::string_view message, uint32_t number) {
  std::string_view found;
  static_cast<void>(ForEachField(message, [&](const WireField& field) -> Status {
    if (field.IsBytes(number)) found = field.bytes;
    return {};
  }));
  return found;
}

}  // namespace anecheck::mlmodel
