// The largest difference of average precisions (the numpy twin: measures/bounds/
// staircase_differences.py). Both runs are divided by the same R, which counts every relevant document.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "pair_lists.hpp"
#include "staircase.hpp"

namespace poolwise {

// What a sum of precisions is divided by, as more documents are relevant.
struct Divisors {
  double judged;   // R of the judged documents
  double outside;  // unjudged documents that neither run has, infinite perhaps
  double cap;      // where R stops

  double without_outside(std::size_t relevant) const {
    return std::min(judged + static_cast<double>(relevant), cap);
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
  bool positive() const { return best_ > 0; }
  // NaN where no grading gives a score.
  double value() const {
    return best_ == kUnreached ? std::numeric_limits<double>::quiet_NaN() : best_ + 0.0;
  }
  void raise(double sum, std::size_t relevant, const Divisors& divisors) {
    // Most sums need no division to be seen as too small.
    if (sum == kUnreached || (positive() && sum <= best_ * divisors.without_outside(relevant))) return;
    const double quotient = divisors.quotient(sum, relevant);
    if (quotient > best_) best_ = quotient;
  }

 private:
  double best_ = kUnreached;
};

class AveragePrecision {
 public:
  explicit AveragePrecision(std::int64_t depth) : inverse_(inverse_ranks(depth)) {
    stairs_.prepare(static_cast<std::size_t>(depth), Precisions::reach);
  }

  // The largest difference first − second, NaN where no grading gives a score.
  double largest(const Side& first, const Side& second, const Divisors& divisors) {
    walk(first, Precisions{inverse()}, true, one_);
    walk(second, Precisions{inverse()}, false, other_);
    stairs_.climb(one_, other_);
    best_ = Maximum();
    stop_early(first, divisors);
    // Documents of the second run alone lower the sum, so only a negative one is the better for them.
    if (!best_.positive()) go_on(first, second, divisors);
    return best_.value();
  }

 private:
  // All rows are passed, and from some rank of the first run on nothing is relevant but the known.
  void stop_early(const Side& first, const Divisors& divisors) {
    sum_after(first, after_, [](const Entry& entry) { return entry.known(); });
    std::size_t column = 0, chosen = 0;
    Line here;
    Precisions rule{inverse()};
    try_stop(column, chosen, here, 0, divisors);
    for (std::size_t at = 0; at < first.list.size(); ++at) {
      const Entry& entry = first.list[at];
      if (first.shares(entry)) {
        here = Line{};
        try_stop(++column, chosen, here, at + 1, divisors);
        continue;
      }
      here = here + rule.fixed(entry);
      if (!entry.known()) try_stop(column, ++chosen, here, at + 1, divisors);
    }
  }

  void try_stop(std::size_t column, std::size_t chosen, Line here, std::size_t at,
                const Divisors& divisors) {
    const Line line = here + raised(after_[at], static_cast<double>(chosen));
    const Line last = other_.last();
    const double* sums = stairs_.upper(column);
    for (std::size_t n = 0; n <= column; ++n) {
      const auto met = static_cast<double>(column - n);
      const double sum = sums[n] + line.at(met) - last.at(met);
      best_.raise(sum, column - n + chosen, divisors);
    }
  }

  // The known documents from each entry on, or all: Σ 1/rank and Σ (those so far)/rank.
  template <class Kept>
  void sum_after(const Side& run, std::vector<Line>& after, Kept kept) {
    after.assign(run.list.size() + 1, Line{});
    auto so_far = static_cast<double>(std::count_if(run.list.begin(), run.list.end(), kept));
    for (std::size_t at = run.list.size(); at-- > 0;) {
      after[at] = after[at + 1];
      if (!kept(run.list[at])) continue;
      const double weight = inverse_[static_cast<std::size_t>(run.list[at].rank)];
      after[at] = after[at] + Line{weight, so_far * weight};
      so_far -= 1;
    }
  }

  // All columns are passed, and from some rank of the second run on everything is relevant.
  void go_on(const Side& first, const Side& second, const Divisors& divisors) {
    sum_after(second, after_, [](const Entry&) { return true; });
    std::size_t row = 0, alone = count_alone(first) + count_alone(second);
    double known = 0;
    Line here;
    Precisions rule{inverse()};
    for (std::size_t at = 0; at < second.list.size(); ++at) {
      const Entry& entry = second.list[at];
      if (second.shares(entry)) {
        here = Line{};
        ++row;
      } else if (entry.known()) {
        here = here + rule.fixed(entry);
        known += 1;
      } else {
        // Of the entries above only the known ones count, beside the shared ones that were met.
        try_from(row, alone--, here + raised(after_[at], known - static_cast<double>(at)), divisors);
      }
    }
  }

  void try_from(std::size_t row, std::size_t alone, Line there, const Divisors& divisors) {
    const Line last = one_.last();
    const double* sums = stairs_.right(row);
    for (std::size_t n = 0; n <= row; ++n) {
      const std::size_t relevant = one_.count() - n;
      const double sum = sums[n] + last.at(static_cast<double>(relevant)) -
                         there.at(static_cast<double>(row - n));
      best_.raise(sum, relevant + alone, divisors);
    }
  }

  // The same with more relevant documents above.
  static Line raised(Line line, double more) { return {line.slope, line.base + line.slope * more}; }

  static std::size_t count_alone(const Side& run) {
    return static_cast<std::size_t>(
        std::count_if(run.list.begin(), run.list.end(),
                      [&](const Entry& entry) { return !entry.known() && !run.shares(entry); }));
  }

  const double* inverse() const { return inverse_.data(); }

  std::vector<double> inverse_;
  Staircase stairs_;
  Walk one_, other_;
  std::vector<Line> after_;
  Maximum best_;
};

}  // namespace poolwise
