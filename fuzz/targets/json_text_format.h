// JSON text as a format, so that the structured mutator can edit and cross documents.
#pragma once

#include "fuzz/targets/input_text.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"

namespace anecheck::fuzz {

inline Result<Json> ReadJsonText(ByteSpan text) { return ParseJson(AsText(text)); }
inline Result<Bytes> WriteJsonText(const Json& json) { return AsBytes(DumpJson(json)); }
inline Result<Bytes> RewriteJsonText(ByteSpan text) {
  ANECHECK_ASSIGN(const Json json, ReadJsonText(text));
  return WriteJsonText(json);
}

// The format has no rules and no functions to recognise or print files.
inline constexpr Format kJsonTextFormat = {.name = "json",
                                           .to_json = ReadJsonText,
                                           .from_json = WriteJsonText,
                                           .rewrite = RewriteJsonText};

}  // namespace anecheck::fuzz
