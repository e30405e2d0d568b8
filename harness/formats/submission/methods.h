// The driver's external methods, with the structure sizes that each takes and the codes that they
// return. Sources: specification 000, table 23.14; public guide, chapter 27
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

// The specification describes one interface whose selectors are overloaded by structure size; the
// public guide describes two user clients with one method per selector. Both are kept.
enum class Client : uint8_t {
  kMerged = 0,   // the interface of the specification, or unknown in a capture
  kControl = 1,  // public guide: the client that creates and prepares programs
  kDirect = 2,   // public guide: the client on the fast path
};
inline constexpr uint32_t kClientCount = 3;
std::string_view ClientName(Client client);

// A size or count that the source does not state ("pointer", or no column for it).
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

// All rows of table 23.14, all rows of the guide's two clients, and the two methods whose selectors
// have other numbers in appendix C.2.
std::span<const Method> Methods();

// The rows that match a call of that selector with an input structure of that size. They are rows
// of one client, or of all clients for kMerged. The same selector with another size is another
// method. If several sources describe a method, all rows are returned. The error for an unknown
// pair lists the known sizes of the selector.
Result<std::vector<const Method*>> FindMethods(Client client, uint32_t selector,
                                               uint32_t struct_in);

// The distinct method names of such rows. There are several if selector and size are ambiguous
// (selector 8 with 32 bytes, for which the client decides).
std::vector<std::string_view> MethodNames(std::span<const Method* const> rows);

// One source's name for a return code. The guide and the system header name some codes differently.
struct ReturnCode {
  uint32_t code = 0;
  std::string_view name;
  std::string_view meaning;
  std::string_view source;
};
std::span<const ReturnCode> ReturnCodes();
// "kIOReturnUnsupported", both names if sources differ, or the number.
std::string ReturnCodeText(uint32_t code);

inline constexpr uint32_t kReturnUnsupported = 0xe00002c7;

}  // namespace anecheck::submission
