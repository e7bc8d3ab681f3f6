// What the model said of the input, and the input itself.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/page/places.h"
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
  if (row.top.empty() || (row.top.size() == 1 && !has_classes(row))) return;  // one number is among the facts
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

void write_plain_facts(Html& html, const Row& row) {
  html.in("dl", {{"class", "facts"}}, [&] {
    fact(html, "The result for this input", plain_number(row.output));
    fact(html, "With everything hidden", plain_number(row.baseline_output));
    fact(html, "The difference, which is explained", plain_signed_number(row.change));
    fact(html, "Divided into", counted_parts(row.kind, row.players));
  });
}

void write_facts(Html& html, const Row& row) {
  html.in("dl", {{"class", "facts"}}, [&] {
    fact(html, "Explained", explained_text(row));
    fact(html, "f(x), the input", number_text(row.output));
    fact(html, "f(b), the baseline", number_text(row.baseline_output));
    fact(html, "Change f(x) − f(b)", signed_number_text(row.change));
    fact(html, "Baseline b", row.baseline);
    fact(html, "Players", fmt::format("{} ({})", row.players.count(), row.players.description));
    if (!row.output_name.empty()) fact(html, "Output of the model", row.output_name);
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
  const Places places(row);
  scrolling(html, "The input", [&] {
    html.in("table", {{"class", "input"}}, [&] {
      html.in("tbody", {}, [&] {
        for (size_t p = 0; p < shown; ++p) {
          html.in("tr", {{"data-player", std::to_string(p)}}, [&] {
            html.in("th", {{"scope", "row"}}, places.name(p));
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
  const std::string how = fmt::format(
      "{} To explain the result, parts of the input are hidden, which means replaced by a stand-in that is taken to "
      "say "
      "nothing, and the model is asked again. What is explained is the difference between the result for the whole "
      "input and the result with everything hidden.",
      has_classes(row) ? "The bars are the answers that the model puts first; the one explained here is in bold."
                       : "The bars are the numbers that the model gives; the one explained here is in bold.");
  section(html, page.id("prediction"), "What the model said", how, [&] {
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
        write_plain_facts(html, row);
        for_experts(html, "what exactly is explained", [&] { write_facts(html, row); });
      });
    });
  });
}

}  // namespace ascribe::core::page
