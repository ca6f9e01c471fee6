// A good set of relevant documents for the difference of two average precisions, and mostly the best.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler.hpp"
#include "divisors.hpp"
#include "pair_worth.hpp"

namespace poolwise {

class Choice {
 public:
  explicit Choice(std::int64_t depth) : gains_(with_room(depth)), chosen_(with_room(depth)) {}

  // The ratio that a set reaches to which a few sweeps lead, in each of which every document is changed
  // for which that is better. NaN where there is no R.
  POOLWISE_WIDE double ratio(const PairWorth& pair, const Divisors& divisors) {
    constexpr int kSweeps = 4;
    start(pair);
    double reached = divisors.quotient(sum_, relevant_);
    for (int sweeps = 0; sweeps < kSweeps; ++sweeps) {
      if (!sweep(pair, divisors.price(relevant_ + 1, reached))) break;
      // The same, or nothing, where a document was worth no more than its price.
      const double next = divisors.quotient(sum_, relevant_);
      if (!(next > reached)) break;
      reached = next;
    }
    return reached;
  }

 private:
  // All that the first run has alone, and what stands higher in it.
  POOLWISE_INLINE void start(const PairWorth& pair) {
    sum_ = pair.known + pair.alone_gain;
    relevant_ = pair.alone();
    for (std::size_t i = 0; i < pair.count; ++i) {
      gains_[i] = pair.own[i] + pair.beside_all_alone(i);
      chosen_[i] = false;
    }
    for (std::size_t i = 0; i < pair.count; ++i) {
      if (pair.here[i] > pair.there[i]) turn(pair, i);
    }
  }

  POOLWISE_INLINE bool sweep(const PairWorth& pair, double price) {
    bool changed = false;
    for (std::size_t i = 0; i < pair.count; ++i) {
      if ((gains_[i] > price) == chosen_[i]) continue;
      turn(pair, i);
      changed = true;
    }
    return changed;
  }

  // Makes a document relevant, or not any more, which changes what the others add.
  POOLWISE_INLINE void turn(const PairWorth& pair, std::size_t at) {
    const double sign = chosen_[at] ? -1 : 1, gain = gains_[at];
    add_worth(pair.here.data(), pair.there.data(), padded(pair.count), at, sign, gains_.data());
    gains_[at] = gain;
    sum_ += sign * gain;
    relevant_ = chosen_[at] ? relevant_ - 1 : relevant_ + 1;
    chosen_[at] = !chosen_[at];
  }

  // What one document gives the others, and itself.
  POOLWISE_INLINE static void add_worth(const double* POOLWISE_RESTRICT here,
                                        const double* POOLWISE_RESTRICT there, std::size_t count,
                                        std::size_t at, double sign, double* POOLWISE_RESTRICT gains) {
    const double here_at = here[at], there_at = there[at];
    for (std::size_t i = 0; i < count; ++i) {
      gains[i] += sign * (std::min(here_at, here[i]) - std::min(there_at, there[i]));
    }
  }

  double sum_ = 0;
  std::size_t relevant_ = 0;
  std::vector<double> gains_;         // what each shared document adds to the others
  std::vector<std::uint8_t> chosen_;  // whether it is relevant
};

}  // namespace poolwise
