// Texts of options: players, baselines, times, shards, rows, ways of being absent. Each reader gets the same text.
#include <cmath>
#include <functional>

#include "data/rows.h"
#include "fuzz/target.h"
#include "game/absence.h"
#include "game/baseline.h"
#include "game/players.h"
#include "study/budget.h"
#include "study/parts/shard.h"

namespace ascribe::core::fuzz::target_options {
namespace {

const ImageShape kImage{PixelLayout::chw, 3, 4, 4, 0, false};

Tensor row() {
  Tensor x(DType::f64, {3, 4, 4});
  auto values = x.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  return x;
}

void players(const std::string& text) {
  if (text.starts_with("groups:")) return;  // a file
  const Tensor x = row();
  for (const Players& made : {make_players({text, {3, 4, 4}, kImage, {}, &x}),
                              make_players({text, {6}, std::nullopt, {"a", "b", "c", "d", "e", "f"}, nullptr})}) {
    for (const int32_t owner : made.owner) hold(owner >= -1 && owner < made.count(), "elements belong to players");
  }
}

void baselines(const std::string& text) {
  if (baseline_file(text)) return;
  const Tensor x = row();
  const Tensor made = make_baselines({text, &x, {3, 4, 4}, kImage, std::nullopt, 1});
  for (int64_t i = 0; i < made.size(); ++i) hold(std::isfinite(made.at(i)), "baselines are finite");
}

void times(const std::string& text) {
  const study::Budget budget = study::Budget::parse(text);
  hold(!budget.limited() || (std::isfinite(*budget.seconds) && *budget.seconds > 0),
       "a time is more than 0 and finite");
  if (budget.limited()) study::seconds_text(*budget.seconds);
}

void shards(const std::string& text) {
  const auto shard = study::parse_shard(text, [&](const char*) { return text.c_str(); });
  hold(shard.number >= 1 && shard.number <= shard.count, "a shard is one of them");
  hold(study::count_of(study::items_of(shard, 100, 7)) <= 100, "a shard has items of the work");
}

void rows(const std::string& text) {
  for (const int64_t one : select_rows({text}, 12, "row", "fuzz")) hold(one >= 0 && one < 12, "rows are there");
}

void absences(const std::string& text) {
  const Absence absence = absence_named(text);
  hold(std::isfinite(absence.width) && absence.width >= 0, "a width is finite");
  to_words(absence);
}

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  for (void (*reader)(const std::string&) : {players, baselines, times, shards, rows, absences}) {
    try {
      reader(text);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
    }
  }
}

const RegisterTarget registered({"options", "texts of options", Form::bytes, 64, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_options
