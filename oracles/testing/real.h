// Numbers of 320 bits (MPFR), rounded to an element type once. The slow implementation of the tests
// uses them. Sums of products of fp16 numbers are exact, since they need 80 bits and a count.
#pragma once

#include <cmath>
#include <mpfr.h>

#include "harness/base/half.h"
#include "harness/graph/types.h"

namespace anecheck::testing {

class Real {
 public:
  // The number of bits of new numbers. Fewer bits are much faster, and are enough for functions of
  // one variable whose results are only rounded to fp16.
  static inline mpfr_prec_t bits = 320;

  Real() : Real(0.0) {}
  Real(double x) {  // NOLINT(google-explicit-constructor): numbers mix with doubles freely
    mpfr_init2(x_, bits);
    mpfr_set_d(x_, x, MPFR_RNDN);
  }
  Real(const Real& other) {
    mpfr_init2(x_, bits);
    mpfr_set(x_, other.x_, MPFR_RNDN);
  }
  Real& operator=(const Real& other) {
    mpfr_set(x_, other.x_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(x_); }

  friend Real operator+(const Real& a, const Real& b) { return Two(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return Two(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return Two(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return Two(mpfr_div, a, b); }
  Real operator-() const { return Real(0.0) - *this; }
  friend Real Sqrt(const Real& a) { return One(mpfr_sqrt, a); }
  friend Real Exp(const Real& a) { return One(mpfr_exp, a); }
  friend Real Tanh(const Real& a) { return One(mpfr_tanh, a); }
  friend Real Erfc(const Real& a) { return One(mpfr_erfc, a); }
  friend Real Erf(const Real& a) { return One(mpfr_erf, a); }
  friend Real Abs(const Real& a) { return One(mpfr_abs, a); }
  friend Real Exp2(const Real& a) { return One(mpfr_exp2, a); }
  friend Real Expm1(const Real& a) { return One(mpfr_expm1, a); }
  friend Real Log(const Real& a) { return One(mpfr_log, a); }
  friend Real Log1p(const Real& a) { return One(mpfr_log1p, a); }
  friend Real Sin(const Real& a) { return One(mpfr_sin, a); }
  friend Real Cos(const Real& a) { return One(mpfr_cos, a); }
  friend Real Tan(const Real& a) { return One(mpfr_tan, a); }
  friend Real Asin(const Real& a) { return One(mpfr_asin, a); }
  friend Real Acos(const Real& a) { return One(mpfr_acos, a); }
  friend Real Atan(const Real& a) { return One(mpfr_atan, a); }
  friend Real Sinh(const Real& a) { return One(mpfr_sinh, a); }
  friend Real Cosh(const Real& a) { return One(mpfr_cosh, a); }
  friend Real Asinh(const Real& a) { return One(mpfr_asinh, a); }
  friend Real Acosh(const Real& a) { return One(mpfr_acosh, a); }
  friend Real Atanh(const Real& a) { return One(mpfr_atanh, a); }
  friend Real Floor(const Real& a) { return One(mpfr_rint_floor, a); }
  friend Real Ceil(const Real& a) { return One(mpfr_rint_ceil, a); }
  friend Real Nearest(const Real& a) { return One(mpfr_rint, a); }  // half to even
  friend Real Pow(const Real& a, const Real& b) { return Two(mpfr_pow, a, b); }
  friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.x_, b.x_) != 0; }
  bool IsNumber() const { return mpfr_number_p(x_) != 0; }
  static Real Pi() {
    Real pi;
    mpfr_const_pi(pi.x_, MPFR_RNDN);
    return pi;
  }

  // Returns the number rounded to odd as a double. A later rounding to fewer bits is then correct.
  double Odd() const {
    const double down = mpfr_get_d(x_, MPFR_RNDZ);
    if (mpfr_cmp_d(x_, down) == 0 || !std::isfinite(down)) return down;
    int exponent = 0;
    const double significand = std::frexp(down, &exponent);
    const bool odd = std::fmod(std::ldexp(significand, 53), 2) != 0;
    return odd ? down : std::nextafter(down, down == 0 ? mpfr_sgn(x_) : down * 2);
  }
  // Rounds half to even.
  double RoundedTo(DType dtype) const {
    if (dtype == DType::kFp16) return HalfToDouble(DoubleToHalf(Odd()));
    return static_cast<double>(mpfr_get_flt(x_, MPFR_RNDN));
  }

 private:
  template <typename Operation>
  static Real Two(Operation operation, const Real& a, const Real& b) {
    Real result;
    operation(result.x_, a.x_, b.x_, MPFR_RNDN);
    return result;
  }
  template <typename Operation>
  static Real One(Operation operation, const Real& a) {
    Real result;
    operation(result.x_, a.x_, MPFR_RNDN);
    return result;
  }

  mpfr_t x_;
};

}  // namespace anecheck::testing
