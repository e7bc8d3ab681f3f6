#include "metrics/square_removal.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "metrics/draws.h"
#include "metrics/losses.h"
#include "metrics/shared_passes.h"

namespace ascribe::core {

namespace {

constexpr std::string_view kWhere = "square removal";
constexpr int64_t kMostSquares = 1 << 16;  // of one image
constexpr size_t kTogether = 4096;         // squares whose masks are held at once

// The question with every pixel as a player; as it is if the row is not an image. What nobody owned, nobody owns.
Question question_of_pixels(const Question& question) {
  if (!question.players.image) return question;
  const ImageShape& image = *question.players.image;
  Question result = question;
  result.players.description = "pixels";
  result.players.names.assign(static_cast<size_t>(image.height * image.width), "");
  for (int64_t pixel = 0; pixel < image.height * image.width; ++pixel) {
    for (int64_t c = 0; c < image.channels; ++c) {
      int32_t& owner =
          result.players.owner[static_cast<size_t>(element_of(image, c, pixel / image.width, pixel % image.width))];
      if (owner >= 0) owner = static_cast<int32_t>(pixel);
    }
  }
  return result;
}

struct Squares {
  std::vector<PlayerSet> sets;
  std::vector<double> weights;
};

// How often each place is used: all once, or as they are drawn.
std::map<int64_t, double> used_places(const Random& random, int64_t places, int64_t draws) {
  std::map<int64_t, double> used;
  if (places <= draws) {
    for (int64_t place = 0; place < places; ++place) used[place] = 1.0 / static_cast<double>(places);
    return used;
  }
  for (int64_t i = 0; i < draws; ++i) {
    const uint64_t place = random.below(static_cast<uint64_t>(i), static_cast<uint64_t>(places));
    used[static_cast<int64_t>(place)] += 1.0 / static_cast<double>(draws);
  }
  return used;
}

int64_t side_of_square(const Parameters& parameters, const ImageShape& image) {
  const int64_t shorter = std::min(image.height, image.width), side = parameters.integer("size");
  if (side > shorter) {
    fail(ErrorKind::argument, kWhere, "got size = {}; expected squares that fit into images of {} x {} pixels", side,
         image.height, image.width);
  }
  return side > 0 ? side : std::max<int64_t>(1, shorter / 4);
}

PlayerSet square_at(const ImageShape& image, int64_t top, int64_t left, int64_t side) {
  PlayerSet set;
  for (int64_t y = top; y < top + side; ++y) {
    for (int64_t x = left; x < left + side; ++x) set.push_back(y * image.width + x);
  }
  return set;
}

Squares squares_in(const ImageShape& image, const Parameters& parameters, const Random& random) {
  const int64_t side = side_of_square(parameters, image);
  const int64_t columns = image.width - side + 1, rows = image.height - side + 1;
  Squares squares;
  for (const auto& [place, weight] : used_places(random, rows * columns, parameters.integer("perturbations"))) {
    squares.sets.push_back(square_at(image, place / columns, place % columns, side));
    squares.weights.push_back(weight);
  }
  return squares;
}

// Those of one side after the other, row by row.
Squares squares_of_all_sides(const ImageShape& image, const Parameters& parameters) {
  const int64_t smallest = parameters.integer("smallest"), largest = parameters.integer("largest");
  const int64_t stride = parameters.integer("stride"), shorter = std::min(image.height, image.width);
  if (smallest > largest || smallest > shorter) {
    fail(ErrorKind::argument, kWhere,
         "got smallest = {} and largest = {}; expected sides in rising order that fit into images of {} x {} pixels",
         smallest, largest, image.height, image.width);
  }
  Squares squares;
  for (int64_t side = smallest; side <= std::min(largest, shorter); ++side) {
    for (int64_t top = 0; top + side <= image.height; top += stride) {
      for (int64_t left = 0; left + side <= image.width; left += stride) {
        squares.sets.push_back(square_at(image, top, left, side));
        if (std::ssize(squares.sets) > kMostSquares) {
          fail(ErrorKind::argument, kWhere,
               "there are more than {} squares of sides {} to {} in images of {} x {} pixels; a larger stride or a "
               "smaller range makes fewer",
               kMostSquares, smallest, largest, image.height, image.width);
        }
      }
    }
  }
  squares.weights.assign(squares.sets.size(), 1.0 / static_cast<double>(squares.sets.size()));
  return squares;
}

// The number of sets of `size` of `players`; `most` stands for all that are as many or more.
int64_t count_sets(int64_t players, int64_t size, int64_t most) {
  double count = 1;
  for (int64_t i = 0; i < std::min(size, players - size); ++i) {
    count = count * static_cast<double>(players - i) / static_cast<double>(i + 1);
    if (count >= static_cast<double>(most)) return most;
  }
  return std::llround(count);
}

void add_all_sets(int64_t players, int64_t size, std::map<PlayerSet, double>& used) {
  std::vector<uint8_t> chosen(static_cast<size_t>(players), 0);
  std::fill_n(chosen.begin(), size, uint8_t{1});
  do {
    PlayerSet set;
    for (int64_t p = 0; p < players; ++p) {
      if (chosen[static_cast<size_t>(p)] != 0) set.push_back(p);
    }
    used[set] = 1;
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

Squares sets_of_players(int64_t players, const Parameters& parameters, const Random& random) {
  const int64_t draws = parameters.integer("perturbations"), given = parameters.integer("size");
  if (given > players) {
    fail(ErrorKind::argument, kWhere, "got size = {}; expected at most the number of players, {}", given, players);
  }
  const int64_t size = given > 0 ? given : std::max<int64_t>(1, players / 4);
  std::map<PlayerSet, double> used;
  if (count_sets(players, size, draws + 1) <= draws) {
    add_all_sets(players, size, used);
  } else {
    for (int64_t i = 0; i < draws; ++i) used[drawn_set(random, static_cast<uint64_t>(i), players, size)] += 1;
  }
  double sum = 0;
  for (const auto& [set, weight] : used) sum += weight;
  Squares result;
  for (const auto& [set, weight] : used) {
    result.sets.push_back(set);
    result.weights.push_back(weight / sum);
  }
  return result;
}

// `question`: with every pixel as a player.
SquareLosses losses_of(const MetricInput& input, size_t q, const Question& question, const Squares& squares) {
  SquareLosses losses{squares.weights, {}, {}};
  const std::span<const PlayerSet> sets = squares.sets;
  for (size_t from = 0; from < sets.size(); from += kTogether) {
    const std::vector<double> lost =
        lost_without(input.model, question, sets.subspan(from, std::min(kTogether, sets.size() - from)));
    losses.lost.insert(losses.lost.end(), lost.begin(), lost.end());
  }
  for (const MethodExplanations& one : input.methods) {
    const std::vector<double> values =
        claimed_losses(input.model, input.questions[q], question.players, one.method, one.attributions[q]);
    std::vector<double>& claimed = losses.claimed.emplace_back();
    for (const PlayerSet& set : sets) claimed.push_back(sum_over(set, values));
  }
  return losses;
}

}  // namespace

std::vector<Parameter> square_removal_parameters() {
  return {integer_parameter("perturbations", 1000, 1, 1 << 24, "number of squares that are drawn"),
          integer_parameter("size", 0, 0, 1 << 20,
                            "pixels along the side of a square, 0: a quarter of the shorter side; on rows that are not "
                            "images, players in a set, 0: a quarter of them")};
}

std::vector<Parameter> all_squares_parameters() {
  return {integer_parameter("smallest", 1, 1, 1 << 20, "pixels along the side of the smallest squares"),
          integer_parameter("largest", 10, 1, 1 << 20, "of the largest squares; what does not fit is left out"),
          integer_parameter("stride", 1, 1, 1 << 20, "pixels from one square to the next; 1: every place")};
}

namespace {

SquareLosses drawn_square_losses(const MetricInput& input, size_t q) {
  const Question question = question_of_pixels(input.questions[q]);
  const Random random = draws_of(input, q, kWhere);
  return losses_of(input, q, question,
                   question.players.image ? squares_in(*question.players.image, input.parameters, random)
                                          : sets_of_players(question.players.count(), input.parameters, random));
}

}  // namespace

SquareLosses square_losses(const MetricInput& input, size_t q) {
  if (input.shared == nullptr) return drawn_square_losses(input, q);
  std::string name = fmt::format("squares ({}) of {}:", input.parameters.key(), input.streams[q]);
  for (const MethodExplanations& one : input.methods) name += " " + shared_name(one);
  return input.shared->once<SquareLosses>(name, [&] { return drawn_square_losses(input, q); });
}

SquareLosses all_square_losses(const MetricInput& input, size_t q) {
  const Question question = question_of_pixels(input.questions[q]);
  require(question.players.image.has_value(), kWhere, "the input is not an image");
  return losses_of(input, q, question, squares_of_all_sides(*question.players.image, input.parameters));
}

double mean_squared_miss(const SquareLosses& squares, size_t method, double factor) {
  double sum = 0;
  for (size_t s = 0; s < squares.lost.size(); ++s) {
    const double miss = factor * squares.claimed[method][s] - squares.lost[s];
    sum += squares.weights[s] * miss * miss;
  }
  return sum;
}

double best_factor(const SquareLosses& squares, size_t method) {
  double mixed = 0, square = 0;
  for (size_t s = 0; s < squares.lost.size(); ++s) {
    const double claimed = squares.claimed[method][s];
    mixed += squares.weights[s] * claimed * squares.lost[s];
    square += squares.weights[s] * claimed * claimed;
  }
  return square > 0 ? mixed / square : 0;  // nothing claimed: no factor helps
}

}  // namespace ascribe::core
