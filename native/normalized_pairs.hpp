// The range of a difference of normalized gains (the numpy twin: measures/bounds/_differences.py).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "pair_lists.hpp"
#include "ratio_range.hpp"

namespace poolwise {

class NormalizedPairs {
 public:
  NormalizedPairs(const Normalization& form, std::int64_t topic)
      : form_(form), topic_(topic), ratio_(form) {}

  // Given the known difference, and how many documents are outside both runs, endless perhaps.
  Ends range(const Side& one, const Side& other, double known, double outside) {
    const bool endless = std::isinf(outside);
    sort(one, other);
    ratio_.start(topic_);
    std::size_t at = 0;
    while (at < worth_.size() && worth_[at] > 0) ratio_.add(worth_[at++]);
    ratio_.add_neutral(neutral_ + (endless ? 0 : static_cast<std::int64_t>(outside)));
    while (at < worth_.size()) ratio_.add(worth_[at++]);
    return ratio_.range(known, endless);
  }

 private:
  double weight(std::int32_t rank) const { return form_.weights[rank - 1]; }

  // What the documents of either run add to the difference, the largest first. Those of one run alone
  // are in order already, since weights fall.
  void sort(const Side& one, const Side& other) {
    alone_.clear();
    shared_.clear();
    neutral_ = 0;
    for (const Entry& entry : one.list) {
      if (entry.known()) continue;
      const std::int32_t there = one.elsewhere[entry.document];
      put(there > 0 ? shared_ : alone_, weight(entry.rank) - (there > 0 ? weight(there) : 0.0));
    }
    for (std::size_t at = other.list.size(); at-- > 0;) {
      const Entry& entry = other.list[at];
      if (!entry.known() && !other.shares(entry)) put(alone_, -weight(entry.rank));
    }
    std::sort(shared_.begin(), shared_.end(), std::greater<>());
    worth_.resize(alone_.size() + shared_.size());
    std::merge(alone_.begin(), alone_.end(), shared_.begin(), shared_.end(), worth_.begin(),
               std::greater<>());
  }
  void put(std::vector<double>& to, double worth) {
    if (worth == 0) {
      ++neutral_;
    } else {
      to.push_back(worth);
    }
  }

  const Normalization& form_;
  std::int64_t topic_;
  RatioRange ratio_;
  std::int64_t neutral_ = 0;
  std::vector<double> alone_, shared_, worth_;
};

}  // namespace poolwise
