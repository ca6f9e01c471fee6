// How large and how small a normalized gain can become as grades are unknown (the numpy twin:
// measures/bounds/_exact.py, which says why this is exact).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace poolwise {

// A measure as Σ weight × gain over its value for the ideal ranking, as Python lays it out.
struct Normalization {
  std::int64_t levels;
  const double* gains;         // levels: the distinct gains above 0, ascending
  const std::int64_t* judged;  // topics × levels: documents that have at least each gain
  const double* table;         // the weight of the first 0, 1, … ranks of the ideal ranking
  const double* weights;       // of the ranks, the first at 0
  double limit;                // the ideal of endless documents of the highest gain, infinite perhaps

  double full_gain() const { return levels > 0 ? gains[levels - 1] : 0.0; }
  double step(std::int64_t h) const { return gains[h] - (h > 0 ? gains[h - 1] : 0.0); }
};

struct Ends {
  double lower, upper;
};

// Unjudged documents in the order of what they add, the largest first, as running sums.
class RatioRange {
 public:
  explicit RatioRange(const Normalization& form) : form_(form) {}

  void start(std::int64_t topic) {
    judged_ = form_.judged + topic * form_.levels;
    gained_.assign(1, 0.0);
    added_.assign(1, 0);
  }
  void add(double weight) {
    gained_.push_back(gained_.back() + weight);
    added_.push_back(added_.back() + 1);
  }
  // So many documents that only the ideal ranking knows.
  void add_neutral(std::int64_t documents) {
    gained_.push_back(gained_.back());
    added_.push_back(added_.back() + documents);
  }

  // The range, given what is known, and whether there is no end of documents outside.
  Ends range(double known, bool endless) {
    Ends found{0.0 - largest(-known, Turned{*this}), largest(known, Straight{*this})};
    if (endless && form_.limit > 0) {
      const double most = *std::max_element(gained_.begin(), gained_.end());
      const double least = gained_.back() - most;
      found.lower = std::fmin(found.lower, (known + form_.full_gain() * least) / form_.limit);
      found.upper = std::fmax(found.upper, (known + form_.full_gain() * most) / form_.limit);
    }
    return found;
  }

 private:
  // The heaviest documents first, or the lightest of the opposite.
  struct Straight {
    const RatioRange& of;
    double gained(std::size_t j) const { return of.gained_[j]; }
    std::int64_t added(std::size_t j) const { return of.added_[j]; }
  };
  struct Turned {
    const RatioRange& of;
    std::size_t from(std::size_t j) const { return of.gained_.size() - 1 - j; }
    double gained(std::size_t j) const { return of.gained_[from(j)] - of.gained_.back(); }
    std::int64_t added(std::size_t j) const { return of.added_.back() - of.added_[from(j)]; }
  };

  double weight(std::int64_t h, std::int64_t added) const { return form_.table[judged_[h] + added]; }

  template <class Choices>
  double largest(double known, const Choices& choices) const {
    const double best = best_extreme(known, choices);
    return form_.levels > 1 && best > 0 ? climb(best, known, choices) : best;
  }

  // Each unjudged document has the highest grade or none. NaN where nothing can be relevant.
  template <class Choices>
  double best_extreme(double known, const Choices& choices) const {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    double best = kNone;
    for (std::size_t j = 0; j < gained_.size(); ++j) {
      double total = 0;
      for (std::int64_t h = 0; h < form_.levels; ++h) {
        total += form_.step(h) * weight(h, choices.added(j));
      }
      const double worth = known + form_.full_gain() * choices.gained(j);
      if (total > 0 && worth > best * total) best = worth / total;
    }
    return best == kNone ? std::numeric_limits<double>::quiet_NaN() : best;
  }

  // Dinkelbach's iteration, each level by itself.
  template <class Choices>
  double climb(double ratio, double known, const Choices& choices) const {
    for (;;) {
      double worth = known, total = 0;
      for (std::int64_t h = 0; h < form_.levels; ++h) {
        const std::size_t at = best_choice(h, ratio, choices);
        worth += form_.step(h) * choices.gained(at);
        total += form_.step(h) * weight(h, choices.added(at));
      }
      const double reached = total > 0 ? worth / total : ratio;
      if (!(reached > ratio)) return ratio;
      ratio = reached;
    }
  }

  template <class Choices>
  std::size_t best_choice(std::int64_t h, double ratio, const Choices& choices) const {
    std::size_t at = 0;
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < gained_.size(); ++j) {
      const double value = choices.gained(j) - ratio * weight(h, choices.added(j));
      if (value > best) best = value, at = j;
    }
    return at;
  }

  const Normalization& form_;
  const std::int64_t* judged_ = nullptr;
  std::vector<double> gained_;
  std::vector<std::int64_t> added_;
};

}  // namespace poolwise
