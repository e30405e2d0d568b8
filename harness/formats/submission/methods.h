// The driver's external methods, with the sizes of their structures and their return codes.
// Sources: specification 000, table 23.14; public guide, chapter 27
// (facts/more/iokit_selectors.csv) and appendix C.3 (facts/more/error_codes.csv). Used by the
// submission format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::submission {

// The specification describes one interface, in which the selector and the size of the structure
// determine the method. The public guide describes two user clients with one method per selector.
// This code supports both.
enum class Client : uint8_t {
  kMerged = 0,   // the interface of the specification, or unknown in a capture
  kControl = 1,  // public guide: the client that creates and prepares programs
  kDirect = 2,   // public guide: the client on the fast path
};
inline constexpr uint32_t kClientCount = 3;
std::string_view ClientName(Client client);

// A size or count that the source does not state. The source has "pointer" or no column for it.
inline constexpr uint32_t kUnstated = UINT32_MAX;

// One source's description of a method. Sizes are in bytes.
struct Method {
  std::string_view name;
  Client client = Client::kMerged;
  uint32_t selector = 0;
  uint32_t scalars_in = kUnstated;
  uint32_t struct_in = 0;
  uint32_t scalars_out = kUnstated;
  uint32_t struct_out = kUnstated;
  std::string_view source;
};

// Returns all rows of table 23.14, all rows of the guide's two clients, and the two methods whose
// selectors have other numbers in appendix C.2.
std::span<const Method> Methods();

// Returns the rows that match a call of that selector with an input structure of that size. For
// kMerged, searches the rows of all clients. The same selector with another size is another method.
// If several sources describe a method, returns all its rows. The error for an unknown selector and
// size lists the known sizes of the selector.
Result<std::vector<const Method*>> FindMethods(Client client, uint32_t selector,
                                               uint32_t struct_in);

// Returns the distinct method names in rows that FindMethods returned. There are several if the
// client is unknown and selector and size do not determine the method (selector 8 with 32 bytes).
std::vector<std::string_view> MethodNames(std::span<const Method* const> rows);

// The name of a return code in one source. The guide and the system header differ in some names.
struct ReturnCode {
  uint32_t code = 0;
  std::string_view name;
  std::string_view meaning;
  std::string_view source;
};
std::span<const ReturnCode> ReturnCodes();
// Returns the name of a code, for example "kIOReturnUnsupported", both names if the sources differ,
// or the number if there is no name.
std::string ReturnCodeText(uint32_t code);

inline constexpr uint32_t kReturnUnsupported = 0xe00002c7;

}  // namespace anecheck::submission
