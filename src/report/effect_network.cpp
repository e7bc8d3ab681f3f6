#include "report/effect_network.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "base/error.h"
#include "draw/bars.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kSide = 448;    // of the drawing
constexpr double kCircle = 170;  // its radius, where there is no image
constexpr size_t kNameLength = 22;
constexpr size_t kNamedOfSet = 4;  // players of a set that are named
constexpr int64_t kSetPanel = 200;
constexpr size_t kSetsPerRow = 3;

// Where players are drawn.
struct NetworkPlaces {
  double width = kSide, height = kSide;
  std::map<int, Point> at;
};

NetworkPlaces on_image(const EffectPictures& pictures, const std::vector<Effect>& effects) {
  const ImageShape& image = *pictures.players.image;
  const double factor = kSide / static_cast<double>(std::max(image.height, image.width));
  NetworkPlaces places{factor * static_cast<double>(image.width), factor * static_cast<double>(image.height), {}};
  std::map<int, int> counts;
  for (const Effect& effect : effects) {
    for (const int player : effect.support) counts[player] = 0;
  }
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const int owner = pictures.players.owner[static_cast<size_t>(element_of(image, 0, y, x))];
      const auto wanted = counts.find(owner);
      if (wanted == counts.end()) continue;
      ++wanted->second;
      places.at[owner].x += factor * (static_cast<double>(x) + 0.5);
      places.at[owner].y += factor * (static_cast<double>(y) + 0.5);
    }
  }
  for (auto& [player, point] : places.at) point = {point.x / counts[player], point.y / counts[player]};
  return places;
}

NetworkPlaces on_circle(const std::vector<Effect>& effects) {
  NetworkPlaces places;
  for (const Effect& effect : effects) {
    for (const int player : effect.support) places.at[player] = {};
  }
  size_t number = 0;
  for (auto& [player, point] : places.at) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(number++) / static_cast<double>(places.at.size());
    point = {kSide / 2 + kCircle * std::sin(angle), kSide / 2 - kCircle * std::cos(angle)};
  }
  return places;
}

bool has_image(const EffectPictures& pictures) {
  return pictures.input && pictures.players.image && pictures.input->height == pictures.players.image->height &&
         pictures.input->width == pictures.players.image->width;
}

Image pale_ground(const Image& image) {
  Image pale = to_gray(image);
  for (float& value : pale.pixels) value = 180.0F + std::clamp(value, 0.0F, 255.0F) * (75.0F / 255.0F);
  return pale;
}

void draw_effect(Svg& svg, const NetworkPlaces& places, const Effect& effect, size_t number, double largest,
                 Point corner) {
  const auto at = [&](int player) {
    const auto found = places.at.find(player);
    const Point point = found == places.at.end() ? Point{} : found->second;
    return Point{corner.x + point.x, corner.y + point.y};
  };
  // Of large sets each line is thinner, so that they do not hide the others.
  const double rays = std::sqrt(2.0 / static_cast<double>(effect.support.size()));
  const Stroke stroke{color_of_sign(effect.value), 1 + 6 * rays * std::abs(effect.value) / largest,
                      effect.support.size() > 3 ? 0.55 : 0.8};
  if (effect.support.size() == 2) {
    const Point a = at(effect.support[0]), b = at(effect.support[1]);
    const double bend = number % 2 == 0 ? 0.12 : -0.12;
    svg.curve(a, {(a.x + b.x) / 2 + bend * (b.y - a.y), (a.y + b.y) / 2 - bend * (b.x - a.x)}, b, stroke);
    return;
  }
  Point middle;
  for (const int player : effect.support) {
    middle.x += at(player).x / static_cast<double>(effect.support.size());
    middle.y += at(player).y / static_cast<double>(effect.support.size());
  }
  for (const int player : effect.support) svg.line(middle, at(player), stroke);
  svg.circle(middle, 5, "#ffffff", {.color = color_of_sign(effect.value), .width = 2.5});
}

void draw_network(Svg& svg, const EffectPictures& pictures, const std::vector<Effect>& effects,
                  const NetworkPlaces& places, Point corner) {
  const bool image = has_image(pictures);
  if (image) svg.image(corner, places.width, places.height, pale_ground(*pictures.input));
  double largest = 0;
  for (const Effect& effect : effects) largest = std::max(largest, std::abs(effect.value));
  for (size_t i = effects.size(); i-- > 0;) draw_effect(svg, places, effects[i], i, std::max(largest, 1e-300), corner);
  for (const auto& [player, point] : places.at) {
    svg.circle({corner.x + point.x, corner.y + point.y}, 4, "#222222", {.color = "#ffffff", .width = 1});
  }
  if (image) return;
  for (const auto& [player, point] : places.at) {
    const double side = point.x - kSide / 2;
    const Anchor anchor = std::abs(side) < 20 ? Anchor::middle : side > 0 ? Anchor::start : Anchor::end;
    const double away = std::abs(side) < 20 ? 0 : side > 0 ? 10 : -10;
    const double lower = point.y > kSide / 2 + 100 ? 18 : point.y < kSide / 2 - 100 ? -10 : 4;
    svg.text({corner.x + point.x + away, corner.y + point.y + lower},
             shortened(pictures.players.names[static_cast<size_t>(player)], kNameLength),
             {.size = 12, .anchor = anchor, .halo = "#ffffff"});
  }
}

NetworkPlaces places_of(const EffectPictures& pictures, const std::vector<Effect>& effects) {
  return has_image(pictures) ? on_image(pictures, effects) : on_circle(effects);
}

// Of large sets the first players.
std::string set_name(const Effect& effect, const Players& players) {
  if (effect.support.size() <= kNamedOfSet + 1) return names_of(effect, players);
  Effect first = effect;
  first.support.resize(kNamedOfSet);
  return fmt::format("{} and {} more", names_of(first, players), effect.support.size() - kNamedOfSet);
}

std::string value_text(const Effect& effect, const std::vector<double>& errors, size_t i) {
  return errors.empty() ? signed_text(effect.value) : fmt::format("{} ± {:.2g}", signed_text(effect.value), errors[i]);
}

std::string heading(const EffectPictures& pictures, size_t shown, const std::string& told, bool errors) {
  const std::string what =
      shown == 1 ? "The strongest interaction" : fmt::format("The {} strongest interactions", shown);
  return fmt::format("{} of any number of players: {}{}; change of the output {}", what, told,
                     errors ? ", with 95 % errors" : "", signed_text(pictures.summary.change()));
}

}  // namespace

Svg network_drawing(const EffectPictures& pictures, const std::vector<Effect>& interactions) {
  const NetworkPlaces places = places_of(pictures, interactions);
  Svg svg(places.width, places.height);
  draw_network(svg, pictures, interactions, places, {0, 0});
  return svg;
}

std::string network_svg(const EffectPictures& pictures, const std::vector<Effect>& interactions,
                        const std::vector<double>& errors, const std::string& told) {
  const NetworkPlaces places = places_of(pictures, interactions);
  const std::string line = heading(pictures, interactions.size(), told, !errors.empty());
  const double names = has_image(pictures) ? 0 : 130;  // beside the circle
  const double legend = 2 * kMargin + places.width + 2 * names;
  double widest = 200;
  for (const Effect& effect : interactions) {
    widest = std::max(widest, 170 + 7.5 * static_cast<double>(set_name(effect, pictures.players).size()));
  }
  const double height = std::max(places.height, 26 * static_cast<double>(interactions.size()) + 60);
  Svg svg(std::max(legend + widest + kMargin, head_width(pictures.title, line)), kHead + height + kMargin);
  head(svg, pictures.title, line);
  draw_network(svg, pictures, interactions, places, {kMargin + names, kHead});
  for (size_t i = 0; i < interactions.size(); ++i) {
    const double y = kHead + 26 * static_cast<double>(i) + 14;
    svg.text({legend + 150, y}, value_text(interactions[i], errors, i),
             {.size = 14, .color = color_of_sign(interactions[i].value), .anchor = Anchor::end, .bold = true});
    svg.text({legend + 162, y}, set_name(interactions[i], pictures.players), {.size = 14});
  }
  if (interactions.empty()) svg.text({legend, kHead + 14}, "no interactions were found", {.color = kFaint});
  const double y = kHead + 26 * static_cast<double>(std::max<size_t>(interactions.size(), 1)) + 18;
  svg.text({legend, y}, "red: together more than apart; blue: less; a star joins three or more players",
           {.size = 12, .color = kFaint});
  return svg.finish();
}

std::string sets_svg(const EffectPictures& pictures, const std::vector<Effect>& interactions,
                     const std::vector<double>& errors, const std::string& told) {
  require(has_image(pictures), "pictures", "there is no image of the players' size");
  const Image& input = *pictures.input;
  const int64_t factor = enlargement(input.height, input.width, kSetPanel);
  const double width = static_cast<double>(factor * input.width), height = static_cast<double>(factor * input.height);
  const std::string line = heading(pictures, interactions.size(), told, !errors.empty());
  double names = width;
  std::vector<double> values;
  for (const Effect& effect : interactions) {
    names = std::max(names, 7.0 * static_cast<double>(set_name(effect, pictures.players).size()));
    values.push_back(effect.value);
  }
  const double step = names + kMargin, row = height + 76;
  const size_t rows = (interactions.size() + kSetsPerRow - 1) / kSetsPerRow;
  const auto columns = static_cast<double>(std::clamp<size_t>(interactions.size(), 1, kSetsPerRow));
  Svg svg(std::max(kMargin + columns * step, head_width(pictures.title, line)),
          kHead + std::max(40.0, static_cast<double>(rows) * row));
  head(svg, pictures.title, line);
  for (size_t i = 0; i < interactions.size(); ++i) {
    const size_t across = i % kSetsPerRow, down = i / kSetsPerRow;
    const Point corner{kMargin + step * static_cast<double>(across), kHead + row * static_cast<double>(down)};
    svg.image(corner, width, height,
              enlarged(players_image(pictures, interactions[i], symmetric_limit(values)), factor));
    svg.rectangle(corner, width, height, "none", {.color = "#bbbbbb"});
    svg.text({corner.x, corner.y + height + 20}, value_text(interactions[i], errors, i),
             {.size = 15, .color = color_of_sign(interactions[i].value), .bold = true});
    svg.text({corner.x, corner.y + height + 40}, set_name(interactions[i], pictures.players), {.size = 13});
  }
  if (interactions.empty()) svg.text({kMargin, kHead + 14}, "no interactions were found", {.color = kFaint});
  return svg.finish();
}

}  // namespace ascribe::core
