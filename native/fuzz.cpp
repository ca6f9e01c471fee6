// Feeds the scanner mutated files, in random cuts and from two threads, under the sanitizers.
//
//   fuzz [iterations [seed]]
//
// Two things are checked beyond the sanitizers' own: where the bytes are cut, and which thread comes
// first, change nothing in the result.

#include <cstdio>
#include <random>
#include <thread>

#include "scanner.cpp"

namespace {

using Random = std::mt19937_64;

const std::vector<std::string> kSeeds = {
    "401 Q0 FBIS4-20472 1 320 tag\n401 Q0 FBIS4-68893 2 251 tag\n402 Q0 FT911-1 1 1e-3 tag\n",
    "\xEF\xBB\xBF" "1\tQ0\ta\t1\t+.5\tx\r\n\r\n# note\n1 Q0 b 2 .5 x more\r\n1 Q0 a 3 0.5 x",
    "1048585\t7187155\t1\n1048585\t7187156\t2\n2\t7187155\t1\n",
    "query-id\tcorpus-id\tscore\n1\tdoc one\t2\n1\tb\t0\n",
    "1 0 a 1\n1 0 b -1\n2 0 clueweb09-en0000-00-00000 0.25\n2 0 clueweb09-en0000-00-00001 1\n",
    "1\x1f" "a b\x1f" "0.5\x1f" "0\n1\x1f#c\x1f" "-1e300\x1f" "1",
    "nan inf -Infinity 1e999 1e-999 0x1p3 +-1 . e5 123456789012345678901234567890",
};

std::size_t below(Random& random, std::size_t limit) { return random() % std::max<std::size_t>(limit, 1); }

std::string mutate(Random& random) {
  std::string text = kSeeds[below(random, kSeeds.size())];
  for (std::size_t edits = below(random, 8); edits > 0; --edits) {
    const std::size_t at = below(random, text.size() + 1), size = below(random, 12);
    const std::string& other = kSeeds[below(random, kSeeds.size())];
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

// Each piece is a copy of exactly its size, so that a read past it is seen.
void feed_in_pieces(Input* input, const std::string& text, Random random, std::size_t longest) {
  for (std::size_t at = 0, size; at < text.size(); at += size) {
    size = std::min(text.size() - at, 1 + below(random, longest));
    const std::vector<char> piece(text.data() + at, text.data() + at + size);
    if (poolwise_input_feed(input, piece.data(), static_cast<std::int64_t>(size))) return;
  }
  poolwise_input_finish(input);
}

template <class T>
void append(std::string& digest, const std::vector<T>& values) {
  digest.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string tables(Reader* reader, std::vector<Input*>& inputs, bool judgments) {
  const auto count = static_cast<std::int64_t>(inputs.size());
  Sizes sizes;
  // The texts may be the parts of one run; parts that share a topic are refused.
  if (poolwise_seal(reader, inputs.data(), count, &sizes)) return "shared";
  const auto topics = static_cast<std::size_t>(sizes.topics);
  const auto documents = static_cast<std::size_t>(sizes.documents);
  const auto entries = static_cast<std::size_t>(sizes.entries);
  std::vector<char> topic_data(static_cast<std::size_t>(sizes.topic_bytes));
  std::vector<char> document_data(static_cast<std::size_t>(sizes.document_bytes));
  std::vector<std::int64_t> topic_offsets(topics + 1), starts(topics + 1), bytes(topics + 1),
      lists(inputs.size() * topics + 1), offsets(documents + 1);
  std::vector<std::int32_t> rankings(entries);
  std::vector<std::uint8_t> tied(entries);
  std::vector<double> values(documents);
  const Tables out{topic_data.data(),    topic_offsets.data(), starts.data(),
                   bytes.data(),         lists.data(),         document_data.data(),
                   offsets.data(),       judgments ? nullptr : rankings.data(),
                   tied.data(),          values.data()};
  poolwise_lay_out(reader, &out);
  poolwise_emit(reader, inputs.data(), count, &out, 2);
  std::string digest;
  append(digest, topic_data);
  append(digest, document_data);
  append(digest, offsets);
  append(digest, lists);
  append(digest, judgments ? std::vector<std::int32_t>() : rankings);
  append(digest, values);
  return digest;
}

std::string marks(Reader* reader, std::vector<Input*>& inputs) {
  Sizes sizes;
  if (poolwise_seal(reader, inputs.data(), static_cast<std::int64_t>(inputs.size()), &sizes)) {
    return "shared";
  }
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

// Everything that a reading tells, as bytes to compare.
std::string read(const std::vector<std::string>& texts, const poolwise::Options& options, bool one_run,
                 const Judged* judged, std::uint64_t seed, std::size_t longest, bool threads) {
  Reader* reader = poolwise_reader_new(one_run || texts.size() == 1);
  std::vector<Input*> inputs;
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    inputs.push_back(poolwise_input_new(reader, &options, judged));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto work = [&, i] { feed_in_pieces(inputs[i], texts[i], Random(seed + i), longest); };
    if (threads) {
      running.emplace_back(work);
    } else {
      work();
    }
  }
  for (std::thread& thread : running) thread.join();
  std::string digest;
  bool fine = true;
  for (const Input* input : inputs) {
    Report report;
    poolwise_input_report(input, &report);
    digest += std::to_string(report.problem.code) + ' ' + std::to_string(report.problem.line) + ' ' +
              std::to_string(report.problem.other) + ' ' + std::to_string(report.skipped) + ' ' +
              std::to_string(report.repeated) + std::string(report.problem.text, 8);
    fine = fine && report.problem.code == poolwise::kFine;
  }
  if (fine && judged) digest += marks(reader, inputs);
  if (fine && !judged) digest += tables(reader, inputs, options.judgments != 0);
  for (Input* input : inputs) poolwise_input_free(input);
  poolwise_reader_free(reader);
  return digest;
}

Judged* some_judgments() {
  const char* topics = "140148585";
  const char* documents = "abFBIS4-68893FT911-17187155";
  const std::int64_t topic_offsets[] = {0, 1, 4, 9}, offsets[] = {0, 1, 2, 13, 20, 27};
  const std::int64_t starts[] = {0, 2, 4, 5};
  const std::int8_t grades[] = {0, 1, 2, 3, 4};
  return poolwise_judged_new(topics, topic_offsets, 3, documents, offsets, starts, grades, -2);
}

bool agrees(Random& random, const Judged* judged) {
  const auto pick = [&](std::size_t limit) { return static_cast<std::int32_t>(below(random, limit)); };
  const poolwise::Options options{pick(2), pick(5), pick(4), pick(4), pick(2)};
  std::vector<std::string> texts(1 + below(random, 2));
  for (std::string& text : texts) text = mutate(random);
  const bool one_run = below(random, 2) == 0;
  if (options.judgments || below(random, 2)) judged = nullptr;
  const std::string whole = read(texts, options, one_run, judged, 0, std::size_t{1} << 20, false);
  const std::size_t longest = 1 + below(random, 200);
  return whole == read(texts, options, one_run, judged, random(), longest, texts.size() > 1);
}

}  // namespace

int main(int count, char** arguments) {
  const long iterations = count > 1 ? std::atol(arguments[1]) : 100000;
  const unsigned long seed = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1;
  Judged* judged = some_judgments();
  for (long i = 0; i < iterations; ++i) {
    Random random(seed * 1000003 + static_cast<unsigned long>(i));
    if (!agrees(random, judged)) {
      std::printf("iteration %ld of seed %lu: the result depends on the cuts or the threads\n", i, seed);
      return 1;
    }
  }
  poolwise_judged_free(judged);
  std::printf("%ld mutated files, seed %lu: no complaint\n", iterations, seed);
}
