// The C interface of the scanner, called from Python through ctypes (collection/scanner.py).
//
// A reader owns the ids; an input is one file being read. Python opens, decompresses and feeds.
// When every input is finished, the reader is sealed (topics get their byte order), its tables are
// laid out in arrays that Python allocates, and emit fills them, for a range of topics at a time.

#include <atomic>
#include <system_error>
#include <thread>

#include "rank.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if !defined(_WIN32)
#include <unistd.h>
#endif
#if defined(_WIN32)
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

using poolwise::IdSet;
using poolwise::Input;

namespace {

constexpr std::int64_t kFileBlock = 1 << 18;

struct Slice {
  std::size_t start, length;
};

struct Reader {
  explicit Reader(bool lone) : topics(lone) {}

  poolwise::Topics topics;
  std::vector<std::uint32_t> order;         // topic codes in byte order
  std::vector<std::vector<Slice>> slices;  // by input: where the list of each topic in order is

  // How many inputs make a run: several inputs of a lone run are its parts.
  std::size_t parts() const { return topics.lone() ? slices.size() : 1; }
};

struct Report {
  poolwise::Problem problem;
  std::int64_t skipped, first_skipped, repeated, first_repeated;
  const char* tag;
  std::int64_t tag_length;
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

// Runs the work; a failure to get memory becomes a problem code.
template <class Work>
int guarded(Work work) {
  try {
    work();
    return poolwise::kFine;
  } catch (const std::exception&) {
    return poolwise::kOutOfMemory;
  }
}

void write_ids(const IdSet& ids, const std::vector<std::uint32_t>& order, char* data,
               std::int64_t* offsets, std::int64_t offset) {
  char* at = data + offset;
  for (const std::uint32_t code : order) {
    *offsets++ = at - data;
    const std::string_view id = ids[code];
    at = std::copy(id.begin(), id.end(), at);
  }
}

// Documents whose scores tie are put in order of their ids, which their codes now follow.
void order_ties(std::int32_t* ranking, const std::uint32_t* flags, std::size_t length, bool lower) {
  for (std::size_t first = 0, past; first < length; first = past) {
    past = first + 1;
    while (past < length && (flags[past] & poolwise::kSameKey)) ++past;
    if (past - first == 1) continue;
    std::sort(ranking + first, ranking + past);
    if (!lower) std::reverse(ranking + first, ranking + past);
  }
}

void emit_list(const Input& input, const Slice& slice, const std::vector<std::int32_t>& code_of,
               std::int32_t* ranking, std::uint8_t* tied) {
  const std::uint32_t* codes = input.codes().data() + slice.start;
  for (std::size_t i = 0; i < slice.length; ++i) {
    ranking[i] = code_of[codes[i] & poolwise::kCodeMask];
    tied[i] = (codes[i] & poolwise::kTied) != 0;
  }
  order_ties(ranking, codes, slice.length, input.ties_by_lower_id());
}

void emit_values(const Input& input, const Slice& slice, const std::vector<std::int32_t>& code_of,
                 double* values) {
  for (std::size_t i = slice.start; i < slice.start + slice.length; ++i) {
    values[code_of[input.codes()[i] & poolwise::kCodeMask]] = input.values()[i];
  }
}

void emit_topic(Reader& reader, Input* const* inputs, std::size_t count, std::size_t topic,
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
    if (out.rankings) {
      emit_list(*inputs[i], slice, code_of, out.rankings + start, out.tied + start);
    } else {
      emit_values(*inputs[i], slice, code_of, out.values + row);
    }
  }
}

std::vector<Slice> slices_of(const Input& input, const std::vector<std::uint32_t>& place) {
  std::vector<Slice> slices(place.size(), Slice{0, 0});
  for (const Input::List& list : input.lists()) slices[place[list.topic]] = {list.start, list.length};
  return slices;
}

void seal(Reader& reader, Input* const* inputs, std::size_t count, Sizes& sizes) {
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
bool is_in_two_parts(const Reader& reader, std::size_t topic) {
  std::size_t parts = 0;
  for (const std::vector<Slice>& slices : reader.slices) parts += slices[topic].length > 0;
  return parts > 1;
}

bool shares_topics(const Reader& reader) {
  for (std::size_t t = 0; reader.parts() > 1 && t < reader.order.size(); ++t) {
    if (is_in_two_parts(reader, t)) return true;
  }
  return false;
}

void lay_out(Reader& reader, const Tables& out) {
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

// Does work(0) … work(count − 1) on several threads, Python's lock being out of the way.
template <class Work>
void in_parallel(std::int64_t count, int threads, Work work) {
  std::atomic<std::int64_t> next{0};
  const auto loop = [&] {
    for (std::int64_t i; (i = next++) < count;) work(i);
  };
  std::vector<std::thread> others;
  try {
    for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t) {
      others.emplace_back(loop);
    }
  } catch (const std::system_error&) {
    // The threads there are do it, too.
  }
  loop();
  for (std::thread& other : others) other.join();
}

// What was freed in many small pieces goes back to the system, before more is asked of it.
void give_back() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace

EXPORT Reader* poolwise_reader_new(int lone) {
  Reader* reader = nullptr;
  guarded([&] { reader = new Reader(lone != 0); });
  return reader;
}

EXPORT void poolwise_reader_free(Reader* reader) {
  delete reader;
  give_back();
}

EXPORT Input* poolwise_input_new(Reader* reader, const poolwise::Options* options) {
  Input* input = nullptr;
  guarded([&] { input = new Input(reader->topics, *options); });
  return input;
}

EXPORT void poolwise_input_free(Input* input) { delete input; }

EXPORT int poolwise_input_feed(Input* input, const char* data, std::int64_t size) {
  const int code = guarded([&] { input->feed(data, static_cast<std::size_t>(size)); });
  if (code != poolwise::kFine) input->fail(poolwise::kOutOfMemory);
  return input->problem().code;
}

EXPORT int poolwise_input_finish(Input* input) {
  const int code = guarded([&] { input->finish(); });
  if (code != poolwise::kFine) input->fail(poolwise::kOutOfMemory);
  return input->problem().code;
}

#if !defined(_WIN32)
namespace {

// Feeds the bytes of an open plain file from start up to stop. −1 when the system refuses them.
int feed_file(Input* input, int file, std::int64_t start, std::int64_t stop) {
  std::int64_t count = 1;
  const int code = guarded([&] {
    std::vector<char> block(kFileBlock);
    while (start < stop && count > 0 && input->problem().code == poolwise::kFine) {
      const auto size = static_cast<std::size_t>(std::min<std::int64_t>(kFileBlock, stop - start));
      count = pread(file, block.data(), size, start);
      if (count > 0) input->feed(block.data(), static_cast<std::size_t>(count));
      start += count;
    }
  });
  if (code != poolwise::kFine) input->fail(poolwise::kOutOfMemory);
  return count < 0 ? -1 : input->problem().code;
}

}  // namespace

// Reads plain files to their ends, several at a time. A code is that of the problem met, or −1.
EXPORT void poolwise_read_files(Input* const* inputs, const int* files, const std::int64_t* starts,
                                const std::int64_t* stops, std::int64_t count, int threads,
                                int* codes) {
  in_parallel(count, threads, [&](std::int64_t i) {
    codes[i] = feed_file(inputs[i], files[i], starts[i], stops[i]);
    if (codes[i] == poolwise::kFine) poolwise_input_finish(inputs[i]);
  });
}
#endif

EXPORT void poolwise_input_report(const Input* input, Report* report) {
  report->problem = input->problem();
  report->skipped = input->skipped().count;
  report->first_skipped = input->skipped().line;
  report->repeated = input->repeated().count;
  report->first_repeated = input->repeated().line;
  report->tag = input->tag().data();
  report->tag_length = static_cast<std::int64_t>(input->tag().size());
}

EXPORT int poolwise_seal(Reader* reader, Input* const* inputs, std::int64_t count, Sizes* sizes) {
  const int code =
      guarded([&] { seal(*reader, inputs, static_cast<std::size_t>(count), *sizes); });
  if (code != poolwise::kFine) return code;
  return shares_topics(*reader) ? poolwise::kTopicInTwoParts : poolwise::kFine;
}

EXPORT int poolwise_lay_out(Reader* reader, const Tables* tables) {
  return guarded([&] { lay_out(*reader, *tables); });
}

// Fills the arrays, several topics at a time.
EXPORT int poolwise_emit(Reader* reader, Input* const* inputs, std::int64_t count,
                         const Tables* tables, int threads) {
  std::atomic<int> failed{poolwise::kFine};
  in_parallel(static_cast<std::int64_t>(reader->order.size()), threads, [&](std::int64_t topic) {
    const int code = guarded([&] {
      emit_topic(*reader, inputs, static_cast<std::size_t>(count), static_cast<std::size_t>(topic),
                 *tables);
    });
    if (code != poolwise::kFine) failed = code;
  });
  return failed;
}

// Finds the documents of one sorted table in another. `pairs` holds, for each topic of the first
// table, the topic of the second, −1 for none; `rows` gets the second table's row or −1.
EXPORT void poolwise_match(const char* data, const std::int64_t* offsets,
                           const std::int64_t* starts, std::int64_t topics,
                           const std::int64_t* pairs, const char* other_data,
                           const std::int64_t* other_offsets, const std::int64_t* other_starts,
                           std::int32_t* rows) {
  const auto id = [](const char* from, const std::int64_t* at, std::int64_t row) {
    return std::string_view(from + at[row], static_cast<std::size_t>(at[row + 1] - at[row]));
  };
  std::fill(rows, rows + starts[topics], -1);
  for (std::int64_t t = 0; t < topics; ++t) {
    if (pairs[t] < 0) continue;
    std::int64_t low = starts[t];
    for (std::int64_t other = other_starts[pairs[t]]; other < other_starts[pairs[t] + 1]; ++other) {
      const std::string_view wanted = id(other_data, other_offsets, other);
      for (std::int64_t high = starts[t + 1]; low < high;) {
        const std::int64_t middle = low + (high - low) / 2;
        if (id(data, offsets, middle) < wanted) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low < starts[t + 1] && id(data, offsets, low) == wanted) {
        rows[low] = static_cast<std::int32_t>(other);
      }
    }
  }
}
