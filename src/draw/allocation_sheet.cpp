#include "draw/allocation_sheet.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/axis.h"
#include "draw/diverging.h"
#include "draw/heat_map.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr size_t kBlocksInABand = 7;
constexpr double kCell = 24, kCellHeight = 19, kBlockGap = 80, kBandHead = 30, kBandFoot = 44;
constexpr double kNothingGiven = 1e-3;  // of the largest effect: not framed

class SheetPainter {
 public:
  SheetPainter(const AllocationSheet& sheet, Svg& svg)
      : sheet_(sheet), svg_(svg), limit_(symmetric_limit(sheet.effects)) {}

  void draw_sets(double top) {
    for (size_t s = 0; s < sheet_.sets.size(); ++s) {
      const double y = top + kCellHeight * static_cast<double>(s);
      for (int i = 0; i < sheet_.players; ++i) {
        const bool inside = (sheet_.sets[s] >> i & 1) != 0;
        svg_.rectangle({kMargin + 13.0 * i, y + 4}, 10, 10, inside ? "#444444" : "#ffffff", {"#999999", 1});
      }
      svg_.text({effect_left() - 8, y + 14}, fmt::format("{:+.2f}", sheet_.effects[s]),
                {.size = 12, .anchor = Anchor::end});
      cell({effect_left(), y}, sheet_.effects[s], false);
    }
    svg_.text({kMargin, top - 10}, "set S", {.size = 12.5, .bold = true});
    svg_.text({effect_left() + kCell, top - 10}, "effect J(S)", {.size = 12.5, .anchor = Anchor::end, .bold = true});
  }

  void draw_block(const AllocationBlock& block, double left, double top) {
    svg_.text({left, top - 10}, block.name, {.size = 12.5, .bold = true});
    for (size_t s = 0; s < sheet_.sets.size(); ++s) {
      for (int i = 0; i < sheet_.players; ++i) {
        const double given = block.given[s * static_cast<size_t>(sheet_.players) + static_cast<size_t>(i)];
        const bool outside = (sheet_.sets[s] >> i & 1) == 0;
        cell({left + kCell * i, top + kCellHeight * static_cast<double>(s)}, given,
             outside && std::abs(given) > kNothingGiven * limit_);
      }
    }
    svg_.text({left, top + kCellHeight * static_cast<double>(sheet_.sets.size()) + 18}, block.remark,
              {.size = 12, .color = "#444444"});
  }

  double effect_left() const { return kMargin + 13.0 * sheet_.players + 64; }
  double blocks_left() const { return effect_left() + kCell + 34; }
  double limit() const { return limit_; }

 private:
  void cell(Point corner, double value, bool framed) {
    svg_.rectangle({corner.x + 1, corner.y + 1}, kCell - 2, kCellHeight - 2, hex(diverging(value / limit_)),
                   framed ? Stroke{"#000000", 1.6} : Stroke{"#d9d9d9", 1});
  }

  const AllocationSheet& sheet_;
  Svg& svg_;
  double limit_;
};

}  // namespace

std::string allocation_sheet_svg(const AllocationSheet& sheet) {
  const double block = kCell * sheet.players + kBlockGap;
  const double band = kBandHead + kCellHeight * static_cast<double>(sheet.sets.size()) + kBandFoot;
  const size_t bands = (sheet.blocks.size() + kBlocksInABand - 1) / kBlocksInABand;
  const auto across = static_cast<double>(std::min(kBlocksInABand, sheet.blocks.size()));
  const double left = kMargin + 13.0 * sheet.players + 64 + kCell + 34;
  Svg svg(std::max(left + across * block + kMargin + 70, head_width(sheet.title, sheet.line)),
          kHead + band * static_cast<double>(bands) + kMargin);
  head(svg, sheet.title, sheet.line);
  SheetPainter painter(sheet, svg);
  for (size_t b = 0; b < bands; ++b) {
    const double top = kHead + band * static_cast<double>(b) + kBandHead;
    painter.draw_sets(top);
    for (size_t k = b * kBlocksInABand; k < std::min((b + 1) * kBlocksInABand, sheet.blocks.size()); ++k) {
      painter.draw_block(sheet.blocks[k], painter.blocks_left() + block * static_cast<double>(k - b * kBlocksInABand),
                         top);
    }
  }
  color_bar(svg, {painter.blocks_left() + across * block, kHead + kBandHead}, 200, painter.limit());
  return svg.finish();
}

}  // namespace ascribe::core
