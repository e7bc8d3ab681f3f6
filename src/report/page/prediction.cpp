// What the model said of the input, and the input itself.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kMostShown = 40;

void top_bar(Html& html, const Row& row, const TopClass& top, double length, bool target) {
  html.in("div", {{"class", target ? "bar target" : "bar"}}, [&] {
    html.in("span", {{"class", "name"}}, class_text(row, top.index, top.label));
    html.in("span", {{"class", "track"}}, [&] {
      html.in("span", {{"class", "fill plain"}, {"style", fmt::format("left:0;width:{:.2f}%", 100 * length)}}, "");
    });
    html.in("span", {{"class", "number"}}, top.probability ? percent_text(top.probability) : number_text(top.value));
  });
}

void write_top(Html& html, const Row& row) {
  if (row.top.empty()) return;
  const bool probable = std::any_of(row.top.begin(), row.top.end(), [](const TopClass& t) { return t.probability; });
  double largest = 0;
  for (const TopClass& top : row.top) largest = std::max(largest, std::abs(top.value.value_or(0)));
  html.in("div", {{"class", "bars top"}, {"role", "list"}, {"aria-label", "What the model said"}}, [&] {
    for (const TopClass& top : row.top) {
      const double length =
          probable ? top.probability.value_or(0) : (largest > 0 ? std::max(top.value.value_or(0), 0.0) / largest : 0);
      html.in("div", {{"role", "listitem"}},
              [&] { top_bar(html, row, top, std::clamp(length, 0.0, 1.0), top.index == row.target.index); });
    }
  });
}

void fact(Html& html, const std::string& name, const std::string& value) {
  html.in("div", {}, [&] {
    html.in("dt", name);
    html.in("dd", value);
  });
}

void write_facts(Html& html, const Row& row) {
  html.in("dl", {{"class", "facts"}}, [&] {
    fact(html, "Explained", explained_text(row));
    fact(html, "f(x), the input", number_text(row.output));
    fact(html, "f(b), the baseline", number_text(row.baseline_output));
    fact(html, "Change to explain", signed_number_text(row.change));
    fact(html, "Baseline b", row.baseline);
    fact(html, "Players", fmt::format("{} ({})", row.players.count(), row.players.description));
  });
}

// Tokens that belong together stand together.
void write_running_text(Html& html, const Row& row) {
  html.in("p", {{"class", "running"}}, [&] {
    for (const TextToken& token : row.text) html.text((token.space ? " " : "") + token.text);
  });
}

void write_values(Html& html, const Row& row) {
  if (row.kind == RowKind::text) return write_running_text(html, row);
  if (row.players.values.empty()) return;
  const size_t shown = std::min(kMostShown, row.players.count());
  scrolling(html, "The input", [&] {
    html.in("table", {{"class", "input"}}, [&] {
      html.in("tbody", {}, [&] {
        for (size_t p = 0; p < shown; ++p) {
          html.in("tr", {{"data-player", std::to_string(p)}}, [&] {
            html.in("th", {{"scope", "row"}}, row.players.names[p]);
            html.in("td", {{"class", "number"}}, row.players.values[p]);
          });
        }
      });
    });
  });
  if (shown < row.players.count()) {
    html.in("p", {{"class", "faint"}}, fmt::format("The first {} of {}.", shown, row.players.count()));
  }
}

}  // namespace

void write_prediction(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "The bars are the classes or values that the model puts first; the one that is explained is set in bold. f(x) is "
      "what is explained for the input and f(b) for the baseline, an input that is taken to say nothing. The "
      "difference is "
      "what a method hands out to the players, the parts of the input.";
  section(html, page.id("prediction"), "Prediction and input", how, [&] {
    html.in("div", {{"class", "columns"}}, [&] {
      html.in("div", {{"class", "input-side"}}, [&] {
        if (row.image) {
          html.in("figure", {{"class", "input-picture"}}, [&] {
            html.single("img", {{"src", data_uri(*row.image)},
                                {"alt", "The input " + row.source},
                                {"width", std::to_string(row.image->width)},
                                {"height", std::to_string(row.image->height)}});
            html.in("figcaption", row.source);
          });
        } else if (row.series) {
          write_input_series(html, row);
        } else {
          write_values(html, row);
        }
      });
      html.in("div", {{"class", "wide"}}, [&] {
        write_top(html, row);
        write_facts(html, row);
      });
    });
  });
}

}  // namespace ascribe::core::page
