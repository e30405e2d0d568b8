// Numbers of 320 bits (MPFR), rounded to an element type once. The slow implementation of the
// tests computes with them: sums of products of fp16 numbers, 80 bits and a count, are exact.
#pragma once

#include <cmath>
#include <mpfr.h>

#include "harness/base/half.h"
#include "harness/graph/types.h"

namespace anecheck::testing {

class Real {
 public:
  // Bits of numbers made from now on. Fewer are enough, and much faster, for functions of one
  // variable whose results are only rounded to fp16.
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
  static Real Pi() {
    Real pi;
    mpfr_const_pi(pi.x_, MPFR_RNDN);
    return pi;
  }

  // Rounded to a double by rounding to odd: a later rounding to fewer bits is then correct.
  double Odd() const {
    const double down = mpfr_get_d(x_, MPFR_RNDZ);
    if (mpfr_cmp_d(x_, down) == 0 || !std::isfinite(down)) return down;
    int exponent = 0;
    const double significand = std::frexp(down, &exponent);
    const bool odd = std::fmod(std::ldexp(significand, 53), 2) != 0;
    return odd ? down : std::nextafter(down, down == 0 ? mpfr_sgn(x_) : down * 2);
  }
  // Half to even.
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
