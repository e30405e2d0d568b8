#include "harness/base/json_pointer.h"

#include <charconv>
#include <optional>
#include <utility>

namespace anecheck {
namespace {

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::optional<size_t> IndexOf(const std::string& step) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool whole = error == std::errc() && end == step.data() + step.size();
  return whole ? std::optional(index) : std::nullopt;
}

}  // namespace

JsonPointer::JsonPointer(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(1);
    std::string step(text.substr(0, text.find('/')));
    text.remove_prefix(step.size());
    ReplaceAll(step, "~1", "/");
    ReplaceAll(step, "~0", "~");
    steps_.push_back(std::move(step));
  }
}

std::string JsonPointer::to_string() const {
  std::string text;
  for (std::string step : steps_) {
    ReplaceAll(step, "~", "~0");
    ReplaceAll(step, "/", "~1");
    text += "/" + step;
  }
  return text;
}

JsonPointer JsonPointer::parent() const {
  JsonPointer parent = *this;
  parent.steps_.pop_back();
  return parent;
}

JsonPointer JsonPointer::operator/(std::string_view name) const {
  JsonPointer child = *this;
  child.steps_.emplace_back(name);
  return child;
}

const Json* Json::Find(const JsonPointer& place) const {
  const Json* value = this;
  for (const std::string& step : place.steps_) {
    if (value->is_array()) {
      const std::optional<size_t> index = IndexOf(step);
      if (!index.has_value() || *index >= value->size()) return nullptr;
      value = &value->elements()[*index];
    } else {
      const ConstIterator member = value->find(step);
      if (!value->is_object() || member == value->end()) return nullptr;
      value = &*member;
    }
  }
  return value;
}

bool Json::contains(const JsonPointer& place) const { return Find(place) != nullptr; }

const Json& Json::operator[](const JsonPointer& place) const {
  const Json* value = Find(place);
  if (value == nullptr) throw JsonError(place.to_string() + " is missing");
  return *value;
}

Json& Json::operator[](const JsonPointer& place) {
  Json* value = this;
  for (const std::string& step : place.steps_) {
    const std::optional<size_t> index = value->is_array() ? IndexOf(step) : std::nullopt;
    value = index.has_value() ? &(*value)[*index] : &(*value)[step];
  }
  return *value;
}

}  // namespace anecheck
