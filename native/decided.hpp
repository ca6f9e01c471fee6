// Which documents every best grading makes relevant, and which none does, so that a staircase has to be
// found for the others alone.
//
// Let V(S) be the difference of two sums of precisions with the unjudged documents S relevant, and let
// each of them cost λ. Then d in S adds to V its own worth and, for every other e in S,
//
//   w(d, e) = min(1/rank of d, 1/rank of e) in the first run − the same in the second.
//
// If that is above λ whatever else is in S, d is in every S for which V(S) − λ|S| is largest, and if it
// is below, in none. Each decision leaves less open for the rest. Hammer, Hansen & Simeone (1984) call
// it the persistency of a quadratic function of zeros and ones. As V(S)/R(S) is largest where
// V(S) − λR(S) is for the largest ratio λ, a ratio that is reached, and that this cannot raise, is it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "pair_lists.hpp"
#include "pair_worth.hpp"

namespace poolwise {

// All documents at once, also the one itself.
POOLWISE_INLINE void shift_ends(const double* POOLWISE_RESTRICT here, const double* POOLWISE_RESTRICT there,
                                const double* POOLWISE_RESTRICT lower, std::size_t count, std::size_t at,
                                double sign, double* POOLWISE_RESTRICT up, double* POOLWISE_RESTRICT down) {
  const double here_at = here[at], there_at = there[at], lower_at = lower[at];
  for (std::size_t i = 0; i < count; ++i) {
    const double lowest = std::min(lower_at, lower[i]);
    up[i] += sign * (std::min(here_at, here[i]) - lowest);
    down[i] -= sign * (std::min(there_at, there[i]) - lowest);
  }
}

class Decided {
 public:
  Decided(const TopicLists& topic, std::int64_t systems, std::int64_t depth)
      : inverse_(inverse_ranks(depth)),
        worths_(precision_worths(topic, systems, inverse_)),
        pair_(depth),
        least_(with_room(depth)),
        most_(with_room(depth)),
        verdicts_(with_room(depth)),
        by_document_(topic.unjudged()) {}

  void read(const Side& first, const Side& second) {
    pair_.read(worth(first), worth(second), first.elsewhere, inverse_.data());
  }
  const PairWorth& pair() const { return pair_; }

  // Decides what it can where a document costs no more than one price, and no less than another.
  POOLWISE_WIDE void decide(double highest, double lowest) {
    constexpr double kClose = 1e-9;  // what rounding could decide is left open
    const double take = highest + kClose, drop = lowest - kClose;
    start();
    bool changed = true;
    while (changed) {
      changed = take_alone(take);
      changed = decide_shared(take, drop) || changed;
    }
  }

  // Whether nothing is left open.
  bool complete() const { return open_ == 0 && alone_ == pair_.alone(); }
  // How many are relevant.
  std::size_t taken() const { return taken_ + alone_; }
  // The difference of the sums, once complete.
  double sum() const {
    double sum = pair_.known + pair_.alone_gain;
    for (std::size_t i = 0; i < pair_.count; ++i) {
      // Two shared documents give each other what both have in their least.
      if (verdicts_[i] == kTaken) sum += (pair_.own[i] + least_[i]) / 2 + beside_alone(i);
    }
    return sum;
  }

  // What is left to decide, in lists where those taken are known. Those that the second run has alone
  // lower the difference, and are in neither.
  void list_rest(const Side& first, const Side& second) {
    for (std::size_t i = 0; i < pair_.count; ++i) {
      by_document_[static_cast<std::size_t>(pair_.run->documents[pair_.positions[i]])] = verdicts_[i];
    }
    first_.clear();
    second_.clear();
    std::size_t alone = 0;
    for (const Entry& entry : first.list) {
      if (entry.known() || first.shares(entry)) {
        list(entry, first_);
      } else {
        first_.push_back({entry.rank, alone++ < alone_ ? kKnown : entry.document});
      }
    }
    for (const Entry& entry : second.list) {
      if (entry.known() || second.shares(entry)) list(entry, second_);
    }
  }
  Side rest_of_first(const Side& first) const { return {first.system, first_, first.elsewhere}; }
  Side rest_of_second(const Side& second) const { return {second.system, second_, second.elsewhere}; }

 private:
  enum Verdict : std::uint8_t { kOpen, kTaken, kDropped };

  const PrecisionWorth& worth(const Side& run) const {
    return worths_[static_cast<std::size_t>(run.system)];
  }

  void list(const Entry& entry, std::vector<Entry>& entries) const {
    if (entry.known()) {
      entries.push_back(entry);
    } else if (const Verdict verdict = by_document_[static_cast<std::size_t>(entry.document)];
               verdict != kDropped) {
      entries.push_back({entry.rank, verdict == kTaken ? kKnown : entry.document});
    }
  }

  POOLWISE_INLINE double beside_alone(std::size_t i) const {
    return pair_.beside_alone(i, static_cast<double>(alone_), weight_);
  }

  // All are open, so that each can have the best of all others, or the worst.
  POOLWISE_INLINE void start() {
    open_ = pair_.count;
    taken_ = alone_ = end_ = 0;
    weight_ = 0;
    for (std::size_t i = 0; i < pair_.count; ++i) {
      least_[i] = pair_.own[i];
      most_[i] = pair_.own[i] + pair_.beside_all_alone(i);
      verdicts_[i] = kOpen;
    }
    for (std::size_t i = 0; i < pair_.count; ++i) shift(i, most_, least_, 1);
  }

  // What a document can give the others goes to the one end of what they can add, and what it can take
  // from them off the other.
  POOLWISE_INLINE void shift(std::size_t at, std::vector<double>& up, std::vector<double>& down,
                             double sign) {
    const double up_at = up[at], down_at = down[at];
    shift_ends(pair_.here.data(), pair_.there.data(), pair_.lower.data(), padded(pair_.count), at, sign,
               up.data(), down.data());
    up[at] = up_at;
    down[at] = down_at;
  }

  POOLWISE_INLINE bool decide_shared(double take, double drop) {
    const std::size_t before = open_;
    for (std::size_t i = 0; i < pair_.count && open_ > 0; ++i) {
      if (verdicts_[i] != kOpen) continue;
      if (least_[i] + beside_alone(i) > take) {
        shift(i, least_, most_, 1);
        verdicts_[i] = kTaken;
        ++taken_;
      } else if (most_[i] < drop) {
        shift(i, most_, least_, -1);
        verdicts_[i] = kDropped;
      } else {
        continue;
      }
      --open_;
    }
    return open_ < before;
  }

  // Of the documents that the first run has alone, a best set has the top-most: at least as many as are
  // worth their price together.
  POOLWISE_INLINE bool take_alone(double take) {
    if (alone_ == pair_.alone()) return false;
    const PrecisionWorth& run = *pair_.run;
    std::size_t end = end_, shared_above = end_ - alone_;
    double more = 0, below = 0, gain = 0, most = 0;
    for (std::size_t i = 0; i < pair_.count; ++i) below += verdicts_[i] == kTaken ? pair_.here[i] : 0.0;
    for (std::size_t i = 0, k = end_; i <= pair_.count; ++i) {
      for (; k < pair_.positions[i]; ++k) {
        gain += run.beside(k, static_cast<double>(k - i) + more) + below - take;
        if (gain > most) most = gain, end = k + 1, shared_above = i;
      }
      if (i == pair_.count) break;
      if (k == pair_.positions[i]) ++k;
      if (verdicts_[i] == kTaken) more += 1, below -= pair_.here[i];
    }
    if (end == end_) return false;
    end_ = end;
    alone_ = end - shared_above;
    const std::size_t next = pair_.positions[shared_above];
    weight_ = pair_.weight_above[shared_above] - (run.weight_above[next] - run.weight_above[end]);
    return true;
  }

  std::vector<double> inverse_;
  std::vector<PrecisionWorth> worths_;  // by system
  PairWorth pair_;
  std::vector<double> least_, most_;  // that shared documents can add; the least without those alone
  std::vector<Verdict> verdicts_;     // on shared documents
  std::vector<Verdict> by_document_;
  std::size_t open_ = 0, taken_ = 0;  // shared documents
  std::size_t alone_ = 0, end_ = 0;   // those taken that the first run has alone, and their last position
  double weight_ = 0;                 // Σ 1/rank of them
  std::vector<Entry> first_, second_;
};

}  // namespace poolwise
