#include "harness/formats/format.h"

namespace anecheck {

std::string_view FactEvidenceName(FactEvidence evidence) {
  switch (evidence) {
    case FactEvidence::kRealFile:
      return "real file";
    case FactEvidence::kSpecification:
      return "specification";
    case FactEvidence::kPublicNotes:
      return "public notes";
    case FactEvidence::kAssumed:
      return "assumed";
    case FactEvidence::kOpaque:
      return "opaque";
    case FactEvidence::kNotation:
      return "notation";
  }
  return "unknown";
}

}  // namespace anecheck
