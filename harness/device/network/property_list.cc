#include "harness/device/network/property_list.h"

#include <limits>
#include <plist/plist.h>

namespace anecheck::device {
namespace {

// The maximum depth. Deeper lists are refused, because libplist frees a list by recursion.
constexpr int kDeepest = 64;

bool NestsTooDeep(std::string_view xml) {
  int depth = 0;
  for (size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    const std::string_view rest = xml.substr(at);
    if (rest.starts_with("<dict") || rest.starts_with("<array")) ++depth;
    if (rest.starts_with("</dict") || rest.starts_with("</array")) --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

template <typename Value, typename Read>
std::optional<std::vector<Value>> Each(const ListItem& list, const Read& read) {
  const auto items = list.Items();
  if (!items) return std::nullopt;
  std::vector<Value> values;
  values.reserve(items->size());
  for (const ListItem& item : *items) {
    const auto value = read(item);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

}  // namespace

bool ListItem::IsDictionary() const {
  return node_ != nullptr && plist_get_node_type(node_) == PLIST_DICT;
}

ListItem ListItem::Find(const std::string& key) const {
  return IsDictionary() ? ListItem(plist_dict_get_item(node_, key.c_str())) : ListItem();
}

std::optional<std::string> ListItem::Text() const {
  if (node_ == nullptr || plist_get_node_type(node_) != PLIST_STRING) return std::nullopt;
  uint64_t length = 0;
  const char* text = plist_get_string_ptr(node_, &length);
  return std::string(text, text == nullptr ? 0 : length);
}

std::optional<int64_t> ListItem::Integer() const {
  if (node_ == nullptr || plist_get_node_type(node_) != PLIST_UINT) return std::nullopt;
  uint64_t value = 0;
  plist_get_uint_val(node_, &value);  // gives negative numbers in two's complement
  return static_cast<int64_t>(value);
}

std::optional<double> ListItem::Number() const {
  if (node_ == nullptr || plist_get_node_type(node_) != PLIST_REAL) {
    const auto integer = Integer();
    return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
  }
  double value = 0;
  plist_get_real_val(node_, &value);
  return value;
}

std::optional<bool> ListItem::Flag() const {
  if (node_ == nullptr || plist_get_node_type(node_) != PLIST_BOOLEAN) return std::nullopt;
  uint8_t value = 0;
  plist_get_bool_val(node_, &value);
  return value != 0;
}

std::optional<std::vector<ListItem>> ListItem::Items() const {
  if (node_ == nullptr || plist_get_node_type(node_) != PLIST_ARRAY) return std::nullopt;
  std::vector<ListItem> items;
  const uint32_t count = plist_array_get_size(node_);
  items.reserve(count);
  for (uint32_t i = 0; i < count; ++i) items.emplace_back(plist_array_get_item(node_, i));
  return items;
}

std::optional<std::vector<std::string>> ListItem::Texts() const {
  if (const auto text = Text()) return std::vector<std::string>{*text};
  return Each<std::string>(*this, [](const ListItem& item) { return item.Text(); });
}

std::optional<std::vector<int64_t>> ListItem::Integers() const {
  return Each<int64_t>(*this, [](const ListItem& item) { return item.Integer(); });
}

void PropertyList::Free::operator()(void* node) const { plist_free(node); }

Result<PropertyList> PropertyList::Read(std::string_view content) {
  const bool binary = content.starts_with("bplist0");
  if (!binary && NestsTooDeep(content)) {
    return MakeError(ErrorCode::kMalformed, "the property list is nested too deeply");
  }
  if (content.size() > std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorCode::kMalformed, "the property list is too large");
  }
  plist_t root = nullptr;
  const auto size = static_cast<uint32_t>(content.size());
  if (binary) {
    plist_from_bin(content.data(), size, &root);
  } else {
    plist_from_xml(content.data(), size, &root);
  }
  if (root == nullptr) return MakeError(ErrorCode::kMalformed, "the text is no property list");
  return PropertyList(root);
}

}  // namespace anecheck::device
