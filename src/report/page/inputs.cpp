// Several inputs that were explained together: how much each got, and a part for each with its own maps, lines or
// table.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/diverging.h"
#include "draw/heat_map.h"
#include "report/page/places.h"
#include "report/page/tracks.h"

namespace ascribe::core::page {

namespace {

using document::GivenToInput, document::InputPart;

constexpr size_t kShownOfInput = 30;  // players of an input that is a table

// Of everything that a method gave, without signs: which part went to this input.
Number share_of(const Row& row, size_t part, size_t method) {
  double all = 0;
  for (const InputPart& one : row.parts) all += one.given[method].strength.value_or(0);
  if (all <= 0) return std::nullopt;
  return row.parts[part].given[method].strength.value_or(0) / all;
}

void write_share(Html& html, const Number& share) {
  html.in("td", {{"class", "share"}}, [&] {
    html.in("span", {{"class", "share-bar"}, {"style", fmt::format("width:{:.1f}%", 100 * share.value_or(0))}}, "");
    html.in("span", {{"class", "number"}}, percent_text(share));
  });
}

void write_shares(Html& html, const Row& row) {
  scrolling(html, "What each input got", [&] {
    html.in("table", {{"class", "shares"}}, [&] {
      html.in("caption", {{"class", "hidden"}}, "What each input got from every method");
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          html.in("th", {{"scope", "col"}}, "method");
          for (const InputPart& part : row.parts) {
            html.in("th", {{"scope", "col"}, {"class", "number"}}, part.name);
            html.in("th", {{"scope", "col"}}, fmt::format("share of {}", part.name));
          }
        });
      });
      html.in("tbody", {}, [&] {
        for (size_t m = 0; m < row.methods.size(); ++m) {
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, row.methods[m].title);
            for (size_t k = 0; k < row.parts.size(); ++k) {
              html.in("td", {{"class", "number"}}, signed_number_text(row.parts[k].given[m].sum));
              write_share(html, share_of(row, k, m));
            }
          });
        }
      });
    });
  });
}

// ---- one input ----

Image colors_of(const std::vector<Number>& values, const Image& size, double limit) {
  Image image{size.height, size.width, 3, {}, false};
  for (const Number& value : values) {
    const double t = value && limit > 0 ? std::clamp(*value / limit, -1.0, 1.0) : 0;
    for (const double channel : value ? diverging(t) : Rgb{190, 190, 190}) {
      image.pixels.push_back(static_cast<float>(channel));
    }
  }
  return image;
}

std::vector<Number> shares_here(const Row& row, const InputPart& part, size_t method) {
  return shares_of_series(part.owner.size(), part.owner, part.given[method].map, row.methods[method].values);
}

void write_caption(Html& html, const Row& row, const InputPart& part, size_t method) {
  const MethodResult& result = row.methods[method];
  html.in("figcaption", {}, [&] {
    html.in("b", result.title);
    write_kind(html, row, result);
    html.in("span", {{"class", "faint"}}, fmt::format("sum {}", signed_number_text(part.given[method].sum)));
  });
}

void write_picture(Html& html, const RowPage& page, size_t place, size_t method) {
  const InputPart& part = page.row.parts[place];
  const std::vector<Number> shares = shares_here(page.row, part, method);
  const double limit = robust_limit(shares);
  const std::string strongest = strongest_player_text(page.row.players, page.row.methods[method].values, part.players);
  html.in("figure", {{"class", "card"}}, [&] {
    write_caption(html, page.row, part, method);
    html.in("div",
            {{"class", "frame"},
             {"style", fmt::format("aspect-ratio:{}/{}", part.image->width, part.image->height)},
             {"role", "img"},
             {"aria-label", fmt::format("Heat map of {} over {}; {}", page.row.methods[method].title, part.name,
                                        strongest.empty() ? "nothing was given to it" : strongest)}},
            [&] {
              html.in("div", {{"class", fmt::format("ground ground{}-{}", page.number, place)}}, "");
              html.single("img",
                          {{"class", "heat"}, {"src", data_uri(colors_of(shares, *part.image, limit))}, {"alt", ""}});
            });
    write_ramp(html, limit, false);
  });
}

void write_line_plot(Html& html, const RowPage& page, size_t place, size_t method) {
  const InputPart& part = page.row.parts[place];
  const std::vector<Number> shares = shares_here(page.row, part, method);
  const double limit = robust_limit(shares);
  html.in("figure", {{"class", "card series"}}, [&] {
    write_caption(html, page.row, part, method);
    write_tracks(
        html,
        {*part.series, page.id(fmt::format("input{}", place)),
         fmt::format("{} over the steps of {}", page.row.methods[method].title, part.name), 0, false},
        {shares, limit,
         sums_of_channels(*part.series, shares, part.owner, page.row.methods[method].values, part.given[method].sum)});
    write_ramp(html, limit);
  });
}

// Columns of a table, or whatever has no place: a line for each player and a column for each method.
void write_numbers(Html& html, const Row& row, const InputPart& part) {
  std::vector<size_t> order = part.players;
  if (const MethodResult* trusted = trusted_method(row)) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::abs(trusted->values[a].value_or(0)) > std::abs(trusted->values[b].value_or(0));
    });
  }
  const size_t shown = std::min(order.size(), kShownOfInput);
  std::vector<double> limits;
  for (const MethodResult& method : row.methods) limits.push_back(largest_magnitude(method.values));
  const Places places(row);
  scrolling(html, "Numbers of " + part.name, [&] {
    html.in("table", {{"class", "players"}}, [&] {
      html.in("caption", {{"class", "hidden"}}, "What the numbers of " + part.name + " got from every method");
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          html.in("th", {{"scope", "col"}}, "number");
          if (!row.players.values.empty()) html.in("th", {{"scope", "col"}, {"class", "number"}}, "value");
          for (const MethodResult& method : row.methods) {
            html.in("th", {{"scope", "col"}, {"class", "number"}}, method.title);
          }
        });
      });
      html.in("tbody", {}, [&] {
        for (size_t i = 0; i < shown; ++i) {
          const size_t p = order[i];
          html.in("tr", {{"data-player", std::to_string(p)}}, [&] {
            html.in("th", {{"scope", "row"}}, places.name(p));
            if (!row.players.values.empty()) html.in("td", {{"class", "number"}}, row.players.values[p]);
            for (size_t m = 0; m < row.methods.size(); ++m) {
              const Number value = row.methods[m].values[p];
              html.in("td",
                      {{"class", "number"}, {"style", cell_style(limits[m] > 0 ? value.value_or(0) / limits[m] : 0)}},
                      signed_number_text(value));
            }
          });
        }
      });
    });
  });
  if (shown < order.size()) {
    html.in("p", {{"class", "faint"}}, fmt::format("The strongest {} of {}.", shown, order.size()));
  }
}

void write_part(Html& html, const RowPage& page, size_t place) {
  const InputPart& part = page.row.parts[place];
  const Row& row = page.row;
  html.in("div", {{"class", "input-part"}, {"id", page.id(fmt::format("part{}", place))}}, [&] {
    html.in("h4", part.name);
    const MethodResult* trusted = trusted_method(row);
    const Number share =
        trusted != nullptr ? share_of(row, place, static_cast<size_t>(trusted - row.methods.data())) : Number();
    html.in("p", {{"class", "faint"}},
            share
                ? fmt::format("{} of all that {} shares out went to this input.", rough_percent(share), trusted->title)
                : std::string("Nothing went to any input."));
    if (part.series) write_lines(html, {*part.series, page.id(fmt::format("input{}", place)), ""});
    if (!part.image && !part.series) return write_numbers(html, row, part);
    html.in("div", {{"class", part.image ? "maps of-input" : "over-time wide"}}, [&] {
      for (size_t m = 0; m < row.methods.size(); ++m) {
        if (part.image) write_picture(html, page, place, m);
        else write_line_plot(html, page, place, m);
      }
    });
  });
}

}  // namespace

void write_inputs(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "The model takes several inputs, and they were explained together: what a method shares out goes to all of them. "
      "The table says what each input got from each method, and its share of all amounts without their signs, so that "
      "amounts of both signs do not cancel. Below, every input is shown by itself: red raises the result, blue lowers "
      "it, white does nothing. Colours have a scale of their own for every method and input. Methods marked “own "
      "units” "
      "show where the model reacts, not how much each part adds.";
  section(html, page.id("maps"), "The inputs, one by one", how, [&] {
    write_shares(html, row);
    for (size_t k = 0; k < row.parts.size(); ++k) write_part(html, page, k);
    write_left_out(html, row);
  });
}

}  // namespace ascribe::core::page
