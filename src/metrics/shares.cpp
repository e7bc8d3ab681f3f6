#include "metrics/shares.h"

namespace ascribe::core {

namespace {

// A player's value in equal parts at its elements.
void spread(const Question& question, const std::vector<double>& values, std::span<double> shares) {
  const std::vector<int32_t>& owner = question.players.owner;
  std::vector<double> sizes(values.size(), 0.0);
  for (const int32_t player : owner) {
    if (player >= 0) ++sizes[static_cast<size_t>(player)];
  }
  for (size_t e = 0; e < owner.size(); ++e) {
    const auto player = static_cast<size_t>(std::max(owner[e], 0));
    shares[e] = owner[e] < 0 ? 0 : values[player] / sizes[player];
  }
}

}  // namespace

Tensor element_shares(const Method& method, const Question& question, const Attribution& attribution) {
  Tensor shares = attribution.elements;
  const std::span<double> data = shares.mutable_data<double>();
  const std::vector<int32_t>& owner = question.players.owner;
  require(data.size() == owner.size(), method.name, "the attribution does not fit the players");
  if (method.players || attribution.of_players) {
    spread(question, attribution.values, data);
    return shares;
  }
  for (size_t e = 0; e < owner.size(); ++e) {
    if (owner[e] < 0) data[e] = 0;
  }
  return shares;
}

Tensor player_shares(const Question& question, const Attribution& attribution) {
  Tensor shares = attribution.elements;
  spread(question, attribution.values, shares.mutable_data<double>());
  return shares;
}

std::vector<double> pixel_sums(const Question& question, const Tensor& shares) {
  require(question.players.image.has_value(), "pixels", "the input is not an image");
  const ImageShape& image = *question.players.image;
  const std::span<const double> data = shares.data<double>();
  std::vector<double> pixels;
  pixels.reserve(static_cast<size_t>(image.height * image.width));
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      double sum = 0;
      for (int64_t c = 0; c < image.channels; ++c) sum += data[static_cast<size_t>(element_of(image, c, y, x))];
      pixels.push_back(sum);
    }
  }
  return pixels;
}

std::vector<double> pixel_shares(const Method& method, const Question& question, const Attribution& attribution) {
  return pixel_sums(question, element_shares(method, question, attribution));
}

}  // namespace ascribe::core
