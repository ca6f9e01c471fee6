// Bounds of Q-measure (the numpy twin: measures/bounds/_q.py, which says why they hold).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "list_bounds.hpp"

namespace poolwise {

struct QForm {
  const double* gains;         // by grade code, 0 where it is not relevant
  double lowest, highest;      // of the relevant gains
  double beta, cap, tolerance;
  const std::int64_t* judged;  // topics: R of the judged documents
  const double* below;         // systems × topics: unjudged documents outside the list
  const double* ideal;         // topics × ranks + 1: running gain of the best ranking of the judged
};

class QBounds {
 public:
  QBounds(const QForm& form, std::int64_t topic, std::int64_t depth)
      : form_(form),
        ideal_(form.ideal + topic * (depth + 1)),
        judged_(static_cast<double>(form.judged[topic])) {}

  template <class Code>
  Ends find(const Code* codes, std::int64_t depth, double below) {
    read(codes, depth);
    below_ = below;
    const std::int64_t least = judged_ + below == 0, most = judged_ == 0;
    const double low = largest(least, [&](Numbers asked) { return low_limit(asked); });
    const double high = largest(most, [&](Numbers asked) { return high_limit(asked); });
    return {0.0 - low, high};
  }

 private:
  // How many unjudged documents are relevant.
  struct Numbers {
    std::int64_t least, most;
    bool hold(std::int64_t number) const { return least <= number && number <= most; }
  };
  struct Place {
    std::int64_t rank;
    bool known;
    double found, gained;  // known relevant documents down to here, and their gains
    double weight;
  };

  template <class Code>
  void read(const Code* codes, std::int64_t depth) {
    places_.clear();
    double found = 0, gained = 0;
    open_ = 0;
    for (std::int64_t r = 0; r < depth && codes[r] != kBeyond; ++r) {
      const bool known = codes[r] >= 0;
      if (known && form_.gains[codes[r]] <= 0) continue;
      found += known;
      gained += known ? form_.gains[codes[r]] : 0;
      open_ += !known;
      places_.push_back({r + 1, known, found, gained, 0});
    }
  }

  double credit(const Place& place) const {
    return (place.found + form_.beta * place.gained) * place.weight;
  }
  double ratio(double total, double relevant) const {
    return total / std::min(std::max(relevant, 1.0), form_.cap);
  }

  // What Q cannot exceed with so many unjudged documents relevant.
  double high_limit(Numbers asked) {
    double known = 0, after = 0;
    for (Place& place : places_) {
      const double rank = static_cast<double>(place.rank);
      const double added = std::clamp(rank - judged_, 0.0, static_cast<double>(asked.least));
      place.weight = 1 / (rank + form_.beta * (ideal_[place.rank] + form_.lowest * added));
      if (place.known) {
        known += credit(place);
        after += place.weight;
      }
    }
    const double step = 1 + form_.beta * form_.highest;
    double best = asked.least == 0 ? ratio(known, judged_) : kNone, total = known;
    std::int64_t chosen = 0;
    for (const Place& place : places_) {
      if (place.known) {
        after -= place.weight;
        continue;
      }
      if (++chosen > asked.most) break;
      // A document adds its own credit, and one step to each known one below it.
      total += credit(place) + step * (static_cast<double>(chosen) * place.weight + after);
      if (asked.hold(chosen)) {
        best = std::max(best, ratio(total, judged_ + static_cast<double>(chosen)));
      }
    }
    return best;
  }

  // Minus what Q cannot fall below.
  double low_limit(Numbers asked) {
    const std::int64_t added = static_cast<std::int64_t>(below_) + asked.most;
    double known = 0, after = 0;
    for (Place& place : places_) {
      const double top = form_.highest * static_cast<double>(std::min(place.rank, added));
      const double ideal = ideal_[std::max<std::int64_t>(place.rank - added, 0)] + top;
      place.weight = 1 / (static_cast<double>(place.rank) + form_.beta * ideal);
      if (place.known) known += credit(place);
    }
    const double step = 1 + form_.beta * form_.lowest, relevant = judged_ + below_;
    double best = asked.least == 0 ? ratio(0.0 - known, relevant) : kNone, total = known;
    std::int64_t chosen = 0;
    for (std::size_t at = places_.size(); at-- > 0 && chosen < asked.most;) {
      const Place& place = places_[at];
      if (!place.known) {
        total += step * ((place.found + 1) * place.weight + after);
        if (asked.hold(++chosen)) {
          best = std::max(best, ratio(0.0 - total, relevant + static_cast<double>(chosen)));
        }
      }
      after += place.weight;
    }
    return best;
  }

  // The largest value over the numbers from the first up to all; NaN without any. A limit is at least
  // the value at every number between, and the value itself where there is but one.
  template <class Limit>
  double largest(std::int64_t first, Limit limit) {
    if (first > open_) return std::numeric_limits<double>::quiet_NaN();
    double best = std::max(limit({first, first}), limit({open_, open_}));
    ranges_.assign(1, {first, open_});
    while (!ranges_.empty()) {
      next_.clear();
      const double before = best;
      for (const Numbers range : ranges_) {
        if (range.most - range.least <= 1) continue;
        const double above = limit({range.least + 1, range.most - 1});
        if (above <= before + form_.tolerance) {
          best = std::max(best, above);
          continue;
        }
        const std::int64_t middle = (range.least + range.most) / 2;
        best = std::max(best, limit({middle, middle}));
        next_.push_back({range.least, middle});
        next_.push_back({middle, range.most});
      }
      ranges_.swap(next_);
    }
    return best;
  }

  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  const QForm form_;
  const double* ideal_;
  double judged_, below_ = 0;
  std::int64_t open_ = 0;  // unjudged documents
  std::vector<Place> places_;
  std::vector<Numbers> ranges_, next_;
};

}  // namespace poolwise
