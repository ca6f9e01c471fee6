// The C interface of the kernels of exact bounds, called from Python through ctypes
// (measures/bounds/kernels/_native.py). Every kernel has a twin in numpy, which says what it computes.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <vector>

#include "average_precision.hpp"
#include "compiler.hpp"
#include "list_bounds.hpp"
#include "normalized_pairs.hpp"
#include "pair_lists.hpp"
#include "parallel.hpp"
#include "precision_limits.hpp"
#include "q_bounds.hpp"
#include "ratio_range.hpp"
#include "staircase.hpp"


using poolwise::Codes;
using poolwise::Ends;
using poolwise::Entry;
using poolwise::Lists;
using poolwise::Normalization;
using poolwise::Pairs;
using poolwise::Side;
using poolwise::TopicLists;

namespace {

// Where the results go: pairs × topics, or systems × topics.
struct Range {
  double* lower;
  double* upper;

  void put(std::int64_t cell, const Ends& ends) const {
    lower[cell] = ends.lower;
    upper[cell] = ends.upper;
  }
};

// Calls work(topic), several topics at a time. False where there was no memory for it.
template <class Work>
bool for_topics(std::int64_t topics, int threads, Work work) {
  std::atomic<bool> fine{true};
  poolwise::in_parallel(topics, threads, [&](std::int64_t topic) {
    try {
      work(topic);
    } catch (const std::exception&) {
      fine = false;
    }
  });
  return fine;
}

// Calls find(codes, cell) for every list, with a finder of each topic's own.
template <class Code, class Make>
bool for_lists_of(const Codes& lists, int threads, Make make) {
  const auto* codes = static_cast<const Code*>(lists.codes);
  return for_topics(lists.topics, threads, [&](std::int64_t topic) {
    auto find = make(topic);
    for (std::int64_t s = 0; s < lists.systems; ++s) {
      const std::int64_t cell = s * lists.topics + topic;
      find(codes + cell * lists.depth, cell);
    }
  });
}

// The same for codes of either width.
template <class Make>
bool for_lists(const Codes& lists, int threads, Make make) {
  return lists.width == 1 ? for_lists_of<std::int8_t>(lists, threads, make)
                          : for_lists_of<std::int16_t>(lists, threads, make);
}

// Calls find(a, b, cell) for every pair on every topic, with a finder of each topic's own.
template <class Make>
bool for_pairs(const Lists& lists, const Pairs& pairs, int threads, Make make) {
  return for_topics(lists.topics, threads, [&](std::int64_t topic) {
    const TopicLists of_topic(lists, topic);
    auto find = make(of_topic, topic);
    for (std::int64_t p = 0; p < pairs.count; ++p) {
      const std::int64_t one = pairs.left[p], other = pairs.right[p];
      find(side(of_topic, one, other), side(of_topic, other, one), p * lists.topics + topic);
    }
  });
}

// Fills a range from largest(first, second, cell): the lower end is that of the pair turned round.
template <class Make>
bool find_ranges(const Lists& lists, const Pairs& pairs, int threads, const Range& range, Make make) {
  return for_pairs(lists, pairs, threads, [&](const TopicLists& of_topic, std::int64_t topic) {
    return [&range, largest = make(of_topic, topic)](const Side& a, const Side& b, std::int64_t cell) mutable {
      range.upper[cell] = largest(a, b, cell);
      range.lower[cell] = 0.0 - largest(b, a, cell);
    };
  });
}

// The worth of an unjudged document of one run where the other has it; worth[0] is that of none.
double worth_there(const double* worth, const Side& run, const Entry& entry) {
  return worth[run.elsewhere[entry.document]];
}

// The worth of the first known relevant document, and of the best unjudged one above it.
double largest_of_first(const Side& first, const Side& second, const double* worth) {
  const auto known = [&](const Side& side) {
    const auto at = std::find_if(side.list.begin(), side.list.end(),
                                 [](const Entry& entry) { return entry.known(); });
    return worth[at == side.list.end() ? 0 : at->rank];
  };
  const double theirs = known(second);
  double best = known(first) - theirs;
  for (const Entry& entry : first.list) {
    if (entry.known()) break;
    const double there = std::max(theirs, worth_there(worth, first, entry));
    best = std::max(best, worth[entry.rank] - there);
  }
  return best;
}

// Sums of precisions, or expected reciprocal ranks, both lists walked to their ends.
struct WholeWay {
  std::vector<double> inverse;
  poolwise::Walk one, other;
  poolwise::Staircase stairs;

  template <class Reach>
  WholeWay(std::int64_t depth, Reach reach) : inverse(poolwise::inverse_ranks(depth)) {
    stairs.prepare(static_cast<std::size_t>(depth), reach);
  }

  template <class Rule>
  double largest(const Side& first, const Side& second, Rule of_first, Rule of_second) {
    walk(first, of_first, true, one);
    walk(second, of_second, false, other);
    stairs.climb(one, other);
    const std::size_t count = one.count();
    const double* sums = stairs.upper(count);
    const double* reach = stairs.reach_down(count);
    double best = poolwise::kUnreached;
    for (std::size_t n = 0; n <= count; ++n) {
      best = std::max(best, sums[n] + one.last().at(reach[n]) - other.last().at(reach[n]));
    }
    return best;
  }
};

}  // namespace

// RR and Success: worth by rank, first that of no rank.
EXPORT bool poolwise_first_relevant(const Lists* lists, const Pairs* pairs, const double* worth,
                                    const Range* range, int threads) {
  return find_ranges(*lists, *pairs, threads, *range, [&](const TopicLists&, std::int64_t) {
    return [&](const Side& a, const Side& b, std::int64_t) { return largest_of_first(a, b, worth); };
  });
}

// AP and aAP: R of the judged documents by topic, unjudged documents outside, pairs × topics.
EXPORT bool poolwise_average_precision(const Lists* lists, const Pairs* pairs,
                                       const std::int64_t* judged, const double* outside, double cap,
                                       const Range* range, int threads) {
  return find_ranges(*lists, *pairs, threads, *range, [&](const TopicLists& of_topic, std::int64_t topic) {
    const auto R = static_cast<double>(judged[topic]);
    return [=, ap = poolwise::AveragePrecision(of_topic, lists->systems, lists->depth)](
               const Side& a, const Side& b, std::int64_t cell) mutable {
      return ap.largest(a, b, {R, outside[cell], cap});
    };
  });
}

// AP and aAP of long lists, for which the range is valid only.
EXPORT bool poolwise_precision_limits(const Lists* lists, const Pairs* pairs,
                                      const std::int64_t* judged, const double* outside, double cap,
                                      const Range* range, int threads) {
  return for_pairs(*lists, *pairs, threads, [=](const TopicLists& of_topic, std::int64_t topic) {
    const auto R = static_cast<double>(judged[topic]);
    return [=, limits = poolwise::PrecisionLimits(of_topic, lists->systems, lists->depth)](
               const Side& a, const Side& b, std::int64_t cell) mutable {
      limits.find(a, b, {R, outside[cell], cap}, range->lower[cell], range->upper[cell]);
    };
  });
}

// SP.
EXPORT bool poolwise_precision_sum(const Lists* lists, const Pairs* pairs, const Range* range,
                                   int threads) {
  return find_ranges(*lists, *pairs, threads, *range, [&](const TopicLists& of_topic, std::int64_t) {
    return [way = WholeWay(lists->depth, poolwise::Precisions::reach),
            decided = poolwise::Decided(of_topic, lists->systems, lists->depth)](
               const Side& a, const Side& b, std::int64_t) mutable {
      decided.read(a, b);
      decided.decide(0, 0);
      if (decided.complete()) return decided.sum();
      decided.list_rest(a, b);
      const poolwise::Precisions rule{way.inverse.data()};
      return way.largest(decided.rest_of_first(a), decided.rest_of_second(b), rule, rule);
    };
  });
}

// ERR: the chance to stop at each cell, and at an unjudged document of the highest grade.
EXPORT bool poolwise_stopping(const Lists* lists, const Pairs* pairs, const double* chances,
                              double full, const Range* range, int threads) {
  const auto reach = [=](std::size_t relevant) {
    return std::pow(1 - full, static_cast<double>(relevant));
  };
  return find_ranges(*lists, *pairs, threads, *range, [&](const TopicLists&, std::int64_t topic) {
    return [=, way = WholeWay(lists->depth, reach)](const Side& a, const Side& b,
                                                    std::int64_t) mutable {
      const auto rule = [&](const Side& run) {
        const double* known = chances + first_cell(*lists, run.system, topic);
        return poolwise::Stops{way.inverse.data(), known, full};
      };
      return way.largest(a, b, rule(a), rule(b));
    };
  });
}

namespace {

// The last rank whose worth, with that of all below it, is not lost beside the worth of the first.
std::int32_t last_that_counts(const double* worth, std::int64_t depth) {
  constexpr double kLost = 1e-18;  // a double has 16 digits
  double rest = 0;
  std::int64_t rank = depth;
  for (; rank > 1 && rest + worth[rank] < kLost * worth[1]; --rank) rest += worth[rank];
  return static_cast<std::int32_t>(rank);
}

}  // namespace

// The sum over shared unjudged documents of their worth where they stand lower. What is left out at
// the end of long lists would leave the sum as it is, and less of it leaves a range that is wider.
EXPORT bool poolwise_shared_worth(const Lists* lists, const Pairs* pairs, const double* worth,
                                  double* sums, int threads) {
  const std::int32_t last = last_that_counts(worth, lists->depth);
  return for_pairs(*lists, *pairs, threads, [=](const TopicLists&, std::int64_t) {
    return [=](const Side& a, const Side&, std::int64_t cell) {
      double sum = 0;
      for (const Entry& entry : a.list) {
        if (entry.rank > last) break;
        if (!entry.known()) sum += std::min(worth[entry.rank], worth_there(worth, a, entry));
      }
      sums[cell] = sum;
    };
  });
}

// nDCG in all its forms, R, nRBP, nP: the known difference and the documents outside, pairs × topics.
EXPORT bool poolwise_normalized_pairs(const Lists* lists, const Pairs* pairs,
                                      const Normalization* form, const double* known,
                                      const double* outside, const Range* range, int threads) {
  return for_pairs(*lists, *pairs, threads, [=](const TopicLists&, std::int64_t topic) {
    return [=, normalized = poolwise::NormalizedPairs(*form, topic)](const Side& a, const Side& b,
                                                                     std::int64_t cell) mutable {
      range->put(cell, normalized.range(a, b, known[cell], outside[cell]));
    };
  });
}

// The same measures of single lists: the gain of each grade code.
EXPORT bool poolwise_normalized_lists(const Codes* lists, const Normalization* form,
                                      const double* gains, const double* outside,
                                      const Range* range, int threads) {
  return for_lists(*lists, threads, [=](std::int64_t topic) {
    return [=, ratio = poolwise::RatioRange(*form)](const auto* codes, std::int64_t cell) mutable {
      range->put(cell, poolwise::normalized_ends(codes, *lists, *form, gains, topic, outside[cell], ratio));
    };
  });
}

// What the unjudged documents of single lists could add to a weighted sum, for a gain of 1.
EXPORT bool poolwise_open_weight(const Codes* lists, const double* weights, double* sums, int threads) {
  return for_lists(*lists, threads, [=](std::int64_t) {
    return [=](const auto* codes, std::int64_t cell) {
      sums[cell] = poolwise::open_weight(codes, lists->depth, weights);
    };
  });
}

// AP and aAP of single lists: R of the judged documents by topic.
EXPORT bool poolwise_precision_lists(const Codes* lists, std::int64_t first_relevant,
                                     const std::int64_t* judged, const double* outside, double cap,
                                     const Range* range, int threads) {
  return for_lists(*lists, threads, [=](std::int64_t topic) {
    return [=, ranks = poolwise::Ranks(), bounds = poolwise::PrecisionBounds(lists->depth)](
               const auto* codes, std::int64_t cell) mutable {
      ranks.read(codes, lists->depth, static_cast<int>(first_relevant));
      range->put(cell, bounds.find(ranks, static_cast<double>(judged[topic]), outside[cell], cap));
    };
  });
}

// R-Prec of single lists.
EXPORT bool poolwise_r_precision_lists(const Codes* lists, std::int64_t first_relevant,
                                       const std::int64_t* judged, const double* outside,
                                       double multiple, const Range* range, int threads) {
  return for_lists(*lists, threads, [=](std::int64_t topic) {
    return [=, bounds = poolwise::RPrecisionBounds(lists->depth)](const auto* codes,
                                                                  std::int64_t cell) mutable {
      range->put(cell, bounds.find(codes, lists->depth, static_cast<int>(first_relevant),
                                   judged[topic], multiple, outside[cell]));
    };
  });
}

// Q of single lists: what its sums leave, before 0 and 1 cut them off.
EXPORT bool poolwise_q_lists(const Codes* lists, const poolwise::QForm* form, const Range* range,
                             int threads) {
  return for_lists(*lists, threads, [=](std::int64_t topic) {
    return [=, bounds = poolwise::QBounds(*form, topic, lists->depth)](const auto* codes,
                                                                       std::int64_t cell) mutable {
      range->put(cell, bounds.find(codes, lists->depth, form->below[cell]));
    };
  });
}
