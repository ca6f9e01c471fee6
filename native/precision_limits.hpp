// A valid range of a difference of average precisions, for lists too long for a staircase (the numpy
// twin: measures/bounds/_differences.py, which says why it holds).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler.hpp"
#include "divisors.hpp"
#include "falling.hpp"
#include "pair_lists.hpp"
#include "precision_worth.hpp"

namespace poolwise {

// Sums of precisions of one list, by the number of relevant unjudged documents.
struct PrecisionSums {
  std::vector<double> best, best_joint;    // with the top-most relevant; what they give each other
  std::vector<double> worst, worst_joint;  // with the bottom-most

  explicit PrecisionSums(const PrecisionWorth& run)
      : best{run.known}, best_joint{0}, worst{run.known}, worst_joint{0} {
    for (std::size_t k = 0; k < run.count(); ++k) {
      add(best, best_joint, run.alone[k], static_cast<double>(k) * run.weights[k]);
    }
    double below = 0;
    for (std::size_t k = run.count(); k-- > 0;) {
      add(worst, worst_joint, run.alone[k], below);
      below += run.weights[k];
    }
  }

 private:
  static void add(std::vector<double>& sums, std::vector<double>& joint, double own, double shared) {
    sums.push_back(sums.back() + own + shared);
    joint.push_back(joint.back() + shared);
  }
};

// By the number of relevant documents of two runs: the most that one can have of sums by their number,
// less the least that the other must have, where it lacks so many of them.
inline void subtract_least(const std::vector<double>& most, const std::vector<double>& least,
                           std::size_t lacking, std::vector<double>& differences) {
  const std::size_t own = most.size() - 1, all = lacking + least.size() - 1;
  double* POOLWISE_RESTRICT to = differences.data();
  for (std::size_t s = 0; s <= lacking; ++s) to[s] = most[s] - least[0];
  for (std::size_t s = lacking + 1; s <= own; ++s) to[s] = most[s] - least[s - lacking];
  for (std::size_t s = own + 1; s <= all; ++s) to[s] = most[own] - least[s - lacking];
}

// For each number of relevant documents from 1 on, so that there is R, the smaller of two limits over R.
POOLWISE_WIDE inline void divide_limits(const double* POOLWISE_RESTRICT apart,
                                        const double* POOLWISE_RESTRICT alone,
                                        const double* POOLWISE_RESTRICT joint, std::int32_t last,
                                        const Divisors& divisors, double* POOLWISE_RESTRICT quotients) {
  const double judged = divisors.judged, outside = divisors.outside, cap = divisors.cap, known = apart[0];
  for (std::int32_t s = 1; s <= last; ++s) {
    const double together = known + alone[s] + joint[s];
    const double sum = apart[s] < together ? apart[s] : together;
    const double all = judged + static_cast<double>(s) + (sum > 0 ? 0.0 : outside);
    const double R = all < cap ? all : cap;
    quotients[s] = sum / R;
  }
}

class PrecisionLimits {
 public:
  PrecisionLimits(const TopicLists& topic, std::int64_t systems, std::int64_t depth)
      : worths_(precision_worths(topic, systems, inverse_ranks(depth))),
        sums_(worths_.begin(), worths_.end()),
        worth_at_rank_(static_cast<std::size_t>(depth) + 1) {
    const auto most = 2 * static_cast<std::size_t>(depth) + 1;
    for (auto* numbers :
         {&alone_, &against_, &shared_, &gained_, &turned_, &apart_, &joint_, &quotients_}) {
      numbers->resize(most);
    }
  }

  // The range of a difference: R of the judged documents, those outside, and the cap of R.
  void find(const Side& one, const Side& other, const Divisors& divisors, double& lower,
            double& upper) {
    sum_sorted(one, other);
    upper = largest(one, other, divisors, gained_);
    lower = 0.0 - largest(other, one, divisors, turned_);
  }

 private:
  const PrecisionWorth& worth(const Side& run) const {
    return worths_[static_cast<std::size_t>(run.system)];
  }
  const PrecisionSums& sums(const Side& run) const {
    return sums_[static_cast<std::size_t>(run.system)];
  }

  // Running sums of what the documents of either run add to the difference, the largest first; and of
  // what they add to the opposite one.
  void sum_sorted(const Side& one, const Side& other) {
    split(worth(one), worth(other), other.elsewhere);
    sort_.sort(shared_, shared_count_);
    std::merge(alone_.begin(), alone_.begin() + static_cast<std::ptrdiff_t>(all_ - shared_count_),
               shared_.begin(), shared_.begin() + static_cast<std::ptrdiff_t>(shared_count_),
               gained_.begin() + 1, std::greater<>());
    gained_[0] = 0;
    for (std::size_t s = 1; s <= all_; ++s) gained_[s] += gained_[s - 1];
    for (std::size_t s = 0; s <= all_; ++s) turned_[s] = gained_[all_ - s] - gained_[all_];
  }

  // What shared documents add; and those of one run alone, which are in order already: a higher rank
  // is worth more, and those of the second run are worth less than nothing.
  void split(const PrecisionWorth& one, const PrecisionWorth& other, const std::int32_t* ranks_in_one) {
    // Written, and kept or not: processors guess such branches wrong too often.
    std::fill(worth_at_rank_.begin(), worth_at_rank_.end(), 0.0);
    std::size_t against = 0;
    for (std::size_t k = other.count(); k-- > 0;) {
      const auto rank = static_cast<std::size_t>(ranks_in_one[other.documents[k]]);
      worth_at_rank_[rank] = other.alone[k];
      against_[against] = -other.alone[k];
      against += rank == 0;
    }
    std::size_t shared = 0, alone = 0;
    for (std::size_t k = 0; k < one.count(); ++k) {
      const double there = worth_at_rank_[static_cast<std::size_t>(one.ranks[k])];
      shared_[shared] = one.alone[k] - there;
      alone_[alone] = one.alone[k];
      shared += there > 0;
      alone += !(there > 0);
    }
    std::copy_n(against_.begin(), against, alone_.begin() + static_cast<std::ptrdiff_t>(alone));
    shared_count_ = shared;
    all_ = shared + alone + against;
  }

  // The smaller of two limits for each number of relevant documents, over R, and the largest of all.
  double largest(const Side& one, const Side& other, const Divisors& divisors,
                 const std::vector<double>& alone) {
    const PrecisionSums &mine = sums(one), &theirs = sums(other);
    const std::size_t lacking = all_ - worth(other).count();
    subtract_least(mine.best, theirs.worst, lacking, apart_);
    subtract_least(mine.best_joint, theirs.worst_joint, lacking, joint_);
    quotients_[0] = divisors.quotient(apart_[0], 0);
    divide_limits(apart_.data(), alone.data(), joint_.data(), static_cast<std::int32_t>(all_), divisors,
                  quotients_.data());
    Maximum best;
    for (std::size_t s = 0; s <= all_; ++s) best.raise(quotients_[s]);
    return best.value();
  }

  std::vector<PrecisionWorth> worths_;  // by system
  std::vector<PrecisionSums> sums_;
  std::size_t all_ = 0, shared_count_ = 0;     // documents of either run, and of both
  std::vector<double> worth_at_rank_;  // of shared documents in the second run, by rank in the first
  std::vector<double> alone_, against_, shared_;  // what they add to the difference
  FallingSort sort_;
  std::vector<double> gained_, turned_;        // running sums of it
  std::vector<double> apart_, joint_, quotients_;
};

}  // namespace poolwise
