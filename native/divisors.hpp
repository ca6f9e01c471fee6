// Sums of precisions over R, and the largest of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace poolwise {

constexpr double kUnreached = -std::numeric_limits<double>::infinity();

// What a sum of precisions is divided by, as more documents are relevant.
struct Divisors {
  double judged;   // R of the judged documents
  double outside;  // unjudged documents that neither run has, infinite perhaps
  double cap;      // where R stops

  double without_outside(std::size_t relevant) const {
    return std::min(judged + static_cast<double>(relevant), cap);
  }
  // What the last of so many relevant documents costs at least, where R is worth a ratio.
  double price(std::size_t relevant, double ratio) const {
    return judged + static_cast<double>(relevant) <= cap ? ratio : 0.0;
  }
  // The sum over R. Outside documents are relevant where that raises a sum below 0. NaN without R.
  double quotient(double sum, std::size_t relevant) const {
    const double all = judged + static_cast<double>(relevant) + outside;
    const double R = sum > 0 ? without_outside(relevant) : std::min(all, cap);
    return R > 0 ? sum / R : std::numeric_limits<double>::quiet_NaN();
  }
};

// The largest quotient so far.
class Maximum {
 public:
  explicit Maximum(double best = kUnreached) : best_(best) {}
  bool positive() const { return best_ > 0; }
  // NaN where no grading gives a score.
  double value() const {
    return best_ == kUnreached ? std::numeric_limits<double>::quiet_NaN() : best_ + 0.0;
  }
  void raise(double sum, std::size_t relevant, const Divisors& divisors) {
    // Most sums need no division to be seen as too small.
    if (sum == kUnreached || (positive() && sum <= best_ * divisors.without_outside(relevant))) return;
    raise(divisors.quotient(sum, relevant));
  }
  void raise(double quotient) {
    if (quotient > best_) best_ = quotient;
  }

 private:
  double best_;
};

}  // namespace poolwise
