// The largest difference of average precisions (the numpy twin: measures/bounds/
// staircase_differences.py). Both runs are divided by the same R, which counts every relevant document.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "choice.hpp"
#include "compiler.hpp"
#include "decided.hpp"
#include "divisors.hpp"
#include "pair_lists.hpp"
#include "staircase.hpp"

namespace poolwise {

// What a sum has to exceed: a ratio of R, which grows with the relevant documents.
struct Goal {
  double ratio, judged, cap;
};

// Whether a sum may be above its goal, for any number n: sums[n] + line.at(met[n]). Sums that are so
// close that rounding could decide count, too. Worked on as the states of a staircase are.
POOLWISE_WIDE inline bool may_exceed(const double* sums, const double* met, std::size_t count, Line line,
                                     Goal goal) {
  constexpr double kClose = 1e-9;
  std::array<double, kLanes> most;
  most.fill(kUnreached);
  for (std::size_t n = 0; n < count; n += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double relevant = goal.judged + met[n + lane];
      const double R = relevant < goal.cap ? relevant : goal.cap;
      const double above = sums[n + lane] + line.at(met[n + lane]) - goal.ratio * R;
      most[lane] = above > most[lane] ? above : most[lane];
    }
  }
  return *std::max_element(most.begin(), most.end()) > -kClose;
}

class AveragePrecision {
 public:
  AveragePrecision(const TopicLists& topic, std::int64_t systems, std::int64_t depth)
      : inverse_(inverse_ranks(depth)), choice_(depth), decided_(topic, systems, depth) {
    stairs_.prepare(static_cast<std::size_t>(depth), Precisions::reach);
  }

  // The largest difference first − second, NaN where no grading gives a score.
  double largest(const Side& first, const Side& second, const Divisors& divisors) {
    decided_.read(first, second);
    const double ratio = choice_.ratio(decided_.pair(), divisors);
    // Below 0 a larger R is the better, and nothing is decided beforehand.
    return ratio > 0 ? raised(ratio, first, second, divisors) : by_staircase(first, second, divisors);
  }

  // The same by a staircase over all shared documents, and no less than is reached already.
  double by_staircase(const Side& first, const Side& second, const Divisors& divisors,
                      Maximum reached = Maximum()) {
    best_ = reached;
    walk(first, Precisions{inverse()}, true, one_);
    walk(second, Precisions{inverse()}, false, other_);
    stairs_.climb(one_, other_, !best_.positive());
    stop_early(first, divisors);
    // Documents of the second run alone lower the sum, so only a negative one is the better for them.
    if (!best_.positive()) go_on(first, second, divisors);
    return best_.value();
  }

 private:
  // A ratio above 0 that some grading reaches, raised to the largest by steps (Dinkelbach's).
  double raised(double ratio, const Side& first, const Side& second, const Divisors& divisors) {
    constexpr double kSame = 1e-14;
    for (;;) {
      decided_.decide(ratio, divisors.price(decided_.pair().run->count(), ratio));
      const double better = decided_.complete() ? divisors.quotient(decided_.sum(), decided_.taken())
                                                : largest_of_rest(ratio, first, second, divisors);
      if (!(better > ratio + kSame)) return std::max(better, ratio);
      ratio = better;
    }
  }

  double largest_of_rest(double ratio, const Side& first, const Side& second, const Divisors& divisors) {
    decided_.list_rest(first, second);
    const double judged = divisors.judged + static_cast<double>(decided_.taken());
    const Divisors rest{judged, divisors.outside, divisors.cap};
    return by_staircase(decided_.rest_of_first(first), decided_.rest_of_second(second), rest,
                        Maximum(ratio));
  }

  // Columns passed, and relevant documents that the first run has alone.
  struct Stop {
    std::size_t column, chosen;
  };

  // All rows are passed, and from some rank of the first run on nothing is relevant but the known.
  void stop_early(const Side& first, const Divisors& divisors) {
    // The very end is seldom the best, and near enough to it that most others need no closer look.
    const std::size_t alone = count_alone(first);
    try_stop({one_.count(), alone}, beyond(one_.last()), divisors);
    if (alone > 0) sum_after(first, after_, [](const Entry& entry) { return entry.known(); });
    Stop stop{0, 0};
    Precisions rule{inverse()};
    for (std::size_t at = 0; stop.chosen < alone; at = one_.ends[stop.column++] + 1) {
      try_segment(first.list.subspan(at, one_.ends[stop.column] - at), at, stop, rule, divisors);
    }
  }

  // Stops before and behind each unjudged document of a segment, unless none of them can be best:
  // none has a sum above that of the last, nor fewer relevant documents than the first. Where there is
  // no such document, to stop is as good further on.
  void try_segment(std::span<const Entry> entries, std::size_t at, Stop& stop, Precisions& rule,
                   const Divisors& divisors) {
    const Stop last{stop.column, stop.chosen + count_unjudged(entries)};
    const Line whole = one_.segment(stop.column) + after(at + entries.size(), last);
    if (last.chosen == stop.chosen || !may_raise(stop, beyond(whole), divisors)) {
      rule.found += static_cast<double>(entries.size());
      stop = last;
      return;
    }
    Line here;
    try_stop(stop, beyond(here + after(at, stop)), divisors);
    for (const Entry& entry : entries) {
      here = here + rule.fixed(entry);
      ++at;
      if (entry.known()) continue;
      ++stop.chosen;
      try_stop(stop, beyond(here + after(at, stop)), divisors);
    }
  }

  void try_stop(Stop stop, Line line, const Divisors& divisors) {
    if (!may_raise(stop, line, divisors)) return;
    const double* sums = stairs_.upper(stop.column);
    for (std::size_t n = 0; n <= stop.column; ++n) {
      const std::size_t met = stop.column - n;
      best_.raise(sums[n] + line.at(static_cast<double>(met)), met + stop.chosen, divisors);
    }
  }

  // What the known documents behind an entry add.
  Line after(std::size_t at, Stop stop) const {
    return raised_by(after_[at], static_cast<double>(stop.chosen));
  }
  // What is added to the state of a staircase, given the rest of the first run.
  Line beyond(Line line) const {
    return {line.slope - other_.last().slope, line.base - other_.last().base};
  }

  bool may_raise(Stop stop, Line line, const Divisors& divisors) const {
    if (!best_.positive()) return true;
    const Goal goal{best_.value(), divisors.judged + static_cast<double>(stop.chosen), divisors.cap};
    return may_exceed(stairs_.upper(stop.column), stairs_.reach_down(stop.column), stop.column + 1, line,
                      goal);
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
        try_from(row, alone--, here + raised_by(after_[at], known - static_cast<double>(at)), divisors);
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
  static Line raised_by(Line line, double more) { return {line.slope, line.base + line.slope * more}; }

  static std::size_t count_unjudged(std::span<const Entry> entries) {
    return static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(), [](const Entry& entry) { return !entry.known(); }));
  }

  static std::size_t count_alone(const Side& run) {
    return static_cast<std::size_t>(
        std::count_if(run.list.begin(), run.list.end(),
                      [&](const Entry& entry) { return !entry.known() && !run.shares(entry); }));
  }

  const double* inverse() const { return inverse_.data(); }

  std::vector<double> inverse_;
  Choice choice_;
  Decided decided_;
  Staircase stairs_;
  Walk one_, other_;
  std::vector<Line> after_;
  Maximum best_;
};

}  // namespace poolwise
