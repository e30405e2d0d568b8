// Writes a message inside another.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>

namespace anecheck::mlmodel {

struct SubmessageBytes {
  std::string bytes;
};

// A message that becomes a field of its parent at the end of its scope, even if nothing was written
// to it. The library's own nested writers leave out empty messages, but these have a meaning here
// (an unknown dimension, a tensor without elements). Until the scope ends, nothing else may be
// written to the parent.
class Submessage : private SubmessageBytes, public protozero::pbf_writer {
 public:
  Submessage(protozero::pbf_writer& parent, uint32_t number)
      : protozero::pbf_writer(bytes), parent_(parent), number_(number) {}
  ~Submessage() { parent_.add_message(number_, bytes); }
  Submessage(const Submessage&) = delete;
  Submessage& operator=(const Submessage&) = delete;

 private:
  protozero::pbf_writer& parent_;
  uint32_t number_;
};

}  // namespace anecheck::mlmodel
