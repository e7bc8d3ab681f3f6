// Groups of elements as a JSON file: players of an image, of a table and of a series.
#include "fuzz/target.h"
#include "game/players.h"

namespace ascribe::core::fuzz::target_groups {
namespace {

void check(const Players& players) {
  for (const int32_t owner : players.owner) hold(owner >= -1 && owner < players.count(), "elements belong to players");
}

void feed(Bytes bytes) {
  const std::string file = "groups:" + scratch_file("groups.json", text_of(bytes));
  const ImageShape image{PixelLayout::chw, 3, 4, 4, 0, false};
  check(make_players({file, {6}, std::nullopt, {"a", "b", "c", "d", "rooms", "0:2"}, nullptr}));
  check(make_players({file, {3, 4, 4}, image, {}, nullptr}));
}

const RegisterTarget registered({"groups", "groups of elements as JSON", Form::json, 1024, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_groups
