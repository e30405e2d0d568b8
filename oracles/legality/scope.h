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
//   row('field')                     of the catalogue row that the route goes by; its floor is the
//                                    one that a user's file states, where it states one
//   hal('field') hal_all(['a','b'])  of the target's table; flags as true or false
//   limit('name') limit_list('name')
//   operands() has(o) rank(o) shape(o) dtype(o) constant(o) elements(o) bits(o)
//   axis(o, 'N'|'D'|'C'|'H'|'W')     the last axes of rank 1 to 3, N C H W, N C D H W; N C W of
//                                    rank 3 where the operation has windows or channels
//   max_rank() extents() extents_off_channel() dtypes()  over all operands
//   input_dtypes()                   of those that are no constants
//   program_input_dtypes()           of those that no operation made either, as far as the instance
//   says
//   result_channels() result_extents() result_dtypes()  over all results; channels, and the others
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
  // Nothing if the function is not one of the target's.
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
