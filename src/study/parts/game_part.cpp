#include "study/parts/game_part.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/sha256.h"
#include "game/subcubes.h"
#include "methods/question_game.h"
#include "study/absence.h"
#include "study/decompose_question.h"
#include "study/parts/part_folder.h"
#include "study/parts/part_writer.h"

namespace ascribe::core::study {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kSliceValues = int64_t{1} << 14;
constexpr double kPaceSeconds = 0.3;  // for which the pace is measured, unless so many sets take less
constexpr int64_t kMostPaceSets = int64_t{1} << 20;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// "3.5 GB", "12 MB"
std::string bytes_text(double bytes) {
  for (const char* unit : {"bytes", "kB", "MB", "GB", "TB"}) {
    if (bytes < 1000 || *unit == 'T') return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= 1000;
  }
  return "";
}

// "45 seconds", "3.2 hours", "12 days"
std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} seconds", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} minutes", seconds / 60);
  if (seconds < 172800) return fmt::format("{:.3g} hours", seconds / 3600);
  return fmt::format("{:.3g} days", seconds / 86400);
}

void check_request(const GamePartRequest& request) {
  const DecomposeRequest& what = request.what;
  check_decomposition(what);
  const InteractionIndex* index = index_of(what);
  if (what.samples > 0 || what.taylor > 0 || what.and_or || (what.order > 0 && index == nullptr)) {
    fail(ErrorKind::argument, "shard",
         "all effects of one game are shared among processes; expected no `samples`, no `taylor`, no `and-or` and no "
         "`order` but of an `index`");
  }
  if (index != nullptr && index->superset_weight == nullptr) {
    fail(ErrorKind::unsupported, "index",
         "{} needs the values of all coalitions at once; expected one that is a sum over effects, such as sii, "
         "shapley, banzhaf, stii or fsii",
         index->name);
  }
}

void check_players(const RowQuestion& question) {
  const int64_t players = question.players.count();
  if (players <= kMostSharedPlayers) return;
  fail(ErrorKind::argument, "players",
       "{} players ({}) would take 2^{} evaluations of the model, more than many machines can do; expected at most {} "
       "players, or `order` 2 without `shard`",
       players, question.players.description, players, kMostSharedPlayers);
}

// Evaluations a second, once the model is warm.
double measured_pace(Game& game, const Progress& progress) {
  const int64_t most = std::min(kMostPaceSets, int64_t{1} << std::min<int64_t>(game.players(), 40));
  const auto time_of = [&](int64_t sets) {
    Coalitions some(game.players());
    for (int64_t i = 0; i < sets; ++i) some.add(static_cast<uint64_t>(i));
    const auto start = Clock::now();
    game.values(some, progress);
    return seconds_since(start);
  };
  time_of(std::min<int64_t>(most, 16));
  int64_t sets = std::min<int64_t>(most, 64);
  double seconds = time_of(sets);
  while (seconds < kPaceSeconds && sets < most) {
    sets = std::min(most, 4 * sets);
    seconds = time_of(sets);
  }
  return static_cast<double>(sets) / std::max(seconds, 1e-9);
}

double bytes_of_parts(int64_t players) { return 8 * std::ldexp(1.0, static_cast<int>(players)); }

// Says what the game takes, all of it, and refuses it unless that was agreed to.
void check_cost(const DecomposedQuestion& asked, const GamePartRequest& request, Game& game,
                std::vector<std::string>& notes, const Progress& progress) {
  const int64_t players = asked.question.players.count();
  if (players <= kMostExactPlayers) return;
  const double pace = measured_pace(game, progress), sets = std::ldexp(1.0, static_cast<int>(players));
  const std::string cost = fmt::format(
      "{} players ({}) take 2^{} = {:.3g} evaluations of the model and {} of files; at the {:.3g} evaluations a second "
      "of this process that is {}, or {} for each of {} shards",
      players, asked.question.players.description, players, sets, bytes_text(bytes_of_parts(players)), pace,
      time_text(sets / pace), time_text(sets / pace / static_cast<double>(request.shard.count)), request.shard.count);
  if (request.what.at_any_cost) {
    notes.push_back(cost);
    return;
  }
  fail(ErrorKind::argument, "players", "{}; expected at most {} players, or `force`, which agrees to that", cost,
       kMostExactPlayers);
}

void check_room(const GamePartRequest& request, double bytes) {
  std::error_code error;
  const fs::path folder(request.folder);
  const fs::space_info space = fs::space(fs::exists(folder) ? folder : fs::absolute(folder).parent_path(), error);
  if (error || static_cast<double>(space.available) >= bytes) return;
  fail(ErrorKind::io, request.folder, "the parts of this shard take {}; got {} free", bytes_text(bytes),
       bytes_text(static_cast<double>(space.available)));
}

std::string hash_of_tensor(const Tensor& values) {
  return sha256({static_cast<const char*>(values.memory()), values.bytes()});
}

std::string model_name(const Subject& subject) {
  const std::string hash = subject.hash();
  return hash.empty() ? subject.path() : hash;
}

std::string hash_of_owners(const Players& players) {
  return sha256({reinterpret_cast<const char*>(players.owner.data()), players.owner.size() * sizeof(int32_t)});
}

PartHeader header_of(const DecomposedQuestion& asked, const DecomposeRequest& request) {
  const RowQuestion& question = asked.question;
  Json point = Json::list();
  for (const Tensor& tensor : question.point) point.push(hash_of_tensor(tensor));
  const InteractionIndex* index = index_of(request);
  PartHeader header;
  header.kind = kGameKind;
  header.model = model_name(asked.subject);
  header.seed = request.run.seed;
  header.precision = asked.subject.model().precision() == DType::f64 ? "double" : "float";
  header.settings = Json::object({{"players", question.players.names},
                                  {"grouping", question.players.description},
                                  {"owners_sha256", hash_of_owners(question.players)},
                                  {"rows_sha256", std::move(point)},
                                  {"baselines_sha256", hash_of_tensor(question.baselines)},
                                  {"target", target_json(question)},
                                  {"explains", question.explains},
                                  {"output", question.output},
                                  {"absence", absence_text(question)},
                                  {"index", index == nullptr ? "" : index->name},
                                  {"order", request.order}});
  header.items = GameParts{static_cast<int>(question.players.count())}.items();
  header.about = Json::object({{"title", question.title(asked.subject.name())},
                               {"baselines", question.baselines_text()},
                               {"question", decomposed_json(asked.subject.path(), question)}});
  return header;
}

// Whether the part is there and whole. One of other work is refused; one that is damaged does not count.
bool is_there(const fs::path& folder, const PartHeader& header) {
  const fs::path path = folder / header.file_name();
  if (!fs::exists(path)) return false;
  std::string other;
  try {
    PartReader part(path);
    other = differences(part.header(), header);
    while (other.empty() && part.next()) {
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    return false;
  }
  if (other.empty()) return true;
  fail(ErrorKind::io, path.string(), "the part is of other work; {}; expected another folder", other);
}

std::vector<PartBlock> blocks_of(const Subcube& subcube, const GameParts& parts, int64_t number) {
  std::vector<PartBlock> blocks;
  const int64_t size = parts.slice_size(), first_item = number * parts.slices();
  for (int64_t slice = 0; slice < parts.slices(); ++slice) {
    PartBlock& block = blocks.emplace_back();
    block.items = {{first_item + slice, first_item + slice + 1}};
    block.body.resize(static_cast<size_t>(size + 1) * sizeof(double));
    std::memcpy(block.body.data(), &subcube.last_value, sizeof(double));
    std::memcpy(block.body.data() + sizeof(double), subcube.values.data() + slice * size,
                static_cast<size_t>(size) * sizeof(double));
  }
  return blocks;
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "parts of games are little-endian");

int64_t GameParts::slice_size() const { return std::min(subcubes_of(players).size(), kSliceValues); }
int64_t GameParts::slices() const { return subcubes_of(players).size() / slice_size(); }
int64_t GameParts::items() const { return subcubes_of(players).count() * slices(); }
Items GameParts::items_of_subcube(int64_t number) const { return {{number * slices(), (number + 1) * slices()}}; }

GamePartResult game_part(const Subject& given, const GamePartRequest& request) {
  check_request(request);
  Running running(request.what.run);
  std::vector<std::string> notes;
  const DecomposedQuestion asked = decomposed_question(given, request.what, running, notes, check_players);
  if (asked.trees) {
    fail(ErrorKind::argument, "shard",
         "what is explained is a sum over decision trees, whose effects are read off their leaves without evaluations; "
         "expected no `shard`");
  }
  Game game =
      asked.question.absence.conditional()
          ? question_game(asked.subject.explained(request.what.question.options(asked.question)), asked.question)
          : masked_model_game(asked.masked);
  check_cost(asked, request, game, notes, running.progress());
  running.note(notes);

  const auto players = static_cast<int>(asked.question.players.count());
  const Subcubes subcubes = subcubes_of(players);
  const GameParts parts{players};
  PartHeader header = header_of(asked, request.what);
  const auto start = Clock::now();
  GamePartResult result;
  result.model = asked.subject.path();
  result.title = asked.question.title(asked.subject.name());
  result.players = players;
  result.subcubes = subcubes.count();
  result.bytes = bytes_of_parts(players);
  std::vector<int64_t> missing;
  for (int64_t number = request.shard.number - 1; number < subcubes.count(); number += request.shard.count) {
    ++result.mine;
    header.holds = parts.items_of_subcube(number);
    if (!is_there(request.folder, header)) missing.push_back(number);
  }
  check_room(request, static_cast<double>(missing.size() * 8) * static_cast<double>(subcubes.size()));
  running.begin(1);
  const int64_t before = game.evaluations();
  for (const int64_t number : missing) {
    const Subcube subcube =
        evaluate_subcube(game, subcubes, number, [&](std::string_view task, int64_t done, int64_t size) {
          report(running.progress(), task, result.computed * size + done, std::ssize(missing) * size);
        });
    header.holds = parts.items_of_subcube(number);
    write_part(request.folder, header, blocks_of(subcube, parts, number), true);
    ++result.computed;
  }
  result.evaluations = game.evaluations() - before;
  result.seconds = seconds_since(start);
  result.notes = running.notes();
  return result;
}

Json to_json(const GamePartResult& result) {
  return Json::object({{"model", result.model},
                       {"title", result.title},
                       {"players", result.players},
                       {"subcubes", result.subcubes},
                       {"of_this_shard", result.mine},
                       {"computed", result.computed},
                       {"evaluations", result.evaluations},
                       {"bytes_of_all_parts", result.bytes},
                       {"seconds", result.seconds},
                       {"notes", result.notes}});
}

}  // namespace ascribe::core::study
