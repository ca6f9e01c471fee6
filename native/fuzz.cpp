// Feeds the scanner mutated files, in random cuts and from two threads, under the sanitizers.
//
//   fuzz [iterations [seed [seconds]]]
//
// Three things are checked beyond the sanitizers' own: where the bytes are cut, which thread comes first
// and what the secret of the hashes is change nothing in the result; the best ranks of documents
// without a grade are those that maps find in the lists of collected inputs; and white space and numbers
// are found the same way fast as slowly. The closing line counts the
// bytes that the scanner was fed, once for each reading.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <thread>

#include "scanner.cpp"

namespace {

using Random = std::mt19937_64;

const std::vector<std::string> kSeeds = {
    "401 Q0 FBIS4-20472 1 320 tag\n401 Q0 FBIS4-68893 2 251 tag\n402 Q0 FT911-1 1 1e-3 tag\n",
    "\xEF\xBB\xBF" "1\tQ0\ta\t1\t+.5\tx\r\n\r\n# note\n1 Q0 b 2 .5 x more\r\n1 Q0 a 3 0.5 x",
    "1048585\t7187155\t1\n1048585\t7187156\t2\n2\t7187155\t1\n",
    "1048585 7187155 2\n1048585 7187156 1\n1048585 7187157 3\n2 7187155 1\n2 7187156 0\n",
    "query-id\tcorpus-id\trank\n1\ta\t2\n1\tb\t1\n401\tFT911-1\t1.5\n",
    "query-id\tcorpus-id\tscore\n1\tdoc one\t2\n1\tb\t0\n",
    "1 0 a 1\n1 0 b -1\n2 0 clueweb09-en0000-00-00000 0.25\n2 0 clueweb09-en0000-00-00001 1\n",
    "1\x1f" "a b\x1f" "0.5\x1f" "0\n1\x1f#c\x1f" "-1e300\x1f" "1",
    "nan inf -Infinity 1e999 1e-999 0x1p3 +-1 . e5 123456789012345678901234567890",
};

std::size_t below(Random& random, std::size_t limit) { return random() % std::max<std::size_t>(limit, 1); }

const std::string& some_seed(Random& random) { return kSeeds[below(random, kSeeds.size())]; }

std::string mutate(Random& random, std::string text) {
  for (std::size_t edits = below(random, 8); edits > 0; --edits) {
    const std::size_t at = below(random, text.size() + 1), size = below(random, 12);
    const std::string& other = some_seed(random);
    switch (below(random, 6)) {
      case 0: text.insert(at, 1, static_cast<char>(random())); break;
      case 1: text.erase(at, size); break;
      case 2: text.insert(at, other.substr(below(random, other.size()), size)); break;
      case 3: text.insert(at, text.substr(below(random, text.size()), 40)); break;
      case 4: if (at < text.size()) text[at] = static_cast<char>(random()); break;
      default: text.insert(at, 1, " \t\n\r#\0.e-"[below(random, 9)]);
    }
  }
  // Lines that are not the last are read many bytes at a time.
  if (below(random, 2)) text += "\n" + std::string(below(random, 120), '#');
  return text;
}

// Lines like those of a text, with other digits, so that tables and blocks grow.
std::string lengthen(Random& random, std::string text) {
  const std::string lines = text + '\n';
  for (std::size_t left = below(random, 3000); left > 0; --left) {
    const std::size_t start = lines.rfind('\n', below(random, lines.size())) + 1;
    std::string line = lines.substr(start, lines.find('\n', start) - start);
    for (char& c : line) {
      if (c >= '0' && c <= '9' && below(random, 3) == 0) c = static_cast<char>('0' + below(random, 10));
    }
    text += '\n' + line;
  }
  return text;
}

std::atomic<std::uint64_t> bytes_fed = 0;  // until the first problem of each text

// Whatever way a processor has to find white space, it finds the same.
bool finds_spaces_alike(Random& random) {
  std::vector<char> bytes(64 * (1 + below(random, 4)));
  for (char& c : bytes) c = below(random, 3) ? " \t\n\v\f\r\x08\x0e!\x7f\x80\x89\xa0\xff"[below(random, 14)] : 'a';
  if (below(random, 2)) bytes[below(random, bytes.size())] = static_cast<char>(random());
  const std::size_t words = bytes.size() / 64;
  std::vector<std::uint64_t> space(words), feed(words), best_space(words), best_feed(words);
  const bool is_text = poolwise::find_spaces(bytes.data(), words, space.data(), feed.data());
  const bool is_best =
      poolwise::best_find_spaces(bytes.data(), words, best_space.data(), best_feed.data());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool found = space[i / 64] >> i % 64 & 1, end = feed[i / 64] >> i % 64 & 1;
    if (found != poolwise::is_space(bytes[i]) || end != (bytes[i] == '\n')) return false;
  }
  const bool has_nul = std::find(bytes.begin(), bytes.end(), '\0') != bytes.end();
  return is_text == !has_nul && is_best == is_text && space == best_space && feed == best_feed;
}

// A number as lines mostly have it is the one that the general way finds.
bool reads_numbers_alike(Random& random) {
  std::string text;
  for (std::size_t left = below(random, 19); left > 0; --left) text += "0123456789.-e"[below(random, 13)];
  if (text.empty()) return true;
  double common = 0, any = 0;
  const std::string readable = text + "\t2345678";
  if (!poolwise::parse_common_number({readable.data(), text.size()}, common)) return true;
  return poolwise::parse_number(text, any) && common == any;
}

// Each piece is a copy of exactly its size, so that a read past it is seen.
void feed_in_pieces(Input* input, const std::string& text, Random random, std::size_t longest) {
  for (std::size_t at = 0, size; at < text.size(); at += size) {
    size = std::min(text.size() - at, 1 + below(random, longest));
    const std::vector<char> piece(text.data() + at, text.data() + at + size);
    bytes_fed.fetch_add(size, std::memory_order_relaxed);
    if (poolwise_input_feed(input, piece.data(), static_cast<std::int64_t>(size))) return;
  }
  poolwise_input_finish(input);
}

template <class T>
void append(std::string& digest, const std::vector<T>& values) {
  digest.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

struct Arrays {
  std::vector<char> topic_data, document_data;
  std::vector<std::int64_t> topic_offsets, starts, bytes, lists, offsets;
  std::vector<std::int32_t> rankings;
  std::vector<std::uint8_t> tied;
  std::vector<double> values;

  Arrays(const Sizes& sizes, std::size_t inputs)
      : topic_data(size(sizes.topic_bytes)), document_data(size(sizes.document_bytes)),
        topic_offsets(size(sizes.topics) + 1), starts(size(sizes.topics) + 1),
        bytes(size(sizes.topics) + 1), lists(inputs * size(sizes.topics) + 1),
        offsets(size(sizes.documents) + 1), rankings(size(sizes.entries)), tied(size(sizes.entries)),
        values(size(sizes.documents)) {}

  Tables tables(bool judgments) {
    return {topic_data.data(),    topic_offsets.data(), starts.data(),
            bytes.data(),         lists.data(),         document_data.data(),
            offsets.data(),       judgments ? nullptr : rankings.data(),
            tied.data(),          values.data()};
  }
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }
};

// The texts may be the parts of one run; parts that share a topic are refused.
bool sealed(Reader* reader, std::vector<Input*>& inputs, Sizes& sizes) {
  return !poolwise_seal(reader, inputs.data(), static_cast<std::int64_t>(inputs.size()), &sizes);
}

Arrays arrays(Reader* reader, std::vector<Input*>& inputs, const Sizes& sizes, bool judgments) {
  Arrays made(sizes, inputs.size());
  const Tables out = made.tables(judgments);
  poolwise_lay_out(reader, &out);
  poolwise_emit(reader, inputs.data(), static_cast<std::int64_t>(inputs.size()), &out, 2);
  return made;
}

std::string digest_of(const Arrays& read, bool judgments) {
  std::string digest;
  append(digest, read.topic_data);
  append(digest, read.document_data);
  append(digest, read.offsets);
  append(digest, read.lists);
  append(digest, judgments ? std::vector<std::int32_t>() : read.rankings);
  append(digest, read.values);
  return digest;
}

// Best ranks by topic: how many documents have each as theirs, down to the last that any has.
using Counts = std::map<std::string, std::vector<std::uint32_t>>;

const std::map<std::string, std::map<std::string, std::int8_t>> kMarks = {
    {"1", {{"a", 0}, {"b", -1}}},
    {"401", {{"FBIS4-68893", 2}, {"FT911-1", 3}}},
    {"1048585", {{"7187155", 4}}},
};

Counts counted(const Arrays& read, std::size_t runs) {
  const poolwise::IdTable topics{read.topic_data.data(), read.topic_offsets.data()};
  const poolwise::IdTable documents{read.document_data.data(), read.offsets.data()};
  const std::size_t count = read.starts.size() - 1;
  Counts counts;
  for (std::size_t t = 0; t < count; ++t) {
    const std::string topic(topics[static_cast<std::int64_t>(t)]);
    const auto judged = kMarks.find(topic);
    if (judged == kMarks.end()) continue;
    std::map<std::string, std::size_t> best;
    for (std::size_t list = t; list < runs * count; list += count) {
      const auto first = static_cast<std::size_t>(read.lists[list]);
      for (std::size_t i = first; i < static_cast<std::size_t>(read.lists[list + 1]); ++i) {
        const std::string document(documents[read.starts[t] + read.rankings[i]]);
        const auto mark = judged->second.find(document);
        if (mark != judged->second.end() && mark->second >= 0) continue;
        const auto [at, fresh] = best.try_emplace(document, i - first);
        if (!fresh) at->second = std::min(at->second, i - first);
      }
    }
    for (const auto& [document, rank] : best) {
      counts[topic].resize(std::max(counts[topic].size(), rank + 1));
      ++counts[topic][rank];
    }
  }
  return counts;
}

template <class Count>
Counts best_ranks(Reader* reader, std::vector<Input*>& inputs, const Sizes& sizes) {
  Arrays made(sizes, inputs.size());
  const Tables out = made.tables(false);
  poolwise_lay_out(reader, &out);
  const poolwise::IdTable topics{made.topic_data.data(), made.topic_offsets.data()};
  const auto depth = static_cast<std::size_t>(sizes.entries);
  std::vector<std::int64_t> rows;
  for (std::int64_t t = 0; t < sizes.topics; ++t) {
    rows.push_back(kMarks.count(std::string(topics[t])) ? t : -1);
  }
  std::vector<Count> found(rows.size() * depth);
  poolwise_emit_best_ranks(reader, inputs.data(), rows.data(), sizes.entries, found.data(), sizeof(Count));
  Counts counts;
  for (std::size_t at = 0; at < found.size(); ++at) {
    if (!found[at]) continue;
    auto& ranks = counts[std::string(topics[static_cast<std::int64_t>(at / depth)])];
    ranks.resize(at % depth + 1);
    ranks.back() = found[at];
  }
  return counts;
}

std::string digest_of(const Counts& counts) {
  std::string digest;
  for (const auto& [topic, ranks] : counts) {
    digest += topic;
    append(digest, ranks);
  }
  return digest;
}

std::string marks(Reader* reader, std::vector<Input*>& inputs, const Sizes& sizes) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(sizes.topics));
  std::iota(rows.begin(), rows.end(), -1);  // one topic is not wanted
  const auto depth = static_cast<std::size_t>(sizes.entries);
  std::vector<std::int8_t> found(inputs.size() * rows.size() * depth, -3);
  const poolwise::MarkTable out{rows.data(), sizes.topics, sizes.entries, found.data()};
  poolwise_emit_marks(reader, inputs.data(), &out);
  std::string digest;
  append(digest, found);
  return digest;
}

// How texts are read: what they are, and what must not matter.
struct Reading {
  std::vector<std::string> texts;
  poolwise::Options options{};
  bool one_run = false, marked = false;
  std::size_t longest = std::size_t{1} << 20;  // bytes at a time
  std::uint64_t seed = 0;
  bool threads = false;
};

struct Result {
  std::string digest;
  Counts best_ranks;
  bool complete = false;
};

void feed_all(std::vector<Input*>& inputs, const Reading& reading) {
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto work = [&, i] {
      feed_in_pieces(inputs[i], reading.texts[i], Random(reading.seed + i), reading.longest);
    };
    if (reading.threads) {
      running.emplace_back(work);
    } else {
      work();
    }
  }
  for (std::thread& thread : running) thread.join();
}

// What is told of the inputs; true when none has a problem.
bool reports(const std::vector<Input*>& inputs, std::string& digest) {
  bool fine = true;
  for (const Input* input : inputs) {
    Report report;
    poolwise_input_report(input, &report);
    digest += std::to_string(report.problem.code) + ' ' + std::to_string(report.problem.line) + ' ' +
              std::to_string(report.problem.other) +
              std::string(report.problem.text, Arrays::size(report.problem.length));
    // What was counted before a problem was met depends on how many lines were at hand.
    if (report.problem.code == poolwise::kFine) {
      digest += std::to_string(report.skipped) + ' ' + std::to_string(report.repeated) + ' ' +
                std::to_string(report.guessed) + ' ' + std::to_string(report.longer) + ' ' +
                std::to_string(report.renamed);
    }
    fine = fine && report.problem.code == poolwise::kFine;
  }
  return fine;
}

void emit(Reader* reader, std::vector<Input*>& inputs, const Reading& reading, const Sizes& sizes,
          Result& result) {
  if (reading.marked) {
    result.best_ranks = reading.seed % 2 ? best_ranks<std::uint8_t>(reader, inputs, sizes)
                                         : best_ranks<std::uint32_t>(reader, inputs, sizes);
    result.digest += digest_of(result.best_ranks) + marks(reader, inputs, sizes);
  } else {
    const bool judgments = reading.options.judgments != 0;
    const Arrays read = arrays(reader, inputs, sizes, judgments);
    if (!judgments) result.best_ranks = counted(read, reading.one_run ? 1 : inputs.size());
    result.digest += digest_of(read, judgments);
  }
}

Judged* judged_by_marks() {
  std::string topics, documents;
  std::vector<std::int64_t> topic_offsets{0}, offsets{0}, starts{0};
  std::vector<std::int8_t> grades;
  for (const auto& [topic, judged] : kMarks) {
    topics += topic;
    topic_offsets.push_back(static_cast<std::int64_t>(topics.size()));
    for (const auto& [document, grade] : judged) {
      documents += document;
      offsets.push_back(static_cast<std::int64_t>(documents.size()));
      grades.push_back(grade);
    }
    starts.push_back(static_cast<std::int64_t>(grades.size()));
  }
  return poolwise_judged_new(topics.data(), topic_offsets.data(), static_cast<std::int64_t>(kMarks.size()),
                             documents.data(), offsets.data(), starts.data(), grades.data(), -2, 1);
}

// Everything that a reading tells, under a secret of its own.
Result read(const Reading& reading, Random& random) {
  poolwise::secret = {random(), random() | 1};
  Judged* judged = reading.marked ? judged_by_marks() : nullptr;
  Reader* reader = poolwise_reader_new(reading.one_run);
  std::vector<Input*> inputs;
  for (std::size_t i = 0; i < reading.texts.size(); ++i) {
    inputs.push_back(poolwise_input_new(reader, &reading.options, judged));
  }
  feed_all(inputs, reading);
  Result result;
  Sizes sizes;
  result.complete = reports(inputs, result.digest) && sealed(reader, inputs, sizes);
  if (result.complete) emit(reader, inputs, reading, sizes, result);
  for (Input* input : inputs) poolwise_input_free(input);
  poolwise_reader_free(reader);
  if (judged) poolwise_judged_free(judged);
  return result;
}

// Empty, or what is wrong.
std::string complaint(Random& random) {
  const auto pick = [&](std::size_t limit) { return static_cast<std::int32_t>(below(random, limit)); };
  Reading reading;
  reading.options = {pick(2), pick(5), pick(4), pick(4), pick(2)};
  reading.texts.resize(1 + below(random, 3));
  const std::string& common = some_seed(random);  // so that runs share topics and documents
  for (std::string& text : reading.texts) {
    text = mutate(random, below(random, 2) ? common : some_seed(random));
    if (below(random, 20) == 0) text = lengthen(random, text);
  }
  reading.one_run = reading.texts.size() == 1 || below(random, 2) == 0;
  reading.marked = !reading.options.judgments && below(random, 2);
  const Result whole = read(reading, random);
  Reading cut = reading;
  cut.longest = 1 + below(random, 200);
  cut.seed = random();
  cut.threads = cut.texts.size() > 1;
  if (whole.digest != read(cut, random).digest) return "the result depends on cuts, threads or secret";
  if (!reading.marked || !whole.complete) return {};
  reading.marked = false;
  const Result collected = read(reading, random);
  if (!collected.complete) return "marks were read where documents cannot be";
  return collected.best_ranks == whole.best_ranks ? "" : "the best ranks are not those of the lists";
}

// Lists longer than any text, of documents that are nothing but hashes.
std::string complaint_about_long_lists(Random& random) {
  std::vector<std::uint64_t> documents(1 + below(random, 6000));
  for (std::uint64_t& document : documents) document = random();
  poolwise::BestRanks ranks;
  std::map<std::uint64_t, std::size_t> best;
  for (std::size_t lists = 1 + below(random, 6); lists > 0; --lists) {
    std::shuffle(documents.begin(), documents.end(), random);
    const std::size_t length = 1 + below(random, documents.size());
    ranks.admit(length);
    for (std::size_t i = 0; i < length; ++i) {
      ranks.prefetch(documents[i]);
      ranks.put(documents[i], i + 1);
      const auto [at, fresh] = best.try_emplace(documents[i], i);
      if (!fresh) at->second = std::min(at->second, i);
    }
  }
  std::vector<std::uint32_t> found(documents.size()), wanted(documents.size());
  ranks.count(found.data());
  for (const auto& [document, rank] : best) ++wanted[rank];
  return found == wanted ? "" : "the best ranks are not those of long lists";
}

}  // namespace

int main(int count, char** arguments) {
  const long iterations = count > 1 ? std::atol(arguments[1]) : 100000;
  const unsigned long seed = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1;
  const std::chrono::seconds most(count > 3 ? std::atol(arguments[3]) : 1000000);
  const auto start = std::chrono::steady_clock::now();
  long i = 0;
  for (; i < iterations && std::chrono::steady_clock::now() - start < most; ++i) {
    Random random(seed * 1000003 + static_cast<unsigned long>(i));
    const std::string wrong = !finds_spaces_alike(random)   ? "white space is found in two ways"
                              : !reads_numbers_alike(random) ? "a number is read in two ways"
                              : i % 200                      ? complaint(random)
                                                             : complaint_about_long_lists(random);
    if (!wrong.empty()) {
      std::printf("iteration %ld of seed %lu: %s\n", i, seed, wrong.c_str());
      return 1;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const auto bytes = static_cast<double>(bytes_fed.load());
  std::printf("%ld mutated collections, seed %lu, %.0f bytes (%.0f a second): no complaint\n", i, seed, bytes,
              bytes / std::max(took.count(), 1e-9));
}
