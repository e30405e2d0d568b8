// Errors as values. `Error` describes a failure and its place, and `Result<T>` is a T or an Error.
// The whole project returns them. Code that calls a library catches the exceptions of the library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace anecheck {

// The kind of failure that an Error reports. The command line maps kInternal and kIo to exit code 3
// and every other code to 2.
enum class ErrorCode : uint8_t {
  kTruncated,    // input ended before the field did
  kMalformed,    // input breaks the rules of its format
  kUnsupported,  // well formed, but of a version or kind that is not handled
  kInvalid,      // an argument or a graph breaks a rule
  kNotFound,     // a name, file or symbol does not exist
  kIo,           // the operating system refused
  kLimit,        // a resource cap of the harness was reached
  kInterrupted,  // the caller stopped the work before its end
  kInternal,     // the harness itself failed
};

// Returns the name of `code` as printed, for example "truncated".
std::string_view ErrorCodeName(ErrorCode code);

struct Error {
  static constexpr uint64_t kNoOffset = ~uint64_t{0};

  ErrorCode code = ErrorCode::kInternal;
  std::string message;          // one line: error, place, remedy
  uint64_t offset = kNoOffset;  // absolute byte offset in the input, if there is one
};

inline Error MakeError(ErrorCode code, std::string message, uint64_t offset = Error::kNoOffset) {
  return Error{code, std::move(message), offset};
}

// A value or an Error. Not thread-safe, like any plain value.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that `return value;` and `return MakeError(...);` both compile.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition: ok().
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  // Precondition: !ok().
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace anecheck

#define ANECHECK_CONCAT_INNER(a, b) a##b
#define ANECHECK_CONCAT(a, b) ANECHECK_CONCAT_INNER(a, b)

// Evaluates `expression` (a Result or Status). If it is an error, the enclosing function returns
// it.
#define ANECHECK_RETURN_IF_ERROR(expression)                          \
  do {                                                                \
    if (auto anecheck_status = (expression); !anecheck_status.ok()) { \
      return std::move(anecheck_status).error();                      \
    }                                                                 \
  } while (false)

// ANECHECK_ASSIGN(auto x, F()): x is F()'s value, or the enclosing function returns F()'s error.
#define ANECHECK_ASSIGN(declaration, expression) \
  ANECHECK_ASSIGN_INNER(ANECHECK_CONCAT(anecheck_result_, __LINE__), declaration, expression)
#define ANECHECK_ASSIGN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                                  \
  if (!temporary.ok()) return std::move(temporary).error();       \
  declaration = std::move(temporary).value()
