// Departures that a user describes in a file (`--defects FILE`), in addition to the documented
// ones.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "oracles/contract.h"

namespace anecheck {

// Owns its rows and their text. Movable.
class DepartureCatalogue {
 public:
  // Starts with the documented departures.
  DepartureCatalogue();

  // Adds the rows of a JSON document:
  //   {"contract": {"base": "float", "terms": {"function_ulp": 2}},
  //    "departures": [{"id": "U1", "effect": "value_from", "op": "softplus", "a": 10.4, "b": 0,
  //                    "families": ["A13", "h17s"], "what": "...", "source": "..."}]}
  //
  // `effect` is one of EffectName's words. `op`, `a` and `b` may be absent if the effect does not
  // need them. "inf" and "-inf" are numbers too. `families` may contain "own"; in a document with a
  // contract, absent `families` mean "own". "contract" is optional and sets the terms of
  // kOwnFamily. A term takes the value that the document gives, or else the value of the base
  // contract ("float" or "ieee"). Errors (kMalformed, kInvalid) name the row; the catalogue is then
  // unchanged.
  Status AddJson(std::string_view text);

  std::span<const Departure> rows() const { return rows_; }
  // The contract of the last document that contained a contract.
  const std::optional<Contract>& own() const { return own_; }

 private:
  std::vector<Departure> rows_;
  std::optional<Contract> own_;
  std::deque<std::string> text_;  // the rows' views refer to it; a deque never moves its elements
};

// The departures that Judge tries by default: the documented ones and added ones. Any number of
// threads may read them; rows may be added (as by AddJson) only before the first judgement.
std::span<const Departure> DeparturesInForce();
Status AddDeparturesInForce(std::string_view json);

// "port_overflow", "value_at" ...
std::string_view EffectName(Effect effect);

}  // namespace anecheck
