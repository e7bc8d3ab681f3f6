// The sections of the page, one file each, and what they share. `number` counts the rows of the report from 0 and makes
// the names of anchors unique.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/page/html.h"
#include "study/document.h"

namespace ascribe::core::page {

using document::Absent, document::Agreement, document::CutPart, document::SpentPart, document::TimeSpent,
    document::Difference, document::Document, document::Effects, document::Facts, document::RowKind, document::LeftOut,
    document::Map, document::MethodPrinciples, document::MethodResult, document::MetricScores, document::Number,
    document::OrderEffects, document::PlayerList, document::Principles, document::Row, document::Score,
    document::SetEffect, document::TextToken, document::TopClass, document::Verdict, document::fact_text;

struct RowPage {
  const Document& document;
  const Row& row;
  size_t number = 0;

  std::string id(const std::string& name) const { return "row" + std::to_string(number) + "-" + name; }
};

void write_summary(Html& html, const RowPage& page);
void write_prediction(Html& html, const RowPage& page);
void write_maps(Html& html, const RowPage& page);  // of images and sequences
void write_input_series(Html& html, const Row& row);
void write_series(Html& html, const RowPage& page);  // of series: lines over time
void write_bars(Html& html, const RowPage& page);    // of tables: bars and waterfalls
void write_text(Html& html, const RowPage& page);    // of tokens: the text in colours
void write_inputs(Html& html, const RowPage& page);  // of several inputs: each by itself
void write_players(Html& html, const RowPage& page);
void write_completeness(Html& html, const RowPage& page);
void write_effects(Html& html, const RowPage& page);
void write_principles(Html& html, const RowPage& page);
void write_agreement(Html& html, const RowPage& page);
void write_metrics(Html& html, const RowPage& page);
void write_settings(Html& html, const Document& document);
void write_words(Html& html);
void write_cuts(Html& html, const Document& document);        // by a limit of time; nothing if there are none
void write_cut_notice(Html& html, const Document& document);  // a line that leads there
void write_time(Html& html, const Document& document);        // where it went
// The reason, in the place of a section that is not there.
void write_absent(Html& html, const RowPage& page, const std::string& part, const std::string& heading);

// What the script needs of a row: names, values, maps, each once.
Json script_data(const Row& row);

// ---- what sections share ----

// A heading, "how to read this" and the content.
void section(Html& html, const std::string& id, const std::string& heading, const std::string& how_to_read,
             const std::function<void()>& content);

std::string number_text(const Number& value);         // "1.234"; "–" if there is none
std::string signed_number_text(const Number& value);  // "+1.234"
std::string percent_text(const Number& share);        // "12.3 %"
std::string exact_text(const Number& value);          // all digits, for the script; empty if there is none
bool has_classes(const Row& row);                     // otherwise the model gives a value
std::string class_text(const Row& row, int64_t index, const std::optional<std::string>& label);
std::string target_text(const Row& row);
std::string explained_text(const Row& row);  // "logit of boot", "value 2 of output"
// The title of the method with this name; the name itself if the row does not have it.
const std::string& title_of(const Row& row, const std::string& method);
// "steps=64, layer=last"; empty if there are none.
std::string facts_text(const Facts& facts);
std::string listed(const std::vector<std::string>& items);  // "a, b and c"
std::string plural(size_t count, const std::string& one);   // "1 player", "3 players"
// "rooms = 4", or only the name.
std::string player_text(const PlayerList& players, size_t player);

// A cell with a number by which tables are sorted.
void number_cell(Html& html, const Number& value, const std::string& text);
// The head of a column: a button once the script runs.
void sortable_head(Html& html, const std::string& text, bool number = true);
// What may be wider than the page scrolls in a frame of its own.
void scrolling(Html& html, const std::string& label, const std::function<void()>& content);
// As in report/diverging.h, with letters that can be read on it. `t` from -1 to 1.
std::string cell_style(double t);

// How much players matter, all methods together: the mean over methods of |value| / largest |value|.
std::vector<double> importance(const Row& row);
// The first `most` players, the most important first.
std::vector<size_t> strongest_players(const Row& row, size_t most);
double largest_magnitude(const std::vector<Number>& values);

// What a method says at every pixel of an image, or at every position of a sequence.
std::vector<Number> shown_values(const Row& row, const MethodResult& method);
struct Extent {
  int64_t width = 0, height = 0;
};
Extent extent(const Row& row);

}  // namespace ascribe::core::page
