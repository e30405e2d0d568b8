// The context for compiling the layers of a network description: its symbols, its weights, and the
// executable under construction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/executable_builder.h"
#include "harness/device/network/network.h"
#include "harness/device/network/unit_arguments.h"

namespace anecheck::device {

// The name of the only element type that the context compiles.
inline constexpr std::string_view kHalfType = "Float16";

// The extent that a Broadcast gives its operand along an axis.
struct Growth {
  std::string axis;
  int64_t size = 0;
};

// The value of a name that layers may read.
struct Symbol {
  Operand operand;
  std::vector<Growth> growth;  // the growth by a Broadcast, which `operand` does not include
};

// Makes an error of the stage Frontend.
Error Wrong(const NetworkUnit& unit, std::string_view what);

// Errors are those of CompileProgram. The arguments of the constructor must outlive the context.
class NetworkContext {
 public:
  NetworkContext(const Network& network, std::span<const uint8_t> weights,
                 const CompileSettings& settings, Backend backend)
      : network_(network),
        weights_(weights),
        settings_(settings),
        builder_("main", settings, backend) {}

  const Network& network() const { return network_; }
  const CompileSettings& settings() const { return settings_; }
  ExecutableBuilder& builder() { return builder_; }

  Status AddInput(const NetworkInput& input);
  Status AddConstant(const NetworkConstant& constant);
  // Reads fp16 values from the weight file. Errors call the values `what`.
  Result<Operand> StoredHalves(const Shape& shape, int64_t offset, std::string_view what);

  bool Has(std::string_view name) const { return symbols_.contains(name); }
  void Define(const std::string& name, Symbol symbol) { symbols_[name] = std::move(symbol); }
  const Symbol* Find(std::string_view name) const;
  // Returns the symbol that entry `index` of the unit's `bottoms` names.
  Result<const Symbol*> SymbolAt(const NetworkUnit& unit, size_t index) const;
  // Returns the unit's operand `index`. If it has a growth, the growth is computed.
  Result<Operand> OperandAt(const NetworkUnit& unit, size_t index);
  // Returns the operand of the symbol `name`. If it has a growth, the growth is computed.
  Result<Operand> Grow(const std::string& name);
  // Returns the start of a DynamicSlice, which is the constant that its second bottom names.
  Result<int64_t> StartOf(const NetworkUnit& unit) const;

  // Ends a layer by adding its operation. The operation's result gets the layer's name and must
  // match the layer's declaration.
  Status Finish(const NetworkUnit& unit, std::string_view operation, UnitArguments& arguments);

 private:
  Result<std::vector<uint8_t>> Stored(int64_t offset, int64_t bytes, std::string_view what) const;

  const Network& network_;
  std::span<const uint8_t> weights_;
  const CompileSettings& settings_;
  ExecutableBuilder builder_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::map<std::string, int64_t, std::less<>> starts_;
};

// A layer type, and the function that compiles layers of that type.
struct UnitRow {
  std::string_view type;
  Status (*add)(NetworkContext& context, const NetworkUnit& unit);
};
// The entries for convolutions, for the gains and offsets behind them, and for pooling.
std::span<const UnitRow> WindowUnits();
// The entries for all other layers, except those of native_units.h.
std::span<const UnitRow> PlainUnits();

// Returns the operation of a unit whose parameter Type decides the operation.
Result<std::string_view> OperationByType(const NetworkUnit& unit);

}  // namespace anecheck::device
