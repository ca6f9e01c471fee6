// What the unjudged documents of the first run of a pair add to the difference of sums of precisions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "precision_worth.hpp"

namespace poolwise {

// Numbers of documents, and a few places more, which are worked on together with the last of them.
inline std::size_t with_room(std::int64_t depth) { return static_cast<std::size_t>(depth) + kLanes; }
inline std::size_t padded(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Shared documents by their rank in the first run, and those that it has alone between them.
struct PairWorth {
  const PrecisionWorth* run = nullptr;  // the first
  double known = 0;                     // the difference without unjudged documents
  std::size_t count = 0;                // of shared ones
  std::vector<std::size_t> positions;   // of these among all, and how many all are
  std::vector<double> here, there;      // 1/rank in the first run, and in the second
  std::vector<double> lower;            // the smaller of the two
  std::vector<double> own;              // what each adds if it alone is relevant
  // How many documents alone stand above each, and Σ 1/rank of them; and of all.
  std::vector<double> alone_above, weight_above;
  double alone_gain = 0;  // what those alone add together

  explicit PairWorth(std::int64_t depth) : positions(with_room(depth)), ranks_(with_room(depth)) {
    for (auto* numbers : {&here, &there, &lower, &own, &alone_above, &weight_above}) {
      numbers->resize(with_room(depth));
    }
  }

  // How many documents the first run has alone.
  std::size_t alone() const { return run->count() - count; }

  // Given the ranks of documents in the second run, and 1/rank.
  void read(const PrecisionWorth& one, const PrecisionWorth& other, const std::int32_t* elsewhere,
            const double* inverse) {
    run = &one;
    known = one.known - other.known;
    find_shared(elsewhere);
    alone_gain = weight_above[0] = 0;
    for (std::size_t i = 0, from = 0; i <= count; from = positions[i++] + 1) {
      alone_above[i] = static_cast<double>(positions[i] - i);
      weight_above[i] += one.weight_above[positions[i]] - one.weight_above[from];
      alone_gain += one.stretch(from, positions[i], static_cast<double>(i));
      weight_above[i + 1] = weight_above[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = positions[i], rank = ranks_[i];
      put(i, one.weights[k], inverse[rank], one.alone[k] - other.at_rank[rank]);
    }
    for (std::size_t i = count; i < padded(count); ++i) put(i, 0, 0, 0);
  }

  // What the top-most of those alone, by their number and weight, give a shared one.
  POOLWISE_INLINE double beside_alone(std::size_t i, double number, double weight) const {
    const double below = weight - weight_above[i];
    return std::min(alone_above[i], number) * here[i] + (below > 0 ? below : 0.0);
  }

  // And what they all do.
  POOLWISE_INLINE double beside_all_alone(std::size_t i) const {
    return beside_alone(i, static_cast<double>(alone()), weight_above[count]);
  }

 private:
  void find_shared(const std::int32_t* elsewhere) {
    count = 0;
    const std::size_t all = run->count();
    for (std::size_t k = 0; k < all; ++k) {
      // Written, and kept or not: processors guess such a branch wrong too often.
      const auto rank = static_cast<std::size_t>(elsewhere[run->documents[k]]);
      positions[count] = k;
      ranks_[count] = rank;
      count += rank > 0;
    }
    positions[count] = all;
  }

  void put(std::size_t i, double weight_here, double weight_there, double worth) {
    here[i] = weight_here;
    there[i] = weight_there;
    lower[i] = std::min(weight_here, weight_there);
    own[i] = worth;
  }

  std::vector<std::size_t> ranks_;  // in the second run
};

}  // namespace poolwise
