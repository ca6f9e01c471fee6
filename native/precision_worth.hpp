// What the unjudged documents of a run add to its sum of precisions, for all pairs that it is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pair_lists.hpp"

namespace poolwise {

// The unjudged documents by rank. Two of them that are relevant give each other 1/rank of the lower.
struct PrecisionWorth {
  double known = 0;                     // the sum without them
  std::vector<std::int32_t> documents;  // by number
  std::vector<std::int32_t> ranks;
  std::vector<double> weights;          // 1/rank
  std::vector<double> alone;            // what each adds if it alone is relevant
  std::vector<double> at_rank;          // the same by rank, 0 for none
  std::vector<double> weight_above;     // Σ 1/rank of those above each, and of all
  std::vector<double> gain_above;       // what those above each add together, and all

  PrecisionWorth(std::span<const Entry> list, const std::vector<double>& inverse)
      : at_rank(inverse.size(), 0.0), weight_above{0}, gain_above{0} {
    read(list, inverse);
    add_known_below(list, inverse);
    for (std::size_t k = 0; k < count(); ++k) {
      weight_above.push_back(weight_above.back() + weights[k]);
      gain_above.push_back(gain_above.back() + beside(k, static_cast<double>(k)));
    }
  }

  std::size_t count() const { return documents.size(); }
  // What one adds beside so many relevant ones above it.
  double beside(std::size_t k, double above) const { return alone[k] + above * weights[k]; }
  // What those from one to another add together to all above them but so many.
  double stretch(std::size_t from, std::size_t to, double but) const {
    return gain_above[to] - gain_above[from] - but * (weight_above[to] - weight_above[from]);
  }

 private:
  void read(std::span<const Entry> list, const std::vector<double>& inverse) {
    double found = 0;
    for (const Entry& entry : list) {
      const double weight = inverse[static_cast<std::size_t>(entry.rank)];
      if (entry.known()) {
        known += ++found * weight;
      } else {
        documents.push_back(entry.document);
        ranks.push_back(entry.rank);
        weights.push_back(weight);
        alone.push_back((found + 1) * weight);
      }
    }
  }

  // Each known relevant document below gains 1/rank.
  void add_known_below(std::span<const Entry> list, const std::vector<double>& inverse) {
    double below = 0;
    std::size_t k = count();
    for (std::size_t at = list.size(); at-- > 0;) {
      const auto rank = static_cast<std::size_t>(list[at].rank);
      if (list[at].known()) {
        below += inverse[rank];
      } else {
        alone[--k] += below;
        at_rank[rank] = alone[k];
      }
    }
  }
};

// Those of every system on a topic.
inline std::vector<PrecisionWorth> precision_worths(const TopicLists& topic, std::int64_t systems,
                                                    const std::vector<double>& inverse) {
  std::vector<PrecisionWorth> worths;
  worths.reserve(static_cast<std::size_t>(systems));
  for (std::int64_t s = 0; s < systems; ++s) worths.emplace_back(topic.list(s), inverse);
  return worths;
}

}  // namespace poolwise
