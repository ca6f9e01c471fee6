// The best set of shared documents to be relevant (the numpy twin: measures/bounds/_staircase.py).
//
// Two runs share c unjudged documents, a column each by their rank in the first run and a row each by
// their rank in the second. A path goes right, past the columns, and up, past the rows; a document is
// relevant if its column is passed before its row. With i columns and h rows passed, let n be the
// number of documents in both (the box) that are not relevant. Then the second run has met
// |box| − n relevant ones, and the first i − n.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "compiler.hpp"
#include "divisors.hpp"
#include "pair_lists.hpp"

namespace poolwise {

// With M shared documents relevant above, reach(M) × slope + base is added.
struct Line {
  double slope = 0, base = 0;
  double at(double reach) const { return slope * reach + base; }
  friend Line operator+(Line one, Line other) {
    return {one.slope + other.slope, one.base + other.base};
  }
};

// What a run collects along its list, in segments between the shared documents.
struct Walk {
  std::vector<Line> lines;  // 2 × c + 1: each segment; and with the shared document below it, relevant
  std::vector<std::size_t> ends;              // c + 1: the entries down to each segment's end
  std::vector<std::size_t> ranks, elsewhere;  // c: of shared documents in this run, and in the other

  std::size_t count() const { return ranks.size(); }
  Line segment(std::size_t i) const { return lines[2 * i]; }
  Line relevant(std::size_t i) const { return lines[2 * i + 1]; }
  Line last() const { return lines.back(); }

  void clear() {
    lines.clear();
    ends.clear();
    ranks.clear();
    elsewhere.clear();
  }
  void end_segment(Line segment, std::size_t at) {
    lines.push_back(segment);
    ends.push_back(at);
  }
  void share(const Entry& entry, std::int32_t rank_elsewhere, Line relevant) {
    lines.push_back(relevant);
    ranks.push_back(static_cast<std::size_t>(entry.rank));
    elsewhere.push_back(static_cast<std::size_t>(rank_elsewhere));
  }
};

// How a measure adds up: sums of precisions.
struct Precisions {
  const double* inverse;  // 1/rank, by rank
  double found = 0;

  Line fixed(const Entry& entry) {
    found += 1;
    const double weight = inverse[entry.rank];
    return {weight, found * weight};
  }
  Line alone(const Entry& entry) { return fixed(entry); }
  Line own(const Entry& entry) const {
    const double weight = inverse[entry.rank];
    return {weight, (found + 1) * weight};
  }
  static double reach(std::size_t relevant) { return static_cast<double>(relevant); }
};

// Expected reciprocal ranks, given the chance to stop at each rank and at a relevant document.
struct Stops {
  const double* inverse;
  const double* chances;  // of known documents, the first at 0
  double full;
  double reached = 1;

  Line fixed(const Entry& entry) { return stop(entry, chances[entry.rank - 1]); }
  Line alone(const Entry& entry) { return stop(entry, full); }
  Line own(const Entry& entry) const { return {reached * full * inverse[entry.rank], 0}; }

 private:
  Line stop(const Entry& entry, double chance) {
    const Line line{reached * chance * inverse[entry.rank], 0};
    reached *= 1 - chance;
    return line;
  }
};

// Walks along a list; the documents that the run has alone are relevant, or all are not.
template <class Rule>
void walk(const Side& run, Rule rule, bool alone_relevant, Walk& out) {
  out.clear();
  Line segment;
  for (std::size_t at = 0; at < run.list.size(); ++at) {
    const Entry& entry = run.list[at];
    if (run.shares(entry)) {
      out.end_segment(segment, at);
      out.share(entry, run.elsewhere[entry.document], segment + rule.own(entry));
      segment = Line{};
    } else if (entry.known()) {
      segment = segment + rule.fixed(entry);
    } else if (alone_relevant) {
      segment = segment + rule.alone(entry);
    }
  }
  out.end_segment(segment, run.list.size());
}

// The states of one column and row, for each number n: from below, or from the left. They are worked
// on four at a time, also a few behind the last, which no path reaches.
inline void join_paths(double* POOLWISE_RESTRICT here, std::size_t count, Line up,
                       const double* reach_up, const double* POOLWISE_RESTRICT left, Line right,
                       const double* reach_right) {
  const std::size_t padded = (count + kLanes - 1) / kLanes * kLanes;
  for (std::size_t n = 0; n < padded; ++n) {
    const double from_below = here[n] - up.at(reach_up[n]);
    const double from_left = left[n] + right.at(reach_right[n]);
    here[n] = from_below > from_left ? from_below : from_left;
  }
}

class Staircase {
 public:
  // The reach of each number of relevant documents, for up to so many shared ones.
  template <class Reach>
  void prepare(std::size_t most, Reach reach) {
    // A few places more at either end: what is read there belongs to states that no path reaches.
    reach_.assign(1 + most + 1 + kLanes, 0.0);
    for (std::size_t m = 0; m <= most; ++m) reach_[1 + most - m] = reach(m);
  }

  // Finds the largest difference on the way to every state of the upper edge, and of the right one
  // where it is wanted.
  void climb(const Walk& one, const Walk& other, bool with_right = false) {
    count_ = one.count();
    with_right_ = with_right;
    order(one, other);
    best_.assign((count_ + 1) * stride(), kUnreached);
    if (with_right_) right_.resize(best_.size());
    boxes_.assign(count_ + 1, 0);
    *best(0) = 0;
    if (with_right_ && count_ == 0) keep_right(0);
    for (std::size_t steps = 1; steps <= 2 * count_; ++steps) pass_diagonal(one, other, steps);
  }

  // With all rows passed and i columns: the difference by n, 0 to i.
  const double* upper(std::size_t i) const { return best_.data() + i * stride() + 1; }
  // With all columns passed and h rows: by n, 0 to h.
  const double* right(std::size_t h) const { return right_.data() + h * stride() + 1; }
  // The reach of `relevant − n` documents, by n.
  const double* reach_down(std::size_t relevant) const {
    return reach_.data() + (reach_.size() - kLanes - 1 - relevant);
  }

 private:
  // The states of a column by n, between two places that no path reaches.
  std::size_t stride() const { return 1 + count_ + 1 + kLanes; }
  double* best(std::size_t i) { return best_.data() + i * stride() + 1; }

  void order(const Walk& one, const Walk& other) {
    columns_.resize(count_);
    rows_.resize(count_);
    if (count_ > 0) at_rank_.resize(std::max(at_rank_.size(), one.ranks.back() + 1));
    for (std::size_t i = 0; i < count_; ++i) at_rank_[one.ranks[i]] = i;
    for (std::size_t h = 0; h < count_; ++h) {
      columns_[h] = at_rank_[other.elsewhere[h]];
      rows_[columns_[h]] = h;
    }
  }

  // Before any row is passed, every document whose column is passed is relevant.
  void start(const Walk& one, std::size_t i) {
    *best(i) = *best(i - 1) + one.relevant(i - 1).at(*reach_down(i - 1));
  }

  // All states with i + h = steps, in the place of those a step before. None waits for another.
  POOLWISE_WIDE void pass_diagonal(const Walk& one, const Walk& other, std::size_t steps) {
    const std::size_t first = steps > count_ ? steps - count_ : 1;
    if (steps <= count_) start(one, steps);
    for (std::size_t i = std::min(steps - 1, count_); i >= first; --i) pass(one, other, i, steps - i);
    if (steps <= count_) *best(0) -= other.segment(steps - 1).at(*reach_down(0));
    if (with_right_ && steps >= count_) keep_right(steps - count_);
  }

  // A row's document is relevant, and in the box from then on, if its column was passed; and that of
  // a column unless its row was passed, when it is one more in the box that is not.
  POOLWISE_INLINE void pass(const Walk& one, const Walk& other, std::size_t i, std::size_t h) {
    // As numbers, for processors guess a branch that goes either way as often wrong as right.
    const std::size_t within = columns_[h - 1] < i, relevant = rows_[i - 1] >= h;
    const double* reach = reach_down(boxes_[i]);
    boxes_[i] += within;
    const std::size_t back = 1 - relevant;
    join_paths(best(i), boxes_[i] + 1, other.lines[2 * (h - 1) + within], reach, best(i - 1) - back,
               one.lines[2 * (i - 1) + relevant], reach_down(i - 1) - back);
  }

  void keep_right(std::size_t h) {
    std::copy_n(best(count_), h + 1, right_.begin() + static_cast<std::ptrdiff_t>(h * stride() + 1));
  }

  std::size_t count_ = 0;
  bool with_right_ = false;
  std::vector<double> reach_;                // of many relevant documents first
  std::vector<double> best_, right_;         // states by columns, or rows, and n
  std::vector<std::size_t> boxes_;           // by columns
  std::vector<std::size_t> columns_, rows_;  // of the document in each row, or column
  std::vector<std::size_t> at_rank_;         // the column of a rank of the first run
};

}  // namespace poolwise
