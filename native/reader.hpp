// What the inputs of a reader hold, as arrays: topics in byte order, a list for each run and topic.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "mark.hpp"
#include "rank.hpp"

namespace poolwise {

struct Slice {
  std::size_t start, length;
};

struct Reader {
  explicit Reader(bool lone) : topics(lone) {}

  Topics topics;
  std::vector<std::uint32_t> order;         // topic codes in byte order
  std::vector<std::vector<Slice>> slices;  // by input: where the list of each topic in order is
  std::atomic<bool> stopped{false};         // nobody waits for what is still to be done

  // How many inputs make a run: several inputs of a lone run are its parts.
  std::size_t parts() const { return topics.lone() ? slices.size() : 1; }
};

struct Sizes {
  std::int64_t topics, topic_bytes, documents, document_bytes, entries;
};

// Arrays that Python allocates.
struct Tables {
  char* topic_data;
  std::int64_t* topic_offsets;     // topics + 1
  std::int64_t* document_starts;   // topics + 1
  std::int64_t* byte_starts;       // topics + 1
  std::int64_t* list_starts;       // runs × topics + 1
  char* document_data;
  std::int64_t* document_offsets;  // documents + 1
  std::int32_t* rankings;          // entries; null for judgments
  std::uint8_t* tied;
  double* values;                  // documents; null for runs
};

inline void write_ids(const IdSet& ids, const std::vector<std::uint32_t>& order, char* data,
               std::int64_t* offsets, std::int64_t offset) {
  char* at = data + offset;
  for (const std::uint32_t code : order) {
    *offsets++ = at - data;
    const std::string_view id = ids[code];
    at = std::copy(id.begin(), id.end(), at);
  }
}

inline void emit_list(const Collected& input, const Slice& slice, const std::vector<std::int32_t>& code_of,
               std::int32_t* ranking, std::uint8_t* tied) {
  const std::uint32_t* codes = input.codes().data() + slice.start;
  for (std::size_t i = 0; i < slice.length; ++i) {
    ranking[i] = code_of[codes[i] & kCodeMask];
    tied[i] = (codes[i] & kTied) != 0;
  }
  // The codes in a ranking follow the byte order of ids.
  sort_ties(
      ranking, slice.length, [&](std::size_t i) { return (codes[i] & kSameKey) != 0; },
      std::less<std::int32_t>(), input.ties_by_lower_id());
}

inline void emit_values(const Collected& input, const Slice& slice, const std::vector<std::int32_t>& code_of,
                 double* values) {
  for (std::size_t i = slice.start; i < slice.start + slice.length; ++i) {
    values[code_of[input.codes()[i] & kCodeMask]] = input.values()[i];
  }
}

inline void emit_topic(Reader& reader, Input* const* inputs, std::size_t count, std::size_t topic,
                const Tables& out) {
  IdSet& documents = reader.topics.at(reader.order[topic]).documents;
  const std::vector<std::uint32_t> order = documents.sorted();
  const std::int64_t row = out.document_starts[topic];
  write_ids(documents, order, out.document_data, out.document_offsets + row,
            out.byte_starts[topic]);
  documents.release();
  std::vector<std::int32_t> code_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) code_of[order[i]] = static_cast<std::int32_t>(i);
  for (std::size_t i = 0; i < count; ++i) {
    const Slice& slice = reader.slices[i][topic];
    const std::size_t run = i / reader.parts();
    const std::int64_t start = out.list_starts[run * reader.order.size() + topic];
    if (slice.length == 0) continue;
    const auto& input = static_cast<const Collected&>(*inputs[i]);
    if (out.rankings) {
      emit_list(input, slice, code_of, out.rankings + start, out.tied + start);
    } else {
      emit_values(input, slice, code_of, out.values + row);
    }
  }
}

inline std::vector<Slice> slices_of(const Input& input, const std::vector<std::uint32_t>& place) {
  std::vector<Slice> slices(place.size(), Slice{0, 0});
  for (const Input::List& list : input.lists()) slices[place[list.topic]] = {list.start, list.length};
  return slices;
}

inline void seal(Reader& reader, Input* const* inputs, std::size_t count, Sizes& sizes) {
  reader.order = reader.topics.ids().sorted();
  std::vector<std::uint32_t> place(reader.order.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[reader.order[i]] = static_cast<std::uint32_t>(i);
  }
  sizes = {static_cast<std::int64_t>(place.size()),
           static_cast<std::int64_t>(reader.topics.ids().bytes()), 0, 0, 0};
  for (const std::uint32_t code : reader.order) {
    const IdSet& documents = reader.topics.at(code).documents;
    sizes.documents += static_cast<std::int64_t>(documents.size());
    sizes.document_bytes += static_cast<std::int64_t>(documents.bytes());
  }
  for (std::size_t i = 0; i < count; ++i) {
    reader.slices.push_back(slices_of(*inputs[i], place));
    for (const Slice& slice : reader.slices[i]) {
      sizes.entries += static_cast<std::int64_t>(slice.length);
    }
  }
}

// Whether a topic has lines in two parts of a run, which then have to be read as one.
inline bool is_in_two_parts(const Reader& reader, std::size_t topic) {
  std::size_t parts = 0;
  for (const std::vector<Slice>& slices : reader.slices) parts += slices[topic].length > 0;
  return parts > 1;
}

inline bool shares_topics(const Reader& reader) {
  for (std::size_t t = 0; reader.parts() > 1 && t < reader.order.size(); ++t) {
    if (is_in_two_parts(reader, t)) return true;
  }
  return false;
}

inline void lay_out(Reader& reader, const Tables& out) {
  const std::size_t topics = reader.order.size();
  write_ids(reader.topics.ids(), reader.order, out.topic_data, out.topic_offsets, 0);
  out.topic_offsets[topics] = static_cast<std::int64_t>(reader.topics.ids().bytes());
  std::int64_t documents = 0, bytes = 0, entries = 0;
  for (std::size_t t = 0; t < topics; ++t) {
    out.document_starts[t] = documents;
    out.byte_starts[t] = bytes;
    documents += static_cast<std::int64_t>(reader.topics.at(reader.order[t]).documents.size());
    bytes += static_cast<std::int64_t>(reader.topics.at(reader.order[t]).documents.bytes());
  }
  out.document_starts[topics] = documents;
  out.byte_starts[topics] = bytes;
  out.document_offsets[documents] = bytes;
  std::int64_t* list = out.list_starts;
  for (std::size_t run = 0; run < reader.slices.size(); run += reader.parts()) {
    for (std::size_t t = 0; t < topics; ++t) {
      *list++ = entries;
      for (std::size_t part = run; part < run + reader.parts(); ++part) {
        entries += static_cast<std::int64_t>(reader.slices[part][t].length);
      }
    }
  }
  *list = entries;
}

// Marks by run, row and rank, in an array that holds what stands past the end of a list. `rows` gives
// each topic, in order, its row; −1 for a topic that is not wanted.
struct MarkTable {
  const std::int64_t* rows;
  std::int64_t row_count, depth;
  std::int8_t* marks;
};

inline void emit_marks(const Reader& reader, Input* const* inputs, const MarkTable& out) {
  for (std::size_t i = 0; i < reader.slices.size(); ++i) {
    const auto run = static_cast<std::int64_t>(i / reader.parts());
    const std::int8_t* marks = static_cast<const Marked&>(*inputs[i]).marks().data();
    for (std::size_t t = 0; t < reader.order.size(); ++t) {
      const Slice& slice = reader.slices[i][t];
      if (out.rows[t] < 0 || slice.length == 0) continue;
      std::copy_n(marks + slice.start, slice.length,
                  out.marks + (run * out.row_count + out.rows[t]) * out.depth);
    }
  }
}

// The one run's list of a topic, which is in one of its parts, has each document at its best rank.
template <class Count>
void count_by_mark(const Reader& reader, Input* const* inputs, std::size_t topic, Count* counts) {
  for (std::size_t i = 0; i < reader.slices.size(); ++i) {
    const Slice& slice = reader.slices[i][topic];
    const std::int8_t* marks = static_cast<const Marked&>(*inputs[i]).marks().data() + slice.start;
    for (std::size_t rank = 0; rank < slice.length; ++rank) counts[rank] = marks[rank] < 0;
  }
}

// Counts, by row and rank, a judged topic's documents without a grade that have the rank as their best
// in any run, in an array of zeros. What was gathered for it is given up.
template <class Count>
void emit_best_ranks(Reader& reader, Input* const* inputs, const std::int64_t* rows, std::int64_t depth,
                     Count* counts) {
  for (std::size_t t = 0; t < reader.order.size(); ++t) {
    if (rows[t] < 0) continue;
    Count* row = counts + rows[t] * depth;
    if (reader.topics.lone()) {
      count_by_mark(reader, inputs, t, row);
    } else {
      BestRanks& ranks = reader.topics.at(reader.order[t]).best_ranks;
      ranks.count(row);
      ranks.release();
    }
  }
}

}  // namespace poolwise
