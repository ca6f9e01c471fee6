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

// The same of counts, which are compared without a division: their products are exact.
class ExtremeShares {
 public:
  // Without a branch: a share that rises and falls is not to be foreseen.
  void lower_to(std::int64_t count, std::int64_t all) {
    const bool better = count * low_all_ < low_ * all;
    low_ = better ? count : low_;
    low_all_ = better ? all : low_all_;
  }
  void raise_to(std::int64_t count, std::int64_t all) {
    const bool better = count * high_all_ > high_ * all;
    high_ = better ? count : high_;
    high_all_ = better ? all : high_all_;
  }
  Ends ends() const { return {share(low_, low_all_), share(high_, high_all_)}; }

 private:
  static double share(std::int64_t count, std::int64_t all) {
    if (all == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(count) / static_cast<double>(all);
  }
  // Larger, and smaller, than every share of something.
  std::int64_t low_ = 1, low_all_ = 0, high_ = -1, high_all_ = 0;
};

// The relevant and the unjudged ranks of a list, from 1, one after another.
struct Ranks {
  struct Place {
    std::int32_t rank;
    bool known;
  };
  std::vector<Place> places;

  template <class Code>
  void read(const Code* codes, std::int64_t depth, int first_relevant) {
    places.clear();
    for (std::int32_t r = 0; r < depth && codes[r] != kBeyond; ++r) {
      if (codes[r] < 0 || codes[r] >= first_relevant) places.push_back({r + 1, codes[r] >= 0});
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
  explicit RPrecisionBounds(std::int64_t depth)
      : known_(static_cast<std::size_t>(depth) + 1), unjudged_(known_) {}

  template <class Code>
  Ends find(const Code* codes, std::int64_t depth, int first_relevant, std::int64_t judged,
            double multiple, double outside) {
    const std::int64_t length = count(codes, depth, first_relevant);
    const std::int64_t unjudged = unjudged_[static_cast<std::size_t>(length)];
    const bool endless = std::isinf(outside);
    // Down to the end of the list, and to where all of its own documents can be relevant.
    const double ends = std::ceil(static_cast<double>(length + 1) / multiple);
    const std::int64_t past = std::max(static_cast<std::int64_t>(ends), unjudged);
    const std::int64_t others = endless ? past : static_cast<std::int64_t>(outside);
    ExtremeShares extremes;
    const auto try_number = [&](std::int64_t relevant) {
      // Rounding is a call to a function, and R is a whole number already.
      const std::int64_t all = judged + relevant;
      const std::int64_t down_to = multiple == 1 ? all : deepest(multiple, all);
      const auto at = static_cast<std::size_t>(std::min(down_to, length));
      const std::int64_t known = known_[at], room = unjudged_[at];
      const std::int64_t elsewhere = unjudged - room + others;
      extremes.lower_to(known + std::max(relevant - elsewhere, std::int64_t{0}), down_to);
      extremes.raise_to(known + std::min(relevant, room), down_to);
    };
    for (std::int64_t t = 0; t <= std::min(past, unjudged + others); ++t) try_number(t);
    // Past the end of the list R moves and, once none is left outside, with it what must stand in the
    // list. Of a multiple of 1 or less, that first falls and then rises, without a step back.
    const std::int64_t from = std::max(others, past + 1);
    const std::int64_t to = multiple > 1 ? others + unjudged : std::min(from, others + unjudged);
    if (endless) {
      extremes.lower_to(0, 1);
    } else {
      for (std::int64_t t = from; t <= to; ++t) try_number(t);
    }
    return extremes.ends();
  }

 private:
  static std::int64_t deepest(double multiple, std::int64_t all) {
    return static_cast<std::int64_t>(std::floor(multiple * static_cast<double>(all) + 0.9));
  }

  // Returns how long the list is.
  template <class Code>
  std::int64_t count(const Code* codes, std::int64_t depth, int first_relevant) {
    std::int32_t known = 0, unjudged = 0;
    std::int64_t r = 0;
    for (; r < depth && codes[r] != kBeyond; ++r) {
      known_[static_cast<std::size_t>(r) + 1] = known += codes[r] >= first_relevant;
      unjudged_[static_cast<std::size_t>(r) + 1] = unjudged += codes[r] < 0;
    }
    return r;
  }

  std::vector<std::int32_t> known_, unjudged_;  // in the first 0, 1, … ranks
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
