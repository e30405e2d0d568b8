// The meanings of a rule's names and functions for one instance on one target by one route.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "harness/targets/target.h"
#include "oracles/legality/expression.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/rules.h"

namespace anecheck::legality {

// A name is an attribute of the instance, else a definition of the tables, else absent. Functions:
//   op() native() route() target() tier() family()
//   row('field')                     of the catalogue row that the route uses. If a user's file
//                                    states a floor for that row, row('floor') is this floor.
//   hal('field') hal_all(['a','b'])  of the target's table; flags as true or false
//   limit('name') limit_list('name')
//   operands() has(o) rank(o) shape(o) dtype(o) constant(o) elements(o) bits(o)
//   axis(o, 'N'|'D'|'C'|'H'|'W')     the extent along the axis, 1 if there is none. Rank 4 has the
//                                    axes N C H W, rank 5 N C D H W, and ranks 1 to 3 the last of
//                                    N C H W, or N C W if the operation has windows or channels
//   max_rank() dtypes()              over all operands
//   extents() extents_off_channel() input_dtypes()  over the operands that are not constants
//   program_input_dtypes()           of input_dtypes(), the types of operands that no operation
//                                    made, as far as the instance says
//   result_channels() result_extents() result_dtypes()  over all results; result_extents() leaves
//                                    out the channels
// where o is an operand's name or its position.
class InstanceScope : public Scope {
 public:
  InstanceScope(const Rules& rules, const CatalogueRow& row, const Instance& instance,
                const Target& target, Route route, FamilyOrder order)
      : rules_(rules),
        row_(row),
        instance_(instance),
        target_(target),
        route_(route),
        order_(order) {}

  Value Name(std::string_view name) const override;
  Value Call(std::string_view function, std::span<const Value> arguments) const override;

 private:
  // Returns nothing if the function does not read the target.
  std::optional<Value> OfTarget(std::string_view function, std::span<const Value> arguments) const;
  Value OfOperand(std::string_view function, std::span<const Value> arguments) const;
  std::optional<Value> OverOperands(std::string_view function) const;
  Value OverResults(std::string_view function) const;
  Value HalField(std::string_view field) const;
  Value RowField(std::string_view field) const;
  const Operand* Find(const Value& which) const;

  const Rules& rules_;
  const CatalogueRow& row_;
  const Instance& instance_;
  const Target& target_;
  Route route_;
  FamilyOrder order_;
};

}  // namespace anecheck::legality
