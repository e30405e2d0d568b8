// Helpers for tests of the rules: they make an instance from arguments like those of `anecheck
// explain`, and judge it.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/targets/catalog.h"
#include "oracles/legality/explain.h"
#include "oracles/legality/legality.h"

namespace anecheck::legality {

// `words` describe the instance. "kernel=16" is an attribute, "x:1,64,56,56" is an fp16 operand,
// "x:1,4:uint8" is an operand of another type, and "weight:8,8,3,3:fp16:const" is a constant.
inline Instance Make(std::string_view op, const std::vector<std::string>& words = {}) {
  Instance instance;
  instance.op = op;
  for (const std::string& text : words) {
    const std::string_view word = text;
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos || word.find('=') < colon) {
      EXPECT_TRUE(AddAttribute(word, instance).ok()) << word;
      continue;
    }
    const std::string name(word.substr(0, colon));
    const size_t second = word.find(':', colon + 1);
    EXPECT_TRUE(
        AddShape(name + "=" + std::string(word.substr(colon + 1, second - colon - 1)), instance)
            .ok())
        << word;
    if (second == std::string_view::npos) continue;
    const size_t third = word.find(':', second + 1);
    EXPECT_TRUE(
        AddDtype(name + "=" + std::string(word.substr(second + 1, third - second - 1)), instance)
            .ok())
        << word;
    if (third == std::string_view::npos) continue;
    EXPECT_TRUE(AddConstant(name, instance).ok());
  }
  return instance;
}

inline Verdict Judged(std::string_view target, Route route, const Instance& instance) {
  const auto found = FindTarget(target);
  EXPECT_TRUE(found.ok()) << target;
  auto verdict = Judge(instance, **found, route);
  EXPECT_TRUE(verdict.ok()) << verdict.error().message;
  if (!verdict.ok()) return Verdict();
  // The text of `anecheck explain` must contain this outcome and these reasons.
  const std::string printed = VerdictText(*verdict, **found);
  EXPECT_NE(printed.find(std::string(": ") + std::string(OutcomeName(verdict->outcome)) + "\n"),
            std::string::npos)
      << printed;
  for (const LayerVerdict& layer : verdict->layers) {
    EXPECT_NE(printed.find(layer.reason), std::string::npos) << printed;
  }
  return *verdict;
}

}  // namespace anecheck::legality
