// A valid range of a difference of average precisions, for lists too long for a staircase (the numpy
// twin: measures/bounds/difference_of_ap.py, which says why it holds).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "average_precision.hpp"
#include "pair_lists.hpp"

namespace poolwise {

// Sums of precisions of one list, by the number of relevant unjudged documents.
struct PrecisionSums {
  std::vector<double> alone;  // what the unjudged document at each entry adds if it alone is relevant
  std::vector<double> best, best_joint;    // with the top-most relevant; what they give each other
  std::vector<double> worst, worst_joint;  // with the bottom-most

  std::size_t unjudged() const { return best.size() - 1; }

  PrecisionSums(std::span<const Entry> list, const double* inverse)
      : alone(list.size()), best{sum_known(list, inverse)}, best_joint{0}, worst{best}, worst_joint{0} {
    fill_alone(list, inverse);
    for (std::size_t at = 0; at < list.size(); ++at) {
      if (list[at].known()) continue;
      const auto above = static_cast<double>(unjudged());
      add(best, best_joint, alone[at], above * inverse[list[at].rank]);
    }
    double below = 0;
    for (std::size_t at = list.size(); at-- > 0;) {
      if (list[at].known()) continue;
      add(worst, worst_joint, alone[at], below);
      below += inverse[list[at].rank];
    }
  }

 private:
  static double sum_known(std::span<const Entry> list, const double* inverse) {
    double found = 0, sum = 0;
    for (const Entry& entry : list) {
      if (entry.known()) sum += ++found * inverse[entry.rank];
    }
    return sum;
  }
  // Its own precision, and 1/rank for each known relevant document below it.
  void fill_alone(std::span<const Entry> list, const double* inverse) {
    double below = 0;
    auto above = static_cast<double>(
        std::count_if(list.begin(), list.end(), [](const Entry& entry) { return entry.known(); }));
    for (std::size_t at = list.size(); at-- > 0;) {
      const double weight = inverse[list[at].rank];
      if (list[at].known()) {
        below += weight;
        above -= 1;
      } else {
        alone[at] = (above + 1) * weight + below;
      }
    }
  }
  static void add(std::vector<double>& sums, std::vector<double>& joint, double own, double shared) {
    sums.push_back(sums.back() + own + shared);
    joint.push_back(joint.back() + shared);
  }
};

class PrecisionLimits {
 public:
  PrecisionLimits(const TopicLists& topic, std::int64_t systems, std::int64_t depth)
      : inverse_(inverse_ranks(depth)), worth_(topic.unjudged(), 0.0) {
    sums_.reserve(static_cast<std::size_t>(systems));
    for (std::int64_t s = 0; s < systems; ++s) sums_.emplace_back(topic.list(s), inverse_.data());
  }

  // The range of a difference: R of the judged documents, those outside, and the cap of R.
  void find(const Side& one, const Side& other, const Divisors& divisors, double& lower,
            double& upper) {
    sum_sorted(one, other);
    const std::size_t last = running_.size() - 1;
    const auto best = [&](std::size_t s) { return running_[s]; };
    const auto worst = [&](std::size_t s) { return running_[last - s] - running_[last]; };
    upper = largest(of(one), of(other), divisors, best);
    lower = 0.0 - largest(of(other), of(one), divisors, worst);
  }

 private:
  const PrecisionSums& of(const Side& run) const {
    return sums_[static_cast<std::size_t>(run.system)];
  }

  // Running sums of what the documents of either run add to the difference, the largest first.
  void sum_sorted(const Side& one, const Side& other) {
    split(one, other);
    std::sort(shared_.begin(), shared_.end(), std::greater<>());
    running_.resize(alone_.size() + shared_.size() + 1);
    running_[0] = 0;
    std::merge(alone_.begin(), alone_.end(), shared_.begin(), shared_.end(), running_.begin() + 1,
               std::greater<>());
    for (std::size_t s = 1; s < running_.size(); ++s) running_[s] += running_[s - 1];
  }

  // What shared documents add; and those of one run alone, which are in order already: a higher rank
  // is worth more, and those of the second run are worth less than nothing.
  void split(const Side& one, const Side& other) {
    const std::vector<double>&mine = of(one).alone, &theirs = of(other).alone;
    shared_.clear();
    alone_.clear();
    for (std::size_t at = 0; at < one.list.size(); ++at) {
      const Entry& entry = one.list[at];
      if (entry.known()) continue;
      if (one.shares(entry)) {
        worth_[static_cast<std::size_t>(entry.document)] = mine[at];
      } else {
        alone_.push_back(mine[at]);
      }
    }
    for (std::size_t at = other.list.size(); at-- > 0;) {
      const Entry& entry = other.list[at];
      if (entry.known()) continue;
      if (other.shares(entry)) {
        shared_.push_back(worth_[static_cast<std::size_t>(entry.document)] - theirs[at]);
      } else {
        alone_.push_back(-theirs[at]);
      }
    }
  }

  // The smaller of two limits for each number of relevant documents, over R, and the largest of all.
  template <class Taken>
  double largest(const PrecisionSums& one, const PrecisionSums& other, const Divisors& divisors,
                 Taken alone) const {
    const std::size_t all = running_.size() - 1;
    const std::size_t without = all - other.unjudged();  // documents that the other lacks
    const double base = one.best[0] - other.worst[0];
    Maximum best;
    for (std::size_t s = 0; s <= all; ++s) {
      const std::size_t most = std::min(s, one.unjudged());
      const std::size_t least = s > without ? s - without : 0;
      const double apart = one.best[most] - other.worst[least];
      const double joint = one.best_joint[most] - other.worst_joint[least];
      best.raise(std::min(apart, base + alone(s) + joint), s, divisors);
    }
    return best.value();
  }

  std::vector<double> inverse_;
  std::vector<PrecisionSums> sums_;  // by system
  std::vector<double> worth_;        // of unjudged documents in the first run
  std::vector<double> alone_, shared_, running_;
};

}  // namespace poolwise
