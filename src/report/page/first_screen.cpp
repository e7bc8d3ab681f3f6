// First on the page: five answers in plain words beside the one explanation to trust, drawn large. Everything is
// derived from the figures further down.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/page/first_words.h"
#include "report/page/places.h"
#include "report/page/sections.h"
#include "study/trusted.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kFirstBars = 8, kMostReasons = 4;

using document::Sureness, document::Trusted;

const char* sure_words(Sureness sure) {
  switch (sure) {
    case Sureness::well: return "Well supported.";
    case Sureness::fairly: return "Fairly well supported.";
    default: return "Take it with care.";
  }
}

const char* sure_class(Sureness sure) {
  switch (sure) {
    case Sureness::well: return "sure well";
    case Sureness::fairly: return "sure fairly";
    default: return "sure care";
  }
}

// ---- the drawing ----

void write_key(Html& html, const Row& row) {
  html.in("div", {{"class", "scale"}}, [&] {
    html.in("span", "lowers");
    html.in("span", {{"class", "ramp"}, {"aria-hidden", "true"}}, "");
    html.in("span", "raises");
    html.in("span", {{"class", "hidden"}}, what_is_explained(row));
  });
}

void write_picture(Html& html, const RowPage& page, const MethodResult& method) {
  const Row& row = page.row;
  const std::string ratio = fmt::format("aspect-ratio:{}/{}", row.image->width, row.image->height);
  html.in("div", {{"class", "first-pictures"}}, [&] {
    html.in("figure", {{"class", "first-input"}}, [&] {
      html.in("div",
              {{"class", "frame still"}, {"style", ratio}, {"role", "img"}, {"aria-label", "The input " + row.source}},
              [&] {
                html.in("div", {{"class", "ground whole ground" + std::to_string(page.number)}}, "");
              });
      html.in("figcaption", row.source);
    });
    html.in("figure", {{"class", "first-map"}}, [&] {
      html.in("div",
              {{"class", "frame still"},
               {"style", ratio},
               {"role", "img"},
               {"aria-label", "What mattered by " + method.title + ". " + what_mattered(row, method)}},
              [&] {
                html.in("div", {{"class", "ground ground" + std::to_string(page.number)}}, "");
                html.single("img", {{"class", "heat"}, {"src", heat_picture(row, method)}, {"alt", ""}});
              });
      write_key(html, row);
    });
  });
}

void write_strip(Html& html, const Row& row, const MethodResult& method) {
  write_input_line(html, row);
  html.in("div", {{"class", "frame strip still"}, {"role", "img"}, {"aria-label", "What mattered by " + method.title}},
          [&] {
            html.single("img", {{"class", "heat"}, {"src", heat_picture(row, method)}, {"alt", ""}});
          });
  write_key(html, row);
}

void write_strongest(Html& html, const Row& row, const MethodResult& method) {
  const Places places(row);
  const double limit = largest_magnitude(method.values);
  const std::vector<size_t> shown = strongest_players(row, kFirstBars);
  html.in(
      "div", {{"class", "bars first-bars"}, {"role", "list"}, {"aria-label", "What mattered by " + method.title}}, [&] {
        for (const size_t player : shown) {
          const double value = method.values[player].value_or(0), half = limit > 0 ? 50 * std::abs(value) / limit : 0;
          html.in("div", {{"class", "bar"}, {"role", "listitem"}, {"data-player", std::to_string(player)}}, [&] {
            html.in("span", {{"class", "name"}}, places.text(player));
            html.in("span", {{"class", "track zero"}}, [&] {
              html.in("span",
                      {{"class", value < 0 ? "fill negative" : "fill positive"},
                       {"style", fmt::format("left:{:.2f}%;width:{:.2f}%", value < 0 ? 50 - half : 50, half)}},
                      "");
            });
            html.in("span", {{"class", "number"}}, plain_beside(method.values[player], limit));
          });
        }
      });
  if (shown.size() < row.players.count()) {
    html.in("p", {{"class", "faint"}},
            fmt::format("The strongest {} of {}.", shown.size(), counted_parts(row.kind, row.players)));
  }
}

void write_drawing(Html& html, const RowPage& page, const MethodResult& method) {
  const Row& row = page.row;
  switch (row.kind) {
    case RowKind::image: return write_picture(html, page, method);
    case RowKind::table: return write_strongest(html, row, method);
    case RowKind::text:
      html.in("div", {{"class", "first-text"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "The text"}},
              [&] { write_tokens(html, row, method); });
      return write_key(html, row);
    case RowKind::series: write_lines(html, row, method); return write_key(html, row);
    default: return write_strip(html, row, method);
  }
}

// ---- the answers ----

void answer(Html& html, const std::string& name, const std::string& question, const std::function<void()>& content) {
  html.in("div", {{"class", "answer " + name}}, [&] {
    html.in("dt", question);
    html.in("dd", {}, content);
  });
}

// Text in which the first of each word that the glossary explains leads there.
class Explaining {
 public:
  void write(Html& html, std::string_view text) {
    for (;;) {
      size_t at = std::string_view::npos;
      Phrase* next = nullptr;
      for (Phrase& phrase : phrases_) {
        const size_t found = phrase.told ? std::string_view::npos : text.find(phrase.text);
        if (found < at) at = found, next = &phrase;
      }
      if (next == nullptr) break;
      html.text(text.substr(0, at));
      glossary_link(html, next->word, next->text);
      text.remove_prefix(at + std::string_view(next->text).size());
      next->told = true;
    }
    html.text(text);
  }

 private:
  struct Phrase {
    const char *text, *word;
    bool told = false;
  };
  Phrase phrases_[3] = {{"three checks", "checks"}, {"foretells", "foretelling"}, {"hidden", "hidden"}};
};

void write_sure(Html& html, const Trusted& trusted, Explaining& explaining) {
  html.in("b", {{"class", sure_class(trusted.sure)}}, sure_words(trusted.sure));
  for (size_t i = 0; i < std::min(kMostReasons, trusted.reasons.size()); ++i) {
    explaining.write(html, " " + trusted.reasons[i]);
  }
}

void write_limits(Html& html, const Trusted& trusted) {
  html.in("ul", {}, [&] {
    for (const std::string& limit : trusted.limits) html.in("li", limit);
  });
}

void write_which(Html& html, const RowPage& page, const Trusted& trusted, const MethodResult* method,
                 Explaining& explaining) {
  if (method != nullptr && trusted.why.starts_with(method->title)) {
    html.in("b", method->title);
    explaining.write(html, trusted.why.substr(method->title.size()) + " ");
  } else {
    if (method != nullptr) html.in("b", method->title + ".");
    explaining.write(html, " " + trusted.why + " ");
  }
  if (page.row.methods.size() > 1) html.in("a", {{"href", "#" + page.id("maps")}}, "All methods side by side");
}

}  // namespace

void write_first_screen(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const Trusted trusted = document::trusted_in(row);
  const MethodResult* method = trusted_method(row);
  Explaining explaining;
  section(html, page.id("summary"), headline(page), "", [&] {
    html.in("p", {{"class", "said"}}, what_it_said(page));
    html.in("div", {{"class", fmt::format("first of-{}", to_string(row.kind))}}, [&] {
      html.in("div", {{"class", "first-drawing"}}, [&] {
        if (method != nullptr) write_drawing(html, page, *method);
      });
      html.in("dl", {{"class", "answers"}}, [&] {
        answer(html, "mattered", "What mattered most?",
               [&] { html.text(method != nullptr ? what_mattered(row, *method) : "No method was run."); });
        answer(html, "how-sure", "How sure is that?", [&] { write_sure(html, trusted, explaining); });
        answer(html, "which", "Which method is this, and why this one?",
               [&] { write_which(html, page, trusted, method, explaining); });
        answer(html, "not-said", "What can this page not say?", [&] { write_limits(html, trusted); });
      });
    });
  });
}

}  // namespace ascribe::core::page
