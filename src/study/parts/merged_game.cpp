#include "study/parts/merged_game.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/finite.h"
#include "base/output_file.h"
#include "game/effect_stream.h"
#include "game/subcubes.h"
#include "game/subsets.h"
#include "study/decompose_question.h"
#include "study/parts/game_part.h"

namespace ascribe::core::study {

namespace {

// The slices of all subcubes.
class GameReader {
 public:
  GameReader(const WholeWork& work, int players) : work_(work), subcubes_(subcubes_of(players)), parts_{players} {
    if (work.header().items != parts_.items() || std::ssize(work.places()) != parts_.items()) {
      fail(ErrorKind::io, work.parts().front(), "the part is not of a game: {} players have {} items; got {}", players,
           parts_.items(), work.header().items);
    }
  }
  // v of the last set of a subcube.
  double last_value(int64_t number) const { return slice(number * parts_.slices())[0]; }
  double first_value() const { return slice(0)[1]; }

  void read(int64_t number, int64_t first, std::span<double> out) const {
    // Pieces are powers of two: several slices, or part of one.
    const int64_t size = parts_.slice_size();
    for (int64_t done = 0; done < std::ssize(out);) {
      const int64_t at = first + done, inside = at % size;
      const int64_t count = std::min(size - inside, std::ssize(out) - done);
      const std::vector<double> values = slice(number * parts_.slices() + at / size);
      std::copy_n(values.begin() + 1 + inside, count, out.begin() + done);
      done += count;
    }
  }

 private:
  std::vector<double> slice(int64_t item) const {
    const WholeWork::Place& place = work_.places()[static_cast<size_t>(item)];
    const PartBlock block = [&] {
      const std::lock_guard lock(mutex_);
      return work_.block(place);
    }();
    const auto count = static_cast<size_t>(parts_.slice_size()) + 1;
    if (place.range != ItemRange{item, item + 1} || block.body.size() != count * sizeof(double)) {
      fail(ErrorKind::io, work_.parts()[place.part], "the part is not of a game: a block has {} bytes; expected {}",
           block.body.size(), count * sizeof(double));
    }
    std::vector<double> values(count);
    std::memcpy(values.data(), block.body.data(), block.body.size());
    for (const double value : values) {
      if (!std::isfinite(value)) {
        fail(ErrorKind::numeric, work_.parts()[place.part], "a value of the game is {}", number_in_words(value));
      }
    }
    return values;
  }

  const WholeWork& work_;
  Subcubes subcubes_;
  GameParts parts_;
  mutable std::mutex mutex_;
};

// The dividends of all sets in a file of NumPy's, written wherever they come.
class TableFile {
 public:
  TableFile(const std::string& path, int players, bool overwrite)
      : header_(npy_preamble("<f8", {int64_t{1} << players})),
        file_(path, overwrite, header_.size() + (size_t{8} << players)) {
    file_.write_at(0, header_);
  }
  void take(uint64_t first, std::span<const double> dividends) {
    file_.write_at(static_cast<int64_t>(header_.size() + 8 * first),
                   {reinterpret_cast<const char*>(dividends.data()), dividends.size() * sizeof(double)});
  }
  void finish() { file_.finish(); }

 private:
  std::string header_;
  OutputFile file_;
};

Effects index_effects(const EffectSummary& summary, int order, const std::vector<double>& values) {
  Effects effects;
  effects.players = summary.players;
  effects.order = order;
  effects.output = summary.output;
  effects.baseline_output = summary.baseline_output;
  effects.evaluations = summary.evaluations;
  effects.remainder = summary.change();
  const std::vector<uint64_t> sets = sets_up_to(static_cast<int>(summary.players), order);
  for (size_t i = 0; i < sets.size(); ++i) {
    effects.effects.push_back({members_of(sets[i]), {}, values[i]});
    effects.remainder -= values[i];
  }
  return effects;
}

void check_memory(const Subcubes& subcubes, size_t memory) {
  const size_t least = least_memory_to_join(subcubes);
  if (memory >= least) return;
  fail(ErrorKind::argument, "memory", "a block of each of {} subcubes takes {} MiB; got {} MiB", subcubes.count(),
       least >> 20, memory >> 20);
}

}  // namespace

MergedGame merged_game(const WholeWork& work, const MergedGameRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  work.check();
  Running running(request.run);
  const PartHeader& header = work.header();
  const std::string& where = work.parts().front();
  if (header.kind != kGameKind) {
    fail(ErrorKind::io, where, "the part is of kind {}; expected {}", header.kind, kGameKind);
  }
  const JsonPlace settings(header.settings, where), about(header.about, where);
  MergedGame result;
  result.title = about.text("title");
  result.baselines = about.text("baselines");
  about.at("question").members();
  result.question = about.at("question").json();
  result.players = settings.at("players").texts();
  result.grouping = settings.text("grouping");
  result.parts = std::ssize(work.parts());
  if (std::ssize(result.players) > kMostSharedPlayers) settings.at("players").refuse("has too many players");
  const auto players = static_cast<int>(result.players.size());
  const Subcubes subcubes = subcubes_of(players);
  check_memory(subcubes, request.memory);

  DecomposeRequest asked;
  asked.index = settings.text("index");
  asked.order = static_cast<int>(settings.at("order").whole(0, 64));
  result.index = index_of(asked);
  std::vector<SupersetWeight> weights = {{index_named("shapley").superset_weight, 1},
                                         {index_named("banzhaf").superset_weight, 1}};
  const int order = result.index == nullptr ? 0 : std::min(index_order(asked, *result.index), players);
  if (result.index != nullptr) weights.push_back({result.index->superset_weight, order});

  const GameReader reader(work, players);
  const double output = reader.last_value(subcubes.count() - 1), baseline_output = reader.first_value();
  const DType precision = header.precision == "double" ? DType::f64 : DType::f32;
  EffectStream stream(players, output, baseline_output, summary_options(precision, request.top), weights);
  std::optional<TableFile> table;
  if (!request.table.empty()) table.emplace(request.table, players, request.overwrite);
  join_subcubes(
      subcubes, [&](int64_t number, int64_t first, std::span<double> out) { reader.read(number, first, out); },
      request.memory,
      [&](uint64_t first, std::span<const double> dividends) {
        stream.add(first, dividends);
        if (table) table->take(first, dividends);
      },
      running.progress());
  if (table) table->finish();
  result.summary = stream.summary();
  result.summary.evaluations = int64_t{1} << players;
  result.shapley = stream.superset_sums(0);
  result.banzhaf = stream.superset_sums(1);
  if (result.index != nullptr) result.index_values = index_effects(result.summary, order, stream.superset_sums(2));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Json to_json(const MergedGame& result) {
  Json json = result.question;
  json.update(effects_json(result.summary, true));
  json["shapley"] = result.shapley;
  json["banzhaf"] = result.banzhaf;
  if (result.index != nullptr) {
    json["index"] = Json::object(
        {{"name", result.index->name}, {"order", result.index_values.order}, {"effects", result.index_values.effects}});
  }
  json["evaluations"] = result.summary.evaluations;
  json["parts"] = result.parts;
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace ascribe::core::study
