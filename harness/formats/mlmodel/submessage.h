// Writes a message inside another message.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>

namespace anecheck::mlmodel {

struct SubmessageBytes {
  std::string bytes;
};

// A message whose destructor adds it to its parent as a field, even if the message is empty. The
// library's own nested writers leave out empty messages, but here an empty message has a meaning
// (an unknown dimension, a tensor without elements). During the lifetime of a Submessage, no other
// code may write to its parent.
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
