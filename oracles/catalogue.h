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

// Owns its departures and their texts. Movable.
class DepartureCatalogue {
 public:
  // Makes a catalogue of the documented departures.
  DepartureCatalogue();

  // Adds the departures of a JSON document:
  //   {"contract": {"base": "float", "terms": {"function_ulp": 2}},
  //    "departures": [{"id": "U1", "effect": "value_from", "op": "softplus", "a": 10.4, "b": 0,
  //                    "families": ["A13", "h17s"], "what": "...", "source": "..."}]}
  //
  // `effect` is one of EffectName's words. `op`, `a` and `b` may be absent if the effect does not
  // need them. "inf" and "-inf" are numbers too. `families` may contain "own"; in a document with a
  // contract, absent `families` mean "own". "contract" is optional and sets the terms of
  // kOwnFamily. A term takes the value that the document gives, or else the value of the base
  // contract ("float" or "ieee"). Errors (kMalformed, kInvalid) name the wrong departure; the
  // catalogue is then unchanged.
  Status AddJson(std::string_view text);

  std::span<const Departure> rows() const { return rows_; }
  // The contract of the last document that contained a contract.
  const std::optional<Contract>& own() const { return own_; }

 private:
  std::vector<Departure> rows_;
  std::optional<Contract> own_;
  // The departures' views refer to these texts; a deque never moves its elements.
  std::deque<std::string> text_;
};

// The departures that Judge tries by default: the documented ones and added ones. Any number of
// threads may read them; AddDeparturesInForce may add departures only before the first judgement.
std::span<const Departure> DeparturesInForce();
Status AddDeparturesInForce(std::string_view json);

// "port_overflow", "value_at" ...
std::string_view EffectName(Effect effect);

}  // namespace anecheck
