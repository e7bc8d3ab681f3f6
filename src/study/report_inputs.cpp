#include "study/report_inputs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "study/joint_inputs.h"
#include "study/pixels.h"
#include "study/series.h"

namespace ascribe::core::study {

namespace {

using document::number;

template <class F>
void each_over_time(const ImageShape& series, F&& see) {
  for (int64_t c = 0; c < series.channels; ++c) {
    for (const int64_t i : by_channel(series, c, [](int64_t element) { return element; })) see(i);
  }
}

// Where every player has something: the number of the input, or -1 if it has something in several.
std::vector<int> homes_of(const RowQuestion& question) {
  constexpr int kNowhere = -2, kSeveral = -1;
  std::vector<int> homes(question.players.names.size(), kNowhere);
  for (size_t k = 0; k < question.parts.size(); ++k) {
    const RowPart& part = question.parts[k];
    for (int64_t i = part.first; i < part.first + part.size(); ++i) {
      const int32_t owner = question.players.owner[static_cast<size_t>(i)];
      if (owner < 0) continue;
      int& home = homes[static_cast<size_t>(owner)];
      home = home == kNowhere || home == static_cast<int>(k) ? static_cast<int>(k) : kSeveral;
    }
  }
  return homes;
}

std::vector<std::string> channels_of(const RowPart& part, const ImageShape& series) {
  if (std::ssize(part.columns) == series.channels) return part.columns;
  std::vector<std::string> names;
  for (int64_t c = 0; c < series.channels; ++c) names.push_back(fmt::format("{}[{}]", part.name, c));
  return names;
}

// The players of one input, as an image or a series if it is one.
Players players_here(const RowQuestion& question, const RowPart& part) {
  Players players = players_of(question, part);
  if (players.image && players.image->series) {
    players.series = players.image;
    players.channels = channels_of(part, *players.series);
    players.image.reset();
  }
  return players;
}

document::InputPart part_of(const RowQuestion& question, const RowPart& part, const Players& players) {
  document::InputPart kept;
  kept.name = part.name;
  const Tensor x = question.part_of_x(part);
  if (players.image && part.picture) {
    kept.kind = document::RowKind::image;
    kept.image = document::picture(picture_of(x, *players.image, part.picture->preprocess));
    kept.owner = pixel_owners(players);
  } else if (players.series) {
    kept.kind = document::RowKind::series;
    kept.series = series_of(players, x);
    kept.owner = owners_over_time(players);
  }
  std::set<size_t> here;
  for (const int32_t owner : players.owner) {
    if (owner >= 0) here.insert(static_cast<size_t>(owner));
  }
  kept.players.assign(here.begin(), here.end());
  return kept;
}

document::GivenToInput given_to(const document::InputPart& part, size_t place, const std::vector<int>& homes,
                                const Method& method, const Attribution& whole, const RowPart& where,
                                const Players& players) {
  document::GivenToInput given;
  double sum = 0, strength = 0;
  for (const size_t player : part.players) {
    if (homes[player] != static_cast<int>(place)) continue;
    sum += whole.values[player];
    strength += std::abs(whole.values[player]);
  }
  given.sum = number(sum);
  given.strength = number(strength);
  const Attribution own = attribution_of(whole, where);
  if (part.image) given.map = document::map_of(pixel_values(method, own, players));
  if (part.series) given.map = document::map_of(over_time(players, own.elements));
  return given;
}

}  // namespace

document::Series series_of(const Players& players, const Tensor& x) {
  document::Series series{players.series->width, players.channels, {}};
  each_over_time(*players.series, [&](int64_t i) { series.values.push_back(number(x.at(i))); });
  return series;
}

std::vector<int32_t> owners_over_time(const Players& players) {
  std::vector<int32_t> owners;
  each_over_time(*players.series, [&](int64_t i) { owners.push_back(players.owner[static_cast<size_t>(i)]); });
  return owners;
}

PixelValues over_time(const Players& players, const Tensor& elements) {
  PixelValues values;
  each_over_time(*players.series, [&](int64_t i) {
    const bool owned = players.owner[static_cast<size_t>(i)] >= 0;
    values.push_back(owned ? std::optional(elements.at(i)) : std::nullopt);
  });
  return values;
}

std::vector<document::InputPart> parts_of_inputs(const ExplainResult& result, size_t row) {
  const RowQuestion& question = result.rows[row];
  const bool table =
      std::all_of(question.parts.begin(), question.parts.end(), [](const RowPart& part) { return part.size() == 1; });
  if (question.parts.size() < 2 || table) return {};
  const std::vector<int> homes = homes_of(question);
  std::vector<document::InputPart> parts;
  for (size_t k = 0; k < question.parts.size(); ++k) {
    const RowPart& part = question.parts[k];
    const Players players = players_here(question, part);
    document::InputPart& kept = parts.emplace_back(part_of(question, part, players));
    for (const MethodAnswer& answer : result.methods) {
      kept.given.push_back(given_to(kept, k, homes, answer.chosen.method, answer.attributions[row], part, players));
    }
  }
  return parts;
}

}  // namespace ascribe::core::study
