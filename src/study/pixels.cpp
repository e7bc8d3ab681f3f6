#include "study/pixels.h"

#include <set>

namespace ascribe::core::study {

PixelValues pixel_values(const Method& method, const Attribution& attribution, const Players& players) {
  const ImageShape& shape = *players.image;
  const auto elements = attribution.elements.data<double>();
  const bool once = method.players || attribution.of_players;
  PixelValues values;
  for (int64_t y = 0; y < shape.height; ++y) {
    for (int64_t x = 0; x < shape.width; ++x) {
      std::set<int32_t> owners;
      double sum = 0;
      for (int64_t c = 0; c < shape.channels; ++c) {
        const auto element = static_cast<size_t>(element_of(shape, c, y, x));
        const int32_t owner = players.owner[element];
        const bool counted = owner >= 0 && once && owners.contains(owner);
        if (owner >= 0) owners.insert(owner);
        if (owner >= 0 && !counted) sum += elements[element];
      }
      values.push_back(owners.empty() ? std::nullopt : std::optional(sum));
    }
  }
  return values;
}

std::vector<int32_t> pixel_owners(const Players& players) {
  const ImageShape& image = *players.image;
  std::vector<int32_t> owners;
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      int32_t owner = -1;
      for (int64_t c = 0; c < image.channels && owner < 0; ++c) {
        owner = players.owner[static_cast<size_t>(element_of(image, c, y, x))];
      }
      owners.push_back(owner);
    }
  }
  return owners;
}

}  // namespace ascribe::core::study
