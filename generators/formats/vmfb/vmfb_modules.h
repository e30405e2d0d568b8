// Two kinds of files that kGenerator_vmfb draws. Internal to this folder.
#pragma once

#include <string_view>

#include "generators/choice_stream.h"
#include "harness/base/json.h"
#include "harness/formats/format.h"

namespace anecheck {

// Draws the JSON form, without places, of a bare module of a form after 2021.
Json LaterModule(ChoiceStream& choices, std::string_view form);

// Draws a ZIP polyglot whose first entry is a module of a form after 2021.
Bytes GenerateArchive(ChoiceStream& choices, std::string_view form);

}  // namespace anecheck
