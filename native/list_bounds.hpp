// Exact bounds of one list's scores, in one pass over its grade codes (the numpy twins:
// measures/bounds/_exact.py, which say why they are exact).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pair_lists.hpp"
#include "ratio_range.hpp"

namespace poolwise {

constexpr int kBeyond = -3;  // past the end of a list; other codes below 0 are without a grade

// Grade codes as Python lays them out, systems × topics × ranks.
struct Codes {
  std::int64_t systems, topics, depth;
  const void* codes;
  std::int64_t width;  // bytes of a code
};

// The smallest and the largest quotient so far, NaN as long as there is none.
class Extremes {
 public:
  void lower_to(double value, double divisor) {
    if (divisor > 0 && !(value >= low_ * divisor)) low_ = value / divisor;
  }
  void raise_to(double value, double divisor) {
    if (divisor > 0 && !(value <= high_ * divisor)) high_ = value / divisor;
  }
  Ends ends() const { return {low_, high_}; }

 private:
  double low_ = std::numeric_limits<double>::quiet_NaN();
  double high_ = std::numeric_limits<double>::quiet_NaN();
};

// The relevant and the unjudged ranks of a list, from 1, one after another.
struct Ranks {
  struct Place {
    std::int32_t rank;
    bool known;
  };
  std::vector<Place> places;
  std::int32_t length = 0;

  template <class Code>
  void read(const Code* codes, std::int64_t depth, int first_relevant) {
    places.clear();
    for (length = 0; length < depth && codes[length] != kBeyond; ++length) {
      const int code = codes[length];
      if (code < 0 || code >= first_relevant) places.push_back({length + 1, code >= 0});
    }
  }
};

// AP, or aAP with a cap of R. With s unjudged documents relevant, the top-most s are the best choice
// and the bottom-most s the worst; documents outside raise R alone.
class PrecisionBounds {
 public:
  explicit PrecisionBounds(std::int64_t depth) : inverse_(inverse_ranks(depth)) {}

  Ends find(const Ranks& list, double judged, double outside, double cap) const {
    double found = 0, known = 0, weight = 0;  // relevant, their sum of precisions, Σ 1/rank
    for (const auto& place : list.places) {
      if (!place.known) continue;
      known += ++found * inverse(place.rank);
      weight += inverse(place.rank);
    }
    Extremes extremes;
    if (judged == 0 && outside > 0) extremes.raise_to(0.0, 1.0);
    from_top(list, known, weight, judged, cap, extremes);
    from_bottom(list, known, found, judged + outside, cap, extremes);
    return extremes.ends();
  }

 private:
  double inverse(std::int32_t rank) const { return inverse_[static_cast<std::size_t>(rank)]; }

  // A document adds its own precision, and 1/rank for each known one below it.
  void from_top(const Ranks& list, double sum, double below, double judged, double cap,
                Extremes& extremes) const {
    double above = 1, chosen = 0;
    extremes.raise_to(sum, std::min(judged, cap));
    for (const auto& place : list.places) {
      const double weight = inverse(place.rank);
      if (place.known) {
        above += 1;
        below -= weight;
      } else {
        sum += above++ * weight + below;
        extremes.raise_to(sum, std::min(judged + ++chosen, cap));
      }
    }
  }

  // Those chosen already gain by it, too.
  void from_bottom(const Ranks& list, double sum, double above, double judged, double cap,
                   Extremes& extremes) const {
    double below = 0, chosen = 0;
    extremes.lower_to(sum, std::min(judged, cap));
    for (std::size_t at = list.places.size(); at-- > 0;) {
      const auto& place = list.places[at];
      const double weight = inverse(place.rank);
      if (place.known) {
        above -= 1;
      } else {
        sum += (above + 1) * weight + below;
        extremes.lower_to(sum, std::min(judged + ++chosen, cap));
      }
      below += weight;
    }
  }

  std::vector<double> inverse_;
};

// R-Prec, or precision at a multiple of R. With t documents relevant in all, as many as there is room
// for stand in the first R ranks at best, and at worst as few as there is room for elsewhere.
class RPrecisionBounds {
 public:
  Ends find(const Ranks& list, double judged, double multiple, double outside) {
    count(list);
    const double length = list.length, unjudged = unjudged_.back();
    // Down to the end of the list, and to where all of its own documents can be relevant.
    const double past = std::max(std::ceil((length + 1) / multiple), unjudged);
    Extremes extremes;
    const auto try_number = [&](double relevant) {
      // Rounding is a call to a function, and R is a whole number already.
      const double all = judged + relevant;
      const double depth = multiple == 1 ? all : std::floor(multiple * all + 0.9);
      const auto at = static_cast<std::size_t>(std::min(depth, length));
      const double room = unjudged_[at], elsewhere = unjudged - room + outside;
      extremes.lower_to(known_[at] + std::max(relevant - elsewhere, 0.0), depth);
      extremes.raise_to(known_[at] + std::min(relevant, room), depth);
    };
    for (double t = 0; t <= std::min(past, unjudged + outside); ++t) try_number(t);
    // Past the end of the list R moves and, once none is left outside, with it what must stand in the
    // list. Of a multiple of 1 or less, that first falls and then rises, without a step back.
    const double from = std::max(outside, past + 1);
    const double to = multiple > 1 ? outside + unjudged : std::min(from, outside + unjudged);
    if (std::isinf(outside)) {
      extremes.lower_to(0.0, 1.0);
    } else {
      for (double t = from; t <= to; ++t) try_number(t);
    }
    return extremes.ends();
  }

 private:
  void count(const Ranks& list) {
    known_.assign(static_cast<std::size_t>(list.length) + 1, 0.0);
    unjudged_ = known_;
    for (const auto& place : list.places) {
      (place.known ? known_ : unjudged_)[static_cast<std::size_t>(place.rank)] = 1;
    }
    for (std::size_t r = 1; r < known_.size(); ++r) {
      known_[r] += known_[r - 1];
      unjudged_[r] += unjudged_[r - 1];
    }
  }

  std::vector<double> known_, unjudged_;  // in the first ranks
};

// The weight of the ranks without a grade, one after another, as numpy's cumsum adds them.
template <class Code>
double open_weight(const Code* codes, std::int64_t depth, const double* weights) {
  double sum = 0;
  for (std::int64_t r = 0; r < depth; ++r) {
    sum += codes[r] < 0 && codes[r] != kBeyond ? weights[r] : 0.0;
  }
  return sum;
}

// A weighted sum over its ideal.
template <class Code>
Ends normalized_ends(const Code* codes, const Codes& lists, const Normalization& form,
                     const double* gains, std::int64_t topic, double outside, RatioRange& ratio) {
  double known = 0;
  ratio.start(topic);
  for (std::int64_t r = 0; r < lists.depth && codes[r] != kBeyond; ++r) {
    if (codes[r] >= 0) {
      known += gains[codes[r]] * form.weights[r];
    } else {
      ratio.add(form.weights[r]);
    }
  }
  const bool endless = std::isinf(outside);
  ratio.add_neutral(endless ? 0 : static_cast<std::int64_t>(outside));
  return ratio.range(known, endless);
}

}  // namespace poolwise
