// Feeds the kernels random lists, on one thread and on two, under the sanitizers.
//
//   fuzz_kernels [iterations [seed [seconds]]]
//
// Checked beyond the sanitizers' own: the number of threads changes no bit; a range has its lower end
// below its upper one; turning a pair round turns its range round; an exact range of a difference of
// average precisions lies within the valid one; and to decide on documents beforehand changes nothing.

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels.cpp"

namespace {

using Random = std::mt19937_64;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kClose = 1e-9;

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }
std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

struct Ranges {
  std::vector<double> lower, upper;
  explicit Ranges(std::size_t cells) : lower(cells), upper(cells) {}

  Range out() { return {lower.data(), upper.data()}; }
  bool same(const Ranges& other) const {
    const auto bits = [](double a, double b) {
      return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    };
    return std::equal(lower.begin(), lower.end(), other.lower.begin(), bits) &&
           std::equal(upper.begin(), upper.end(), other.upper.begin(), bits);
  }
  bool ordered() const {
    for (std::size_t i = 0; i < lower.size(); ++i) {
      if (lower[i] > upper[i] + kClose) return false;
    }
    return true;
  }
  bool within(const Ranges& other) const {
    for (std::size_t i = 0; i < lower.size(); ++i) {
      if (lower[i] < other.lower[i] - kClose || upper[i] > other.upper[i] + kClose) return false;
    }
    return true;
  }
  Ranges turned() const {
    Ranges result(lower.size());
    for (std::size_t i = 0; i < lower.size(); ++i) {
      result.lower[i] = 0.0 - upper[i];
      result.upper[i] = 0.0 - lower[i];
    }
    return result;
  }
};

// A collection of random lists; every vector has exactly its size, so that a read past it is seen.
struct Made {
  std::int64_t systems, topics, depth;
  std::vector<std::int32_t> documents;
  std::vector<std::int64_t> counts, left, right, judged;
  std::vector<std::uint8_t> states;
  std::vector<std::int8_t> codes;
  std::vector<std::int16_t> wide_codes;
  std::vector<double> chances, worth, weights, table, outside, known, list_outside, q_outside, ideal;
  std::vector<double> gains{0.0, 1.0, 2.5}, levels{1.0, 2.5};
  std::vector<std::int64_t> judged_by_level;

  explicit Made(Random& random)
      : systems(1 + static_cast<std::int64_t>(below(random, 4))),
        topics(static_cast<std::int64_t>(below(random, 4))),
        depth(static_cast<std::int64_t>(below(random, below(random, 8) ? 12 : 70))) {
    for (std::int64_t t = 0; t < topics; ++t) {
      counts.push_back(1 + static_cast<std::int64_t>(below(random, 90)));
      judged.push_back(static_cast<std::int64_t>(below(random, 90)));
    }
    documents.assign(cells(), -1);
    codes.assign(cells(), poolwise::kBeyond);
    for (std::int64_t t = 0; t < topics; ++t) {
      const auto [relevant, highly] = fill_topic(random, t);
      // What is judged elsewhere, and what the lists may hold: a known document counts in R.
      judged_by_level.push_back(judged[size(t)] + relevant);
      judged_by_level.push_back(judged[size(t)] / 2 + highly);
      judged[size(t)] += relevant;
    }
    wide_codes.assign(codes.begin(), codes.end());
    for (const std::int8_t code : codes) {
      states.push_back(static_cast<std::uint8_t>(code > 0 ? poolwise::kRelevant
                                                 : code == -1 || code == -2 ? poolwise::kUnjudged
                                                                            : poolwise::kNotRelevant));
      chances.push_back(code > 0 ? 0.25 * code : 0.0);
    }
    worth.push_back(0);
    for (std::int64_t r = 1; r <= depth; ++r) {
      worth.push_back(1 / static_cast<double>(r));
      weights.push_back(1 / std::log2(static_cast<double>(r) + 1));
    }
    for (std::size_t m = 0; m <= 180 + 2 * size(depth) + 40; ++m) {
      table.push_back(m ? table.back() + 1 / std::log2(static_cast<double>(m) + 1) : 0.0);
    }
    for (std::int64_t a = 0; a < systems; ++a) {
      for (std::int64_t b = 0; b < systems; ++b) left.push_back(a), right.push_back(b);
    }
    const std::vector<double> numbers{0, 3, 40, kInfinite};
    const double number = numbers[below(random, numbers.size())];
    outside.assign(left.size() * size(topics), number);
    list_outside.assign(size(systems * topics), number);
    q_outside.assign(size(systems * topics), std::isinf(number) ? 0 : number);
    for (std::int64_t t = 0; t < topics; ++t) {
      for (std::int64_t r = 0; r <= depth; ++r) {
        ideal.push_back(static_cast<double>(std::min(r, judged[size(t)])));
      }
    }
    for (std::size_t cell = 0; cell < outside.size(); ++cell) {
      const std::size_t a = size(left[cell / size(topics)]), b = size(right[cell / size(topics)]);
      known.push_back((static_cast<double>(a) - static_cast<double>(b)) / 4);
    }
  }

  std::size_t cells() const { return size(systems * topics * depth); }

  // What a kernel reads of the lists: both of every pair, or each of them once.
  std::size_t bytes_of_pairs() const {
    return 2 * left.size() * size(topics * depth) * (sizeof documents[0] + sizeof states[0]);
  }
  std::size_t bytes_of_lists(std::int64_t width) const { return cells() * size(width); }

  // Each document has one grade in all runs. Returns how many are relevant, and highly so.
  std::pair<std::int64_t, std::int64_t> fill_topic(Random& random, std::int64_t topic) {
    const std::vector<std::int8_t> grades{-1, -2, -2, -2, 0, 1, 2};
    const std::size_t kinds = 1 + below(random, grades.size());
    std::vector<std::int32_t> order(size(counts[size(topic)]));
    std::vector<std::int8_t> grade;
    for (std::size_t d = 0; d < order.size(); ++d) {
      order[d] = static_cast<std::int32_t>(d);
      grade.push_back(grades[below(random, kinds)]);
    }
    for (std::int64_t s = 0; s < systems; ++s) {
      if (below(random, 4)) std::shuffle(order.begin(), order.end(), random);
      const std::size_t length = below(random, std::min(order.size(), size(depth)) + 1);
      for (std::size_t r = 0; r < length; ++r) {
        const std::size_t cell = size((s * topics + topic) * depth) + r;
        documents[cell] = order[r];
        codes[cell] = grade[size(order[r])];
      }
    }
    const auto highly = std::count(grade.begin(), grade.end(), 2);
    return {highly + std::count(grade.begin(), grade.end(), 1), highly};
  }
};

using Kernel = std::function<bool(const Range*, int)>;

std::size_t bytes_read = 0;  // of lists, by all kernels so far

// What a kernel finds on one thread; empty ranges where two threads find anything else.
Ranges run(const Kernel& kernel, std::size_t cells, std::size_t bytes, std::string& complaint) {
  bytes_read += 2 * bytes;
  Ranges one(cells), two(cells);
  const Range out_one = one.out(), out_two = two.out();
  if (!kernel(&out_one, 1) || !kernel(&out_two, 2)) complaint = "a kernel had no memory";
  if (!one.same(two)) complaint = "threads change the numbers";
  if (!one.ordered()) complaint = "a lower end is above the upper one";
  return one;
}

bool same_number(double a, double b) { return std::isnan(a) ? std::isnan(b) : std::abs(a - b) <= kClose; }

// Whether the staircases over all shared documents end where those over the rest do.
bool same_staircases(const Made& made, const Lists& lists, double cap, const Ranges& average,
                     const Ranges& sums) {
  for (std::int64_t t = 0; t < made.topics; ++t) {
    const TopicLists topic(lists, t);
    poolwise::AveragePrecision whole(topic, made.systems, made.depth);
    WholeWay way(made.depth, poolwise::Precisions::reach);
    const poolwise::Precisions rule{way.inverse.data()};
    for (std::size_t p = 0; p < made.left.size(); ++p) {
      const Side a = side(topic, made.left[p], made.right[p]), b = side(topic, made.right[p], made.left[p]);
      const std::size_t cell = p * size(made.topics) + size(t);
      const poolwise::Divisors divisors{static_cast<double>(made.judged[size(t)]), made.outside[cell], cap};
      if (!same_number(whole.by_staircase(a, b, divisors), average.upper[cell])) return false;
      if (!same_number(way.largest(a, b, rule, rule), sums.upper[cell])) return false;
    }
  }
  return true;
}

std::string complaint_about_pairs(const Made& made) {
  const Lists lists{made.systems,         made.topics,        made.depth,
                    made.documents.data(), made.counts.data(), made.states.data()};
  const auto count = static_cast<std::int64_t>(made.left.size());
  const Pairs forth{count, made.left.data(), made.right.data()};
  const Pairs back{count, made.right.data(), made.left.data()};
  std::vector<double> opposite;
  for (const double value : made.known) opposite.push_back(-value);
  const Normalization form{2, made.levels.data(), made.judged_by_level.data(), made.table.data(),
                           made.weights.data(), kInfinite};
  const double cap = made.depth % 2 ? kInfinite : 5.0;
  const auto kernels = [&](const Pairs* pairs, const double* known) -> std::vector<Kernel> {
    const std::int64_t* judged = made.judged.data();
    const double* outside = made.outside.data();
    return {
        [=, &lists](const Range* out, int threads) {
          return poolwise_average_precision(&lists, pairs, judged, outside, cap, out, threads);
        },
        [=, &lists](const Range* out, int threads) {
          return poolwise_precision_limits(&lists, pairs, judged, outside, cap, out, threads);
        },
        [=, &lists, &made](const Range* out, int threads) {
          return poolwise_first_relevant(&lists, pairs, made.worth.data(), out, threads);
        },
        [=, &lists](const Range* out, int threads) {
          return poolwise_precision_sum(&lists, pairs, out, threads);
        },
        [=, &lists, &made](const Range* out, int threads) {
          return poolwise_stopping(&lists, pairs, made.chances.data(), 0.75, out, threads);
        },
        [=, &lists, &form](const Range* out, int threads) {
          return poolwise_normalized_pairs(&lists, pairs, &form, known, outside, out, threads);
        },
    };
  };
  std::string complaint;
  const auto there = kernels(&forth, made.known.data()), again = kernels(&back, opposite.data());
  std::vector<Ranges> found;
  for (std::size_t k = 0; k < there.size() && complaint.empty(); ++k) {
    found.push_back(run(there[k], made.outside.size(), made.bytes_of_pairs(), complaint));
    const Ranges turned =
        run(again[k], made.outside.size(), made.bytes_of_pairs(), complaint).turned();
    const bool equal = found[k].within(turned) && turned.within(found[k]);
    if (!equal) complaint = "turning a pair round does not turn range " + std::to_string(k);
  }
  if (complaint.empty() && !found[0].within(found[1])) complaint = "an exact range leaves a valid one";
  if (complaint.empty() && !same_staircases(made, lists, cap, found[0], found[3])) {
    complaint = "to decide on documents changes a range";
  }
  std::vector<double> sums(made.outside.size());
  poolwise_shared_worth(&lists, &forth, made.worth.data(), sums.data(), 2);
  return complaint;
}

std::string complaint_about_lists(const Made& made) {
  const Normalization form{2, made.levels.data(), made.judged_by_level.data(), made.table.data(),
                           made.weights.data(), kInfinite};
  const double* outside = made.list_outside.data();
  const std::int64_t* judged = made.judged.data();
  const poolwise::QForm q{made.gains.data(), 1.0, 2.5, 1.0, 20.0, 1e-4, judged, made.q_outside.data(),
                          made.ideal.data()};
  std::string complaint;
  std::vector<Ranges> narrow;
  for (const std::int64_t width : {1, 2}) {
    const void* codes = width == 1 ? static_cast<const void*>(made.codes.data())
                                   : static_cast<const void*>(made.wide_codes.data());
    const Codes lists{made.systems, made.topics, made.depth, codes, width};
    const std::vector<Kernel> kernels = {
        [&](const Range* out, int threads) {
          return poolwise_precision_lists(&lists, 1, judged, outside, kInfinite, out, threads);
        },
        [&](const Range* out, int threads) {
          return poolwise_r_precision_lists(&lists, 1, judged, outside, 1.0, out, threads);
        },
        [&](const Range* out, int threads) {
          return poolwise_r_precision_lists(&lists, 1, judged, outside, 1.7, out, threads);
        },
        [&](const Range* out, int threads) {
          return poolwise_normalized_lists(&lists, &form, made.gains.data(), outside, out, threads);
        },
        [&](const Range* out, int threads) { return poolwise_q_lists(&lists, &q, out, threads); },
        [&](const Range* out, int threads) {
          return poolwise_open_weight(&lists, made.weights.data(), out->lower, threads) &&
                 poolwise_open_weight(&lists, made.weights.data(), out->upper, threads);
        },
    };
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const Ranges found =
          run(kernels[k], made.list_outside.size(), made.bytes_of_lists(width), complaint);
      if (width == 1) {
        narrow.push_back(found);
      } else if (!found.same(narrow[k])) {
        complaint = "the width of codes changes the numbers";
      }
    }
  }
  return complaint;
}

}  // namespace

int main(int count, char** arguments) {
  const long iterations = count > 1 ? std::atol(arguments[1]) : 10000;
  const unsigned long seed = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1;
  const long seconds = count > 3 ? std::atol(arguments[3]) : 1000000;
  const auto start = std::chrono::steady_clock::now();
  const auto stop = start + std::chrono::seconds(seconds);
  long i = 0;
  for (; i < iterations && std::chrono::steady_clock::now() < stop; ++i) {
    Random random(seed * 1000003 + static_cast<unsigned long>(i));
    const Made made(random);
    std::string wrong = complaint_about_pairs(made);
    if (wrong.empty()) wrong = complaint_about_lists(made);
    if (!wrong.empty()) {
      std::printf("iteration %ld of seed %lu: %s\n", i, seed, wrong.c_str());
      return 1;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%ld collections of random lists, seed %lu, %zu bytes read by kernels (%.0f a second): no complaint\n",
              i, seed, bytes_read, static_cast<double>(bytes_read) / std::max(took.count(), 1e-9));
}
