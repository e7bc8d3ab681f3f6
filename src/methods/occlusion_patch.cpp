// Occlusion by windows: a_i = mean over the windows W that cover element i of f(x) - f(x with W at the baseline).
// Windows are squares of size x size pixels with all channels, runs of size steps of a series with all channels, or
// runs of size elements of other rows; they begin at 0, stride, 2 stride, ..., and the last one, which reaches the
// edge, may be cut off there. A player's value is the mean over its elements: a pixel gets its window's value once, not
// once for each channel. Source: Zeiler, Fergus, "Visualizing and Understanding Convolutional Networks" (2014).
#include "methods/game_graph.h"
#include "methods/question_game.h"

namespace ascribe::core::method_occlusion_patch {
namespace {

struct Extent {
  int64_t height = 1, width = 1;  // a row that is not an image has one line
};

Extent extent_of(const Players& players) {
  if (const auto& plane = players.plane()) return {plane->height, plane->width};
  return {1, std::ssize(players.owner)};
}

// Every pixel a player, or every element. What belongs to nobody stays so.
Players cells_of(const Players& players) {
  const Extent extent = extent_of(players);
  const auto& plane = players.plane();
  Players cells = players;
  cells.names.assign(static_cast<size_t>(extent.height * extent.width), "");
  for (int64_t y = 0; y < extent.height; ++y) {
    for (int64_t x = 0; x < extent.width; ++x) {
      for (int64_t c = 0; c < (plane ? plane->channels : 1); ++c) {
        const auto element = static_cast<size_t>(plane ? element_of(*plane, c, y, x) : x);
        if (cells.owner[element] >= 0) cells.owner[element] = static_cast<int32_t>(y * extent.width + x);
      }
    }
  }
  return cells;
}

struct Window {
  int64_t begin, end;
};

// Along one axis.
std::vector<Window> windows_along(int64_t extent, int64_t size, int64_t stride) {
  std::vector<Window> windows;
  for (int64_t begin = 0;; begin += stride) {
    windows.push_back({begin, std::min(begin + size, extent)});
    if (begin + size >= extent) return windows;
  }
}

int64_t size_of_windows(const Players& players, const Parameters& parameters) {
  const Extent extent = extent_of(players);
  const int64_t shorter = players.image ? std::min(extent.height, extent.width) : extent.width;
  const int64_t size = parameters.integer("size");
  return size > 0 ? size : std::max<int64_t>(2, shorter / 14);
}

CoalitionPlan plan_of(const Players& players, const Parameters& parameters) {
  const int64_t size = size_of_windows(players, parameters);
  const int64_t stride = parameters.integer("stride") == 0 ? size : parameters.integer("stride");
  if (stride > size) {
    fail(ErrorKind::argument, "occlusion_patch",
         "the windows would leave gaps; got stride {} and size {}; expected a stride of at most the size", stride,
         size);
  }
  const Extent extent = extent_of(players);
  const int64_t cells = extent.height * extent.width;
  CoalitionPlan plan{Coalitions(cells), cells, {}};
  const std::vector<uint64_t> all = everyone(cells);
  plan.sets.add(std::span<const uint64_t>(all));
  std::vector<std::vector<int64_t>> windows_of(static_cast<size_t>(cells));
  for (const Window& rows : windows_along(extent.height, players.image ? size : 1, players.image ? stride : 1)) {
    for (const Window& columns : windows_along(extent.width, size, stride)) {
      std::vector<uint64_t> words = all;
      for (int64_t y = rows.begin; y < rows.end; ++y) {
        for (int64_t cell = y * extent.width + columns.begin; cell < y * extent.width + columns.end; ++cell) {
          words[static_cast<size_t>(cell / 64)] &= ~(uint64_t{1} << (cell % 64));
          windows_of[static_cast<size_t>(cell)].push_back(plan.sets.size());
        }
      }
      plan.sets.add(std::span<const uint64_t>(words));
    }
  }
  for (int64_t cell = 0; cell < cells; ++cell) {
    const auto& covering = windows_of[static_cast<size_t>(cell)];
    plan.terms.push_back({cell, 0, 1});
    for (const int64_t set : covering) plan.terms.push_back({cell, set, -1 / static_cast<double>(covering.size())});
  }
  return plan;
}

std::vector<Value> graph(const AttributionRequest& r) {
  const Players players = players_of(r);
  return append_plan(r, cells_of(players), plan_of(players, r.parameters));
}

// The mean over the elements of each player.
std::vector<double> means_of_players(const Players& players, const Tensor& elements) {
  std::vector<double> sums(static_cast<size_t>(players.count())), counts = sums;
  for (size_t i = 0; i < players.owner.size(); ++i) {
    if (players.owner[i] < 0) continue;
    sums[static_cast<size_t>(players.owner[i])] += elements.at(static_cast<int64_t>(i));
    counts[static_cast<size_t>(players.owner[i])] += 1;
  }
  for (size_t p = 0; p < sums.size(); ++p) sums[p] /= std::max(counts[p], 1.0);
  return sums;
}

std::vector<Attribution> attribute(ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
  std::vector<Attribution> answers;
  for (const Question& question : questions) {
    const Question cells{question.point, question.target, question.baselines, cells_of(question.players)};
    const Attribution by_cell = attribution_of_plan(model, cells, plan_of(question.players, run.parameters), run);
    Attribution answer = attribution_of_players(question, means_of_players(question.players, by_cell.elements),
                                                by_cell.output, by_cell.baseline_output);
    answer.elements = by_cell.elements;
    answer.evaluations = by_cell.evaluations;
    answer.notes = by_cell.notes;
    answers.push_back(std::move(answer));
  }
  return answers;
}

const RegisterMethod occlusion_patch(
    {.name = "occlusion_patch",
     .title = "Occlusion by patches",
     .number = 3,
     .formula = "a_i = mean over windows W covering i of f(x) - f(x with W at b)",
     .source = "Zeiler, Fergus 2014",
     .about = "A square window is moved over the image and all that it covers is replaced by the baseline, in all "
              "channels. Every element gets what its window takes away; where windows overlap, the mean. Windows of a "
              "series are steps that follow each other, with all channels; other rows get windows along the row. A "
              "player's value is the mean over its elements.",
     .cost = "one forward pass, and one for every window and baseline",
     .use = "For images, where single pixels hardly matter alone. Windows should be about as large as the parts that "
            "one would name.",
     .limits = "All elements of a window get the same, also those that do nothing: its value includes the effects of "
               "its other elements. Values depend on the size of the window and do not sum to the change.",
     .baselines = true,
     .players = true,
     .linear = true,
     .parameters = {integer_parameter(
                        "size", 0, 0, 1 << 20,
                        "pixels along a side of the window, steps of a series, or elements of a row; 0: a "
                        "fourteenth of the shorter side, at least 2"),
                    integer_parameter("stride", 0, 0, 1 << 20, "from one window to the next; 0: the size, no overlap")},
     .graph = graph,
     .attribute = attribute});

}  // namespace
}  // namespace ascribe::core::method_occlusion_patch
