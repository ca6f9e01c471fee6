// The lists of one topic, as pairs of runs see them: what is relevant, what is unjudged, and where
// the other run has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace poolwise {

// Lists as Python lays them out, systems × topics × ranks.
struct Lists {
  std::int64_t systems, topics, depth;
  const std::int32_t* documents;        // code within the topic, −1 past the end of a list
  const std::int64_t* document_counts;  // topics
  const std::uint8_t* states;           // a State each
};

struct Pairs {
  std::int64_t count;
  const std::int64_t* left;
  const std::int64_t* right;
};

enum State : std::uint8_t { kNotRelevant, kRelevant, kUnjudged };

constexpr std::int32_t kKnown = -1;

// A rank, from 1, that can matter: a known relevant document, or an unjudged one by its number.
struct Entry {
  std::int32_t rank;
  std::int32_t document;
  bool known() const { return document == kKnown; }
};

// Where the cells of a list begin.
inline std::size_t first_cell(const Lists& lists, std::int64_t system, std::int64_t topic) {
  return static_cast<std::size_t>((system * lists.topics + topic) * lists.depth);
}

// 1/rank, by rank.
inline std::vector<double> inverse_ranks(std::int64_t depth) {
  std::vector<double> inverse(static_cast<std::size_t>(depth) + 1);
  for (std::size_t r = 1; r < inverse.size(); ++r) inverse[r] = 1 / static_cast<double>(r);
  return inverse;
}

class TopicLists {
 public:
  TopicLists(const Lists& lists, std::int64_t topic) : starts_{0} {
    number_unjudged(lists, topic);
    ranks_.assign(static_cast<std::size_t>(lists.systems) * unjudged_, 0);
    for (std::int64_t s = 0; s < lists.systems; ++s) add(lists, first_cell(lists, s, topic), s);
  }

  // How many unjudged documents there are.
  std::size_t unjudged() const { return unjudged_; }
  // The entries of a system's list, by rank.
  std::span<const Entry> list(std::int64_t system) const {
    const auto s = static_cast<std::size_t>(system);
    return {entries_.data() + starts_[s], starts_[s + 1] - starts_[s]};
  }
  // The rank of each unjudged document in a system's list, 0 where it lacks it.
  const std::int32_t* ranks(std::int64_t system) const {
    return ranks_.data() + static_cast<std::size_t>(system) * unjudged_;
  }

 private:
  // Few documents of a topic are unjudged and above a cut-off: only these get a number.
  void number_unjudged(const Lists& lists, std::int64_t topic) {
    numbers_.assign(static_cast<std::size_t>(lists.document_counts[topic]), kKnown);
    for (std::int64_t s = 0; s < lists.systems; ++s) {
      const std::size_t first = first_cell(lists, s, topic);
      for (std::size_t at = first; at < first + static_cast<std::size_t>(lists.depth); ++at) {
        if (lists.states[at] != kUnjudged) continue;
        std::int32_t& number = numbers_[static_cast<std::size_t>(lists.documents[at])];
        if (number == kKnown) number = static_cast<std::int32_t>(unjudged_++);
      }
    }
  }

  void add(const Lists& lists, std::size_t first, std::int64_t system) {
    std::int32_t* ranks = ranks_.data() + static_cast<std::size_t>(system) * unjudged_;
    for (std::int32_t rank = 1; rank <= lists.depth; ++rank) {
      const std::size_t at = first + static_cast<std::size_t>(rank) - 1;
      if (lists.states[at] == kNotRelevant) continue;
      std::int32_t document = kKnown;
      if (lists.states[at] == kUnjudged) {
        document = numbers_[static_cast<std::size_t>(lists.documents[at])];
        ranks[document] = rank;
      }
      entries_.push_back({rank, document});
    }
    starts_.push_back(entries_.size());
  }

  std::size_t unjudged_ = 0;
  std::vector<std::int32_t> numbers_;  // of documents by code
  std::vector<Entry> entries_;
  std::vector<std::size_t> starts_;  // of the entries of each system
  std::vector<std::int32_t> ranks_;  // systems × unjudged documents
};

// One run of a pair: its list, and where the other run has its documents.
struct Side {
  std::int64_t system;
  std::span<const Entry> list;
  const std::int32_t* elsewhere;

  bool shares(const Entry& entry) const { return !entry.known() && elsewhere[entry.document] > 0; }
};

inline Side side(const TopicLists& topic, std::int64_t system, std::int64_t other) {
  return {system, topic.list(system), topic.ranks(other)};
}

}  // namespace poolwise
