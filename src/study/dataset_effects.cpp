// Every set of the strongest features masked, in a few rows: how many features act together, and which two.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "methods/question_game.h"
#include "study/dataset_parts.h"
#include "study/partners.h"
#include "study/report_sections.h"

namespace ascribe::core::study {

namespace {

using document::DatasetDocument, document::number;

constexpr size_t kMostTaken = 10;  // features that are masked one by one; the others are one more
constexpr size_t kFewestTaken = 3;
constexpr double kShareOfEffects = 0.25, kMostOfEffects = 0.5;  // of the time that is left
constexpr double kRowsWithoutLimit = 2e5;                       // masked rows, where there is no limit
constexpr size_t kMostDependences = 6, kFewestRows = 5;
constexpr double kNothing = 1e-9;

// The question with these features, and one player that has all others.
RowQuestion with_features(const RowQuestion& question, const std::vector<size_t>& taken) {
  RowQuestion few = question;
  std::vector<int32_t> place(question.players.names.size(), -1);
  few.players.names.clear();
  for (size_t i = 0; i < taken.size(); ++i) {
    place[taken[i]] = static_cast<int32_t>(i);
    few.players.names.push_back(question.players.names[taken[i]]);
  }
  const bool rest = taken.size() < place.size();
  if (rest) few.players.names.emplace_back("all others");
  for (int32_t& owner : few.players.owner) {
    if (owner < 0) continue;
    const int32_t own = place[static_cast<size_t>(owner)];
    owner = own < 0 ? static_cast<int32_t>(taken.size()) : own;
  }
  return few;
}

struct Taken {
  std::vector<size_t> features;
  size_t players = 0, rows = 0;
};

// As many features as leave time for some rows, then as many rows as there is time for.
Taken what_fits(const DatasetDocument& document, const StudiedRows& studied, double rows_of_network, double baselines) {
  Taken taken;
  size_t count = std::min(kMostTaken, document.drawn.size());
  const auto players = [&](size_t features) { return features + (features < document.features.size() ? 1 : 0); };
  const auto cost = [&](size_t features) { return std::exp2(static_cast<double>(players(features))) * baselines; };
  while (count > kFewestTaken && cost(count) * static_cast<double>(kFewestRows) > rows_of_network) --count;
  taken.features.assign(document.drawn.begin(), document.drawn.begin() + static_cast<int64_t>(count));
  taken.players = players(count);
  const double fits = rows_of_network / cost(count);
  taken.rows = std::min(studied.kept.size(), static_cast<size_t>(std::max(0.0, fits)));
  return taken;
}

struct Measured {
  std::vector<std::vector<double>> shares;  // [order][row]
  std::vector<double> joint;                // means of magnitudes, [i * players + j]
  int64_t undefined = 0;
};

Measured measure(const StudiedRows& studied, const Taken& taken, ExplainedModel& model, const Progress& progress) {
  Measured measured{std::vector<std::vector<double>>(taken.players), {}, 0};
  measured.joint.assign(taken.players * taken.players, 0.0);
  for (size_t r = 0; r < taken.rows; ++r) {
    core::report(progress, "rows", static_cast<int64_t>(r), static_cast<int64_t>(taken.rows));
    // Evenly spaced among those that were kept.
    const RowQuestion question =
        with_features(studied.kept[r * studied.kept.size() / taken.rows].question, taken.features);
    Game game = question_game(model, question);
    const Dividends dividends = exact_dividends(game, model.memory(), false, progress);
    std::vector<double> strength(taken.players, 0.0);
    double all = 0, size = std::abs(dividends.values[0]);
    for (size_t set = 1; set < dividends.values.size(); ++set) {
      strength[static_cast<size_t>(std::popcount(set)) - 1] += std::abs(dividends.values[set]);
      all += std::abs(dividends.values[set]);
    }
    if (all <= kNothing * size || all == 0) {
      ++measured.undefined;
    } else {
      for (size_t k = 0; k < taken.players; ++k) measured.shares[k].push_back(strength[k] / all);
    }
    const std::vector<double> joint = joint_strengths(dividends);
    for (size_t i = 0; i < joint.size(); ++i) {
      measured.joint[i] += std::abs(joint[i]) / static_cast<double>(taken.rows);
    }
  }
  return measured;
}

// The other half of the feature's story: by effects where they were measured, otherwise by values.
void add_dependences(DatasetDocument& document, const StudiedRows& studied, const Taken& taken,
                     const Measured* measured) {
  std::vector<std::vector<double>> values(document.features.size());
  for (const size_t f : document.drawn) {  // the picture has their values
    if (!document.features[f].number) continue;
    for (const RowRecord& row : studied.rows) values[f].push_back(row.values[f]);
  }
  for (size_t d = 0; d < document.drawn.size() && document.dependences.size() < kMostDependences; ++d) {
    const size_t feature = document.drawn[d];
    if (!document.features[feature].number) continue;
    document::Dependence one{d, {}, {}, ""};
    if (measured != nullptr && d < taken.features.size()) {
      double strongest_joint = 0;
      for (size_t other = 0; other < taken.features.size(); ++other) {
        const double joint = measured->joint[d * taken.players + other];
        if (other == d || joint <= strongest_joint || !document.features[taken.features[other]].number) continue;
        strongest_joint = joint;
        one.partner = taken.features[other];
      }
      const double own = document.trusted_method().magnitudes[feature].mean.value_or(0);
      if (one.partner) one.rule = "effects", one.strength = own > 0 ? number(strongest_joint / own) : std::nullopt;
    }
    if (!one.partner) {
      std::vector<double> attributions;
      for (const RowRecord& row : studied.rows) attributions.push_back(row.attributions[document.trusted][feature]);
      if (const auto found = partner_by_values(feature, values, attributions)) {
        one.partner = found->feature;
        one.strength = number(found->correlation);
        one.rule = "values";
      }
    }
    document.dependences.push_back(std::move(one));
  }
}

}  // namespace

void add_effects(DatasetDocument& document, const StudiedRows& studied, const DatasetWork& work,
                 const Subject& subject) {
  const auto absent = [&](const std::string& reason) { document.absent.push_back({"spectrum", reason}); };
  if (document.features.empty() || studied.kept.empty()) {
    absent("the rows have no features in common that could be masked in all of them");
    return;
  }
  const RowQuestion& first = studied.kept[0].question;
  const bool exact = !subject.model().chose_precision() && affords_double(work.work_per_row);
  ExplainedModel& model = exact ? subject.explained(work.question.options(first, DType::f64)) : work.model;
  const double left = work.spending.limited() ? work.spending.at_least(kShareOfEffects * work.spending.left()) : 0;
  const double each = std::max(1e-9, work.pace.forward * (exact ? 2 : 1));
  const double rows = work.spending.limited() ? std::min(kRowsWithoutLimit, left / each) : kRowsWithoutLimit;
  const Taken taken = what_fits(document, studied, rows, static_cast<double>(first.baseline_count()));
  std::optional<Measured> measured;
  if (taken.rows < 2 && studied.kept.size() >= 2) {
    absent(
        fmt::format("every set of {} features would have to be masked in several rows, for which there is no time; "
                    "a larger `budget` has it measured",
                    taken.features.size()));
    work.spending.cut({"effects by order", "left out", "a larger `budget` has them measured"});
  } else {
    const double most = kMostOfEffects * work.spending.left();
    const bool done = work.spending.within(
        work.spending.at_least(most), {"effects by order"}, work.running.progress_of("effects by order"),
        [&](const Progress& progress) { measured = measure(studied, taken, model, progress); });
    if (!done) {
      measured.reset();
      absent(stopped_text(most) + "; a larger `budget` has it measured");
      work.spending.cut({"effects by order", "stopped, and left out", "a larger `budget` has them measured"});
    }
  }
  if (measured) {
    document::DatasetSpectrum& spectrum = document.spectrum.emplace();
    spectrum.rows = static_cast<int64_t>(taken.rows);
    spectrum.undefined = measured->undefined;
    for (const size_t f : taken.features) spectrum.players.push_back(document.features[f].name);
    spectrum.rest = taken.players > taken.features.size();
    if (spectrum.rest) spectrum.players.emplace_back("all others");
    for (const auto& order : measured->shares) spectrum.orders.push_back(mean_of(order));
  }
  add_dependences(document, studied, taken, measured ? &*measured : nullptr);
}

}  // namespace ascribe::core::study
