#include "generators/formats/mutator/json_edit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/formats/mutator/extreme_values.h"
#include "harness/base/json.h"

namespace anecheck {
namespace {

// The maximum number of places that one edit considers. They are consecutive, from a random place
// on.
constexpr size_t kMaxPlaces = 4096;

struct Place {
  std::string name;  // of the member, or of the array that contains the element
  Json* value = nullptr;
};

size_t CountPlaces(const Json& json) {
  size_t count = 1;
  if (!json.is_structured()) return count;
  for (const Json& item : json) count += CountPlaces(item);
  return count;
}

// Appends up to kMaxPlaces places to `places`, after skipping `skip`.
void Collect(Json& json, const std::string& name, size_t& skip, std::vector<Place>& places) {
  if (places.size() == kMaxPlaces) return;
  if (skip > 0) {
    --skip;
  } else {
    places.push_back({name, &json});
  }
  if (json.is_object()) {
    for (auto& [key, item] : json.items()) Collect(item, key, skip, places);
  } else if (json.is_array()) {
    for (Json& item : json) Collect(item, name, skip, places);
  }
}

std::vector<Place> PlacesOf(Json& json, ChoiceStream& choices) {
  const size_t count = CountPlaces(json);
  size_t skip = count <= kMaxPlaces ? 0 : choices.Below(count - kMaxPlaces + 1);
  std::vector<Place> places;
  Collect(json, "", skip, places);
  return places;
}

// Draws no infinity or NaN, because JSON cannot represent them.
void EditFraction(Json& number, ChoiceStream& choices) {
  constexpr auto kEnds = std::to_array<double>(
      {0.0, -0.0, 1.0, -1.0, 65504.0, 65536.0, 4294967296.0, std::numeric_limits<double>::max(),
       std::numeric_limits<double>::lowest(), std::numeric_limits<double>::min(),
       std::numeric_limits<double>::denorm_min(), std::numeric_limits<float>::max(), 1e-46});
  const double old = number.get<double>();
  switch (choices.Below(4)) {
    case 0:
      number = -old;
      break;
    case 1:
      number = std::nextafter(old, choices.Coin() ? 1e9 : -1e9);
      break;
    case 2:
      number = std::ldexp(old, static_cast<int>(choices.Below(64)) - 32);
      break;
    default:
      number = choices.Pick(kEnds);
  }
}

// Draws a mask of 8, 16, 32 or 64 bits, because the JSON form does not state the width of a field.
uint64_t DrawMask(ChoiceStream& choices) {
  return ~uint64_t{0} >> (64 - (uint64_t{8} << choices.Below(4)));
}

void EditNumber(Json& number, ChoiceStream& choices) {
  const uint64_t old = number.is_number_unsigned() ? number.get<uint64_t>()
                                                   : static_cast<uint64_t>(number.get<int64_t>());
  switch (choices.Below(5)) {
    case 0:
      number = choices.Pick(kExtremeValues) & DrawMask(choices);
      break;
    case 1:
      number = old + 1 + choices.Below(8);
      break;
    case 2:
      number = old - 1 - choices.Below(8);
      break;
    case 3:
      number = old ^ (uint64_t{1} << choices.Below(uint64_t{8} << choices.Below(4)));
      break;
    default:
      number = -static_cast<int64_t>(choices.Below(uint64_t{1} << 32));
  }
}

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Returns the offset of the first digit in a text of hexadecimal digits, which may begin with "0x".
// Returns npos for any other text.
size_t HexDigits(std::string_view text) {
  const size_t at = text.starts_with("0x") ? 2 : 0;
  const bool all = text.size() > at && std::ranges::all_of(text.substr(at), IsHexDigit);
  return all ? at : std::string_view::npos;
}

// Changes one digit, or sets the digits to the smallest or largest number of a range.
void EditDigits(std::string& text, size_t first, ChoiceStream& choices) {
  if (choices.Below(4) != 0) {
    text[first + choices.Below(text.size() - first)] = "0123456789abcdef"[choices.Below(16)];
    return;
  }
  std::fill(text.begin() + static_cast<ptrdiff_t>(first), text.end(), choices.Coin() ? 'f' : '0');
  text[first] = "0178f"[choices.Below(5)];
}

void EditString(std::string& text, ChoiceStream& choices) {
  const size_t digits = HexDigits(text);
  if (digits != std::string_view::npos && choices.Below(4) != 0) {
    return EditDigits(text, digits, choices);
  }
  const size_t at = choices.Below(text.size() + 1);
  switch (choices.Below(4)) {
    case 0:  // another character replaces one
      if (at < text.size()) {
        text[at] = "0123456789abcdefxyz-_./"[choices.Below(23)];
        return;
      }
      [[fallthrough]];
    case 1:
      text.insert(at, text.substr(0, choices.Below(9)));
      break;
    case 2:
      text.erase(at, choices.Below(9));
      break;
    default:
      text.insert(at, 1, static_cast<char>(choices.Below(128)));
  }
}

bool EditArray(Json& array, ChoiceStream& choices) {
  if (array.empty()) return false;
  const auto at = static_cast<std::ptrdiff_t>(choices.Below(array.size()));
  // Lengths just above the usual sizes of fixed tables in parsers.
  constexpr auto kManyElements = std::to_array<size_t>({5, 9, 17, 33, 65, 129, 257});
  switch (choices.Below(4)) {
    case 0: {
      const Json copy = array[static_cast<size_t>(at)];
      array.insert(array.begin() + at, copy);
      return true;
    }
    case 1: {
      const Json copy = array[static_cast<size_t>(at)];
      const size_t count = choices.Pick(kManyElements);
      while (array.size() < count) array.push_back(copy);
      return true;
    }
    case 2:
      array.erase(array.begin() + at);
      return true;
    default: {
      Json& one = array[static_cast<size_t>(at)];
      Json& other = array[choices.Below(array.size())];
      if (one == other) return false;
      std::swap(one, other);
      return true;
    }
  }
}

bool EditObject(Json& object, ChoiceStream& choices) {
  if (object.empty()) return false;
  auto member = object.begin();
  std::advance(member, static_cast<ptrdiff_t>(choices.Below(object.size())));
  object.erase(member);
  return true;
}

// Copies the value of another place into `place`. Returns false if their kinds differ.
bool Borrow(const std::vector<Place>& places, const Place& place, ChoiceStream& choices) {
  const Place& other = places[choices.Below(places.size())];
  if (other.value == place.value || other.value->kind() != place.value->kind()) return false;
  if (place.value->is_structured()) return false;  // one of the two values may contain the other
  *place.value = Json(*other.value);
  return true;
}

bool EditPlace(Json& value, ChoiceStream& choices) {
  if (value.is_array()) return EditArray(value, choices);
  if (value.is_object()) return choices.Below(4) == 0 && EditObject(value, choices);
  if (value.is_string()) {
    EditString(value.text(), choices);
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_number_integer()) {
    EditNumber(value, choices);
  } else if (value.is_number_float()) {
    EditFraction(value, choices);
  } else {
    return false;
  }
  return true;
}

// Returns all places that have a name.
std::vector<Place> NamedPlacesOf(Json& json, ChoiceStream& choices) {
  std::vector<Place> places = PlacesOf(json, choices);
  std::erase_if(places, [](const Place& place) { return place.name.empty(); });
  return places;
}

bool IsPart(const Place& place) { return place.value->is_structured() && !place.value->empty(); }

// Replaces a run of elements of `a` by a run of elements of `b`. Returns false if nothing changes.
// Precondition: `b` has elements.
bool CrossRuns(Json& a, const Json& b, ChoiceStream& choices) {
  const size_t from = choices.Below(a.size() + 1);
  const size_t to = from + choices.Below(a.size() - from + 1);
  const size_t begin = choices.Below(b.size());
  const size_t end = begin + 1 + choices.Below(b.size() - begin);
  Json child = Json::array();
  for (size_t i = 0; i < from; ++i) child.push_back(a[i]);
  for (size_t i = begin; i < end; ++i) child.push_back(b[i]);
  for (size_t i = to; i < a.size(); ++i) child.push_back(a[i]);
  const bool changed = child != a;
  a = std::move(child);
  return changed;
}

}  // namespace

bool EditJson(Json& json, ChoiceStream& choices) {
  const std::vector<Place> places = PlacesOf(json, choices);
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Place& place = places[choices.Below(places.size())];
    const bool borrow = choices.Below(4) == 0;
    if (borrow ? Borrow(places, place, choices) : EditPlace(*place.value, choices)) return true;
  }
  return false;
}

bool CrossJson(Json& a, const Json& b, ChoiceStream& choices) {
  Json donor = b;
  const std::vector<Place> places = NamedPlacesOf(a, choices);
  const std::vector<Place> donors = NamedPlacesOf(donor, choices);
  std::map<std::string_view, std::vector<const Place*>> by_name;
  for (const Place& place : donors) by_name[place.name].push_back(&place);
  // Most places are scalars, so structured parts are drawn separately.
  std::vector<const Place*> values;
  std::vector<const Place*> parts;
  for (const Place& place : places) {
    if (by_name.contains(place.name)) (IsPart(place) ? parts : values).push_back(&place);
  }
  if (values.empty() && parts.empty()) return false;
  for (int attempt = 0; attempt < 32; ++attempt) {
    const bool part = values.empty() || (!parts.empty() && choices.Below(4) != 0);
    const Place& place = *choices.Pick(part ? parts : values);
    const Place& from = *choices.Pick(by_name.at(place.name));
    if (IsPart(place) != IsPart(from) || *place.value == *from.value) continue;
    if (IsPart(place) && place.value->kind() != from.value->kind()) continue;
    if (IsPart(place) && place.value->is_array() && choices.Below(4) != 0) {
      return CrossRuns(*place.value, *from.value, choices);
    }
    *place.value = std::move(*from.value);
    return true;
  }
  return false;
}

}  // namespace anecheck
