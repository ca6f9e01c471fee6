// The best set of shared documents to be relevant (the numpy twin: measures/bounds/staircase.py).
//
// Two runs share c unjudged documents, a column each by their rank in the first run and a row each by
// their rank in the second. A path goes right, past the columns, and up, past the rows; a document is
// relevant if its column is passed before its row. With i columns and h rows passed, let n be the
// number of documents in both (the box) that are not relevant. Then the second run has met
// |box| − n relevant ones, and the first i − n.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "compiler.hpp"
#include "pair_lists.hpp"

namespace poolwise {

constexpr double kUnreached = -std::numeric_limits<double>::infinity();

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
  std::vector<Line> segments;  // c + 1
  std::vector<Line> relevant;  // c: the same with the shared document below, if it is relevant
  std::vector<std::size_t> ranks, elsewhere;  // c: in this run, and in the other

  std::size_t count() const { return relevant.size(); }
  Line last() const { return segments.back(); }
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
  out.segments.assign(1, Line{});
  out.relevant.clear();
  out.ranks.clear();
  out.elsewhere.clear();
  for (const Entry& entry : run.list) {
    if (run.shares(entry)) {
      out.relevant.push_back(out.segments.back() + rule.own(entry));
      out.ranks.push_back(static_cast<std::size_t>(entry.rank));
      out.elsewhere.push_back(static_cast<std::size_t>(run.elsewhere[entry.document]));
      out.segments.emplace_back();
    } else if (entry.known()) {
      out.segments.back() = out.segments.back() + rule.fixed(entry);
    } else if (alone_relevant) {
      out.segments.back() = out.segments.back() + rule.alone(entry);
    }
  }
}

constexpr std::size_t kLanes = 4;

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

  // Finds the largest difference on the way to every state of the upper and the right edge.
  POOLWISE_WIDE void climb(const Walk& one, const Walk& other) {
    count_ = one.count();
    order(one, other);
    best_.assign((count_ + 1) * stride(), kUnreached);
    right_.resize(best_.size());
    boxes_.assign(count_ + 1, 0);
    *best(0) = 0;
    start(one);
    for (std::size_t h = 1; h <= count_; ++h) pass_row(one, other, h);
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
  void start(const Walk& one) {
    for (std::size_t i = 0; i < count_; ++i) {
      *best(i + 1) = *best(i) + one.relevant[i].at(*reach_down(i));
    }
    keep_right(0);
  }

  // A row's document is relevant, and in the box from then on, if its column was passed; and that of
  // a column unless its row was passed, when it is one more in the box that is not.
  void pass_row(const Walk& one, const Walk& other, std::size_t h) {
    const std::size_t column = columns_[h - 1];
    const Line outside = other.segments[h - 1], inside = other.relevant[h - 1];
    *best(0) -= outside.at(*reach_down(0));
    for (std::size_t i = 1; i <= count_; ++i) {
      const bool within = column < i, relevant = rows_[i - 1] >= h;
      const double* reach = reach_down(boxes_[i]);
      boxes_[i] += within;
      const std::ptrdiff_t back = relevant ? 0 : -1;
      join_paths(best(i), boxes_[i] + 1, within ? inside : outside, reach, best(i - 1) + back,
                 relevant ? one.relevant[i - 1] : one.segments[i - 1], reach_down(i - 1) + back);
    }
    keep_right(h);
  }

  void keep_right(std::size_t h) {
    std::copy_n(best(count_), h + 1, right_.begin() + static_cast<std::ptrdiff_t>(h * stride() + 1));
  }

  std::size_t count_ = 0;
  std::vector<double> reach_;                // of many relevant documents first
  std::vector<double> best_, right_;         // states by columns, or rows, and n
  std::vector<std::size_t> boxes_;           // by columns
  std::vector<std::size_t> columns_, rows_;  // of the document in each row, or column
  std::vector<std::size_t> at_rank_;         // the column of a rank of the first run
};

}  // namespace poolwise
