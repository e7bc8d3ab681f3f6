#include "report/effect_pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"
#include "draw/svg.h"

namespace ascribe::core {

namespace {

constexpr int64_t kTriplePanel = 200;  // pixels that the longer side of a triple's image takes, about
constexpr size_t kPanelsPerRow = 3;
constexpr int64_t kMostNumbers = 36;  // players whose psi is written on the map
constexpr int64_t kMostNames = 64;    // players that are named
constexpr int64_t kMostOutlined = 400;
const Stroke kOutline{"#808080", 0.8, 0.6};  // of players, on a pale ground

// With as many decimals as tell it from the others, so that what does not matter reads as 0.
std::string relative_text(double value, double limit) {
  const int decimals = limit > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(limit))), 0, 9) : 0;
  const std::string text = fmt::format("{:+.{}f}", value, decimals);
  return text.find_first_not_of("+-0.") == std::string::npos ? "0" : text;
}

// Where the players are in the image, in pixels of the image.
class Places {
 public:
  explicit Places(const Players& players) : players_(players), image_(*players.image) {
    std::vector<double> counts(static_cast<size_t>(players.count()), 0.0);
    centres_.resize(counts.size());
    for_pixels([&](int64_t y, int64_t x, int32_t owner) {
      if (owner < 0) return;
      auto& centre = centres_[static_cast<size_t>(owner)];
      centre.x += static_cast<double>(x) + 0.5;
      centre.y += static_cast<double>(y) + 0.5;
      ++counts[static_cast<size_t>(owner)];
    });
    for (size_t p = 0; p < counts.size(); ++p) {
      if (counts[p] > 0) centres_[p] = {centres_[p].x / counts[p], centres_[p].y / counts[p]};
    }
    move_inside();
  }

  Point centre(int player) const { return centres_[static_cast<size_t>(player)]; }

  // Of a pixel: the first owner among its channels.
  int32_t owner(int64_t y, int64_t x) const { return players_.owner[static_cast<size_t>(element_of(image_, 0, y, x))]; }

  // The sides between pixels of different owners.
  std::vector<std::pair<Point, Point>> outlines() const {
    std::vector<std::pair<Point, Point>> sides;
    for_pixels([&](int64_t y, int64_t x, int32_t mine) {
      const auto left = static_cast<double>(x), top = static_cast<double>(y);
      if (x + 1 < image_.width && owner(y, x + 1) != mine) sides.push_back({{left + 1, top}, {left + 1, top + 1}});
      if (y + 1 < image_.height && owner(y + 1, x) != mine) sides.push_back({{left, top + 1}, {left + 1, top + 1}});
    });
    return sides;
  }

 private:
  // The players of an image may own every channel for itself, so all of them are asked.
  template <class F>
  void for_pixels(F&& f) const {
    for (int64_t y = 0; y < image_.height; ++y) {
      for (int64_t x = 0; x < image_.width; ++x) {
        int32_t last = std::numeric_limits<int32_t>::min();
        for (int64_t c = 0; c < image_.channels; ++c) {
          const int32_t mine = players_.owner[static_cast<size_t>(element_of(image_, c, y, x))];
          if (mine != last) f(y, x, mine);
          last = mine;
        }
      }
    }
  }

  // A bent region's centre may lie outside of it: its nearest pixel is taken then.
  void move_inside() {
    std::vector<double> least(centres_.size(), std::numeric_limits<double>::infinity());
    std::vector<Point> nearest(centres_.size());
    for_pixels([&](int64_t y, int64_t x, int32_t mine) {
      if (mine < 0) return;
      const auto p = static_cast<size_t>(mine);
      const Point at{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
      const double distance = std::hypot(at.x - centres_[p].x, at.y - centres_[p].y);
      if (distance < least[p]) least[p] = distance, nearest[p] = at;
    });
    for (size_t p = 0; p < centres_.size(); ++p) {
      if (least[p] > 1 && std::isfinite(least[p])) centres_[p] = nearest[p];
    }
  }

  const Players& players_;
  const ImageShape& image_;
  std::vector<Point> centres_;
};

// Gray and pale, as a ground to draw on.
Image ground(const Image& image) {
  Image pale = to_gray(image);
  for (float& value : pale.pixels) value = 180.0F + std::clamp(value, 0.0F, 255.0F) * (75.0F / 255.0F);
  return pale;
}

const Image& input_of(const EffectPictures& pictures) {
  require(pictures.input && pictures.players.image && pictures.input->height == pictures.players.image->height &&
              pictures.input->width == pictures.players.image->width,
          "pictures", "there is no image of the players' size");
  return *pictures.input;
}

// The sum of psi over the owners of a pixel; nothing if nobody owns it.
std::optional<double> psi_at(const EffectPictures& pictures, int64_t y, int64_t x) {
  const ImageShape& shape = *pictures.players.image;
  std::set<int32_t> owners;
  for (int64_t c = 0; c < shape.channels; ++c) {
    owners.insert(pictures.players.owner[static_cast<size_t>(element_of(shape, c, y, x))]);
  }
  owners.erase(-1);
  if (owners.empty()) return std::nullopt;
  double sum = 0;
  for (const int32_t owner : owners) sum += pictures.summary.independent[static_cast<size_t>(owner)];
  return sum;
}

PixelValues psi_of_pixels(const EffectPictures& pictures) {
  PixelValues values;
  for (int64_t y = 0; y < pictures.players.image->height; ++y) {
    for (int64_t x = 0; x < pictures.players.image->width; ++x) values.push_back(psi_at(pictures, y, x));
  }
  return values;
}

std::vector<std::pair<Point, Point>> moved(std::vector<std::pair<Point, Point>> sides, Point corner, double factor) {
  for (auto& [from, to] : sides) {
    from = {corner.x + factor * from.x, corner.y + factor * from.y};
    to = {corner.x + factor * to.x, corner.y + factor * to.y};
  }
  return sides;
}

// Numbers that must not hide each other: of several places the one farthest from those taken.
class Labels {
 public:
  Point place(const std::vector<Point>& candidates) {
    Point best = candidates[0];
    double widest = -1;
    for (const Point& candidate : candidates) {
      double room = 1e9;
      for (const Point& taken : taken_) room = std::min(room, std::hypot(candidate.x - taken.x, candidate.y - taken.y));
      room = std::min(room, 24.0);  // far enough is good enough: the first candidate that has it
      if (room > widest) widest = room, best = candidate;
    }
    taken_.push_back(best);
    return best;
  }

 private:
  std::vector<Point> taken_;
};

Point between(Point a, Point b, double t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }

// On a quadratic curve.
Point along(Point a, Point control, Point b, double t) {
  return between(between(a, control, t), between(control, b, t), t);
}

void number_mark(Svg& svg, Point at, size_t number, double value) {
  svg.circle(at, 10, "#ffffff", {.color = color_of_sign(value), .width = 1.5});
  svg.text({at.x, at.y + 4}, fmt::format("{}", number), {.size = 12, .anchor = Anchor::middle, .bold = true});
}

// Draws pairs of players over the input.
class PairDrawing {
 public:
  PairDrawing(Svg& svg, const EffectPictures& pictures, Point corner, double factor)
      : svg_(svg), places_(pictures.players), corner_(corner), factor_(factor) {}

  void draw(const std::vector<Effect>& effects) {
    double largest = 0;
    for (const Effect& effect : effects) largest = std::max(largest, std::abs(effect.value));
    std::vector<Point> marks;
    for (size_t i = 0; i < effects.size(); ++i) marks.push_back(labels_.place(mark_places(effects[i], i)));
    for (size_t i = effects.size(); i-- > 0;) {  // the strongest on top
      const double width = 1.5 + 8 * std::abs(effects[i].value) / largest;
      const Stroke stroke{color_of_sign(effects[i].value), width, 0.85};
      draw_pair(effects[i], i, stroke);
    }
    for (size_t i = effects.size(); i-- > 0;) number_mark(svg_, marks[i], i + 1, effects[i].value);
  }

 private:
  Point at(int player) const {
    const Point centre = places_.centre(player);
    return {corner_.x + factor_ * centre.x, corner_.y + factor_ * centre.y};
  }

  // Bent a little, to alternating sides, so that lines along the same row stay apart.
  Point control(const Effect& effect, size_t number) const {
    const Point a = at(effect.support[0]), b = at(effect.support[1]);
    const double bend = number % 2 == 0 ? 0.14 : -0.14;
    return {(a.x + b.x) / 2 + bend * (b.y - a.y), (a.y + b.y) / 2 - bend * (b.x - a.x)};
  }

  void draw_pair(const Effect& effect, size_t number, const Stroke& stroke) {
    const Point a = at(effect.support[0]), b = at(effect.support[1]);
    svg_.curve(a, control(effect, number), b, stroke);
    svg_.circle(a, 4, "#222222");
    svg_.circle(b, 4, "#222222");
  }

  std::vector<Point> mark_places(const Effect& effect, size_t number) const {
    std::vector<Point> places;
    const Point a = at(effect.support[0]), b = at(effect.support[1]), bend = control(effect, number);
    for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) places.push_back(along(a, bend, b, t));
    return places;
  }

  Svg& svg_;
  Places places_;
  Point corner_;
  double factor_;
  Labels labels_;
};

void legend(Svg& svg, const EffectPictures& pictures, const std::vector<Effect>& effects, Point corner) {
  for (size_t i = 0; i < effects.size(); ++i) {
    const double y = corner.y + 30 * static_cast<double>(i) + 10;
    number_mark(svg, {corner.x + 10, y}, i + 1, effects[i].value);
    svg.text({corner.x + 92, y + 5}, signed_text(effects[i].value),
             {.size = 14, .color = color_of_sign(effects[i].value), .anchor = Anchor::end, .bold = true});
    svg.text({corner.x + 106, y + 5}, names_of(effects[i], pictures.players), {.size = 14});
  }
  if (effects.empty()) svg.text({corner.x, corner.y + 14}, "none beyond rounding", {.size = 14, .color = kFaint});
  const double y = corner.y + 30 * static_cast<double>(std::max<size_t>(effects.size(), 1)) + 14;
  svg.line({corner.x, y}, {corner.x + 26, y}, {.color = kPositive, .width = 5});
  svg.text({corner.x + 36, y + 5}, "together more than apart", {.size = 12, .color = kFaint});
  svg.line({corner.x, y + 22}, {corner.x + 26, y + 22}, {.color = kNegative, .width = 5});
  svg.text({corner.x + 36, y + 27}, "together less than apart", {.size = 12, .color = kFaint});
}

std::string interactions_line(const EffectPictures& pictures, size_t shown, size_t order) {
  const std::string what = order == 2 ? "pairs" : "triples";
  const double sum = order <= pictures.summary.orders.size() ? pictures.summary.orders[order - 1].sum : 0;
  return fmt::format("The {} strongest interactions J(S) of {}; all {} together {}{}", shown, what, what,
                     signed_text(sum), share_text(sum, pictures.summary.change()));
}

double names_width(const EffectPictures& pictures, const std::vector<Effect>& effects) {
  double width = 0;
  for (const Effect& effect : effects) {
    width = std::max(width, 8.0 * static_cast<double>(names_of(effect, pictures.players).size()));
  }
  return width;
}

// The input with the players of a set in the colour of its effect.
Image marked(const EffectPictures& pictures, const Effect& effect, double limit) {
  const Image pale = ground(*pictures.input);
  const ImageShape& shape = *pictures.players.image;
  const Rgb color = diverging(effect.value / limit);
  const auto inside = [&](int64_t y, int64_t x) {
    for (int64_t c = 0; c < shape.channels; ++c) {
      const int32_t owner = pictures.players.owner[static_cast<size_t>(element_of(shape, c, y, x))];
      if (std::find(effect.support.begin(), effect.support.end(), owner) != effect.support.end()) return true;
    }
    return false;
  };
  Image image{pale.height, pale.width, 3, {}, false};
  for (int64_t y = 0; y < pale.height; ++y) {
    for (int64_t x = 0; x < pale.width; ++x) {
      const double light = pale.at(y, x, 0) / 255.0;
      for (const double channel : inside(y, x) ? color : Rgb{255, 255, 255}) {
        image.pixels.push_back(static_cast<float>(channel * light));
      }
    }
  }
  return image;
}

void name_players(Svg& svg, const EffectPictures& pictures, Point corner, double factor) {
  if (pictures.players.count() > kMostNames) return;
  const Places places(pictures.players);
  for (int p = 0; p < pictures.players.count(); ++p) {
    const Point centre = places.centre(p);
    svg.text({corner.x + factor * centre.x, corner.y + factor * centre.y + 18},
             pictures.players.names[static_cast<size_t>(p)],
             {.size = 11, .color = "#444444", .anchor = Anchor::middle, .halo = "#ffffff"});
  }
}

void number_cells(Svg& svg, const EffectPictures& pictures, Point corner, double factor) {
  if (pictures.players.count() > kMostNumbers) return;
  const Places places(pictures.players);
  for (int p = 0; p < pictures.players.count(); ++p) {
    const Point centre = places.centre(p);
    svg.text({corner.x + factor * centre.x, corner.y + factor * centre.y + 5},
             relative_text(pictures.summary.independent[static_cast<size_t>(p)],
                           symmetric_limit(pictures.summary.independent)),
             {.size = 13, .anchor = Anchor::middle, .halo = "#ffffff"});
  }
}

// The input, the players and the pairs: everything but the words around it.
void draw_pairs(Svg& svg, const EffectPictures& pictures, Point corner, double factor) {
  const Image& input = *pictures.input;
  svg.image(corner, factor * static_cast<double>(input.width), factor * static_cast<double>(input.height),
            ground(input));
  if (pictures.players.count() <= kMostOutlined) {
    svg.segments(moved(Places(pictures.players).outlines(), corner, factor), kOutline);
  }
  PairDrawing(svg, pictures, corner, factor).draw(pictures.summary.pairs);
  name_players(svg, pictures, corner, factor);
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

std::string names_of(const Effect& effect, const Players& players) {
  std::string text;
  for (const int player : effect.support) {
    text += (text.empty() ? "" : " & ") + players.names[static_cast<size_t>(player)];
  }
  return text;
}

Image independent_map(const EffectPictures& pictures) {
  const Image& input = input_of(pictures);
  const PixelValues psi = psi_of_pixels(pictures);
  return enlarged(heat_map(input, psi, largest(psi)), enlargement(input.height, input.width));
}

std::string independent_svg(const EffectPictures& pictures) {
  const Image& input = input_of(pictures);
  const int64_t factor = enlargement(input.height, input.width);
  const auto scale = static_cast<double>(factor);
  const double width = scale * static_cast<double>(input.width), height = scale * static_cast<double>(input.height);
  const double sum = sum_of(pictures.summary.independent), change = pictures.summary.change();
  const std::string line =
      fmt::format("Independent effects ψ(i) of {} players ({}): together {}{}", pictures.players.count(),
                  pictures.players.description, signed_text(sum), share_text(sum, change));
  const Point right{2 * kMargin + width, kHead};
  Svg svg(std::max(right.x + width + 130, head_width(pictures.title, line)), kHead + height + kMargin + 22);
  head(svg, pictures.title, line);
  svg.image({kMargin, kHead}, width, height, enlarged(input, factor));
  svg.image(right, width, height, independent_map(pictures));
  if (pictures.players.count() <= kMostOutlined) {
    svg.segments(moved(Places(pictures.players).outlines(), right, scale),
                 {.color = "#ffffff", .width = 1, .opacity = 0.8});
  }
  number_cells(svg, pictures, right, scale);
  color_bar(svg, {right.x + width + 16, kHead}, height, largest(psi_of_pixels(pictures)));
  svg.text({kMargin, kHead + height + 20}, "input", {.size = 13, .color = kFaint});
  svg.text({right.x, kHead + height + 20}, "ψ over the input; red raises the output, blue lowers it",
           {.size = 13, .color = kFaint});
  return svg.finish();
}

std::string pairs_svg(const EffectPictures& pictures) {
  const Image& input = input_of(pictures);
  const std::vector<Effect>& effects = pictures.summary.pairs;
  const int64_t factor = enlargement(input.height, input.width);
  const auto scale = static_cast<double>(factor);
  const double width = scale * static_cast<double>(input.width), height = scale * static_cast<double>(input.height);
  const std::string line = interactions_line(pictures, effects.size(), 2);
  const double legend_height = 30 * static_cast<double>(effects.size() + 1) + 50;
  const double legend_x = 2 * kMargin + width;
  Svg svg(std::max(legend_x + std::max(190.0, 106 + names_width(pictures, effects)) + kMargin,
                   head_width(pictures.title, line)),
          kHead + std::max(height, legend_height) + kMargin);
  head(svg, pictures.title, line);
  draw_pairs(svg, pictures, {kMargin, kHead}, scale);
  legend(svg, pictures, effects, {legend_x, kHead});
  return svg.finish();
}

Svg pairs_drawing(const EffectPictures& pictures) {
  const Image& input = input_of(pictures);
  const double factor = 448.0 / static_cast<double>(std::max(input.height, input.width));
  Svg svg(factor * static_cast<double>(input.width), factor * static_cast<double>(input.height));
  draw_pairs(svg, pictures, {0, 0}, factor);
  return svg;
}

Image players_image(const EffectPictures& pictures, const Effect& effect, double limit) {
  input_of(pictures);
  return marked(pictures, effect, limit);
}

std::string triples_svg(const EffectPictures& pictures) {
  const Image& input = input_of(pictures);
  const std::vector<Effect>& effects = pictures.summary.triples;
  const int64_t factor = enlargement(input.height, input.width, kTriplePanel);
  const double width = static_cast<double>(factor * input.width), height = static_cast<double>(factor * input.height);
  const std::string line = interactions_line(pictures, effects.size(), 3);
  const double step = std::max(width, names_width(pictures, effects)) + kMargin, row = height + 76;
  const size_t panel_rows = (effects.size() + kPanelsPerRow - 1) / kPanelsPerRow;
  const auto rows = static_cast<double>(panel_rows);
  const auto columns = static_cast<double>(std::clamp<size_t>(effects.size(), 1, kPanelsPerRow));
  Svg svg(std::max(kMargin + columns * step, head_width(pictures.title, line)), kHead + std::max(40.0, rows * row));
  head(svg, pictures.title, line);
  const auto outlines = Places(pictures.players).outlines();
  std::vector<double> values;
  for (const Effect& effect : effects) values.push_back(effect.value);
  for (size_t i = 0; i < effects.size(); ++i) {
    const size_t across = i % kPanelsPerRow, down = i / kPanelsPerRow;
    const Point corner{kMargin + step * static_cast<double>(across), kHead + row * static_cast<double>(down)};
    svg.image(corner, width, height, enlarged(marked(pictures, effects[i], symmetric_limit(values)), factor));
    if (pictures.players.count() <= kMostOutlined)
      svg.segments(moved(outlines, corner, static_cast<double>(factor)), kOutline);
    svg.rectangle(corner, width, height, "none", {.color = "#bbbbbb"});
    svg.text({corner.x, corner.y + height + 20}, signed_text(effects[i].value),
             {.size = 15, .color = color_of_sign(effects[i].value), .bold = true});
    svg.text({corner.x, corner.y + height + 40}, names_of(effects[i], pictures.players), {.size = 13});
  }
  if (effects.empty()) svg.text({kMargin, kHead + 14}, "none beyond rounding", {.size = 14, .color = kFaint});
  return svg.finish();
}

}  // namespace ascribe::core
