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

// What a reader needs first: what the model said, the one explanation to trust drawn large, what mattered most, how
// sure that is, which method it is and what the page cannot say.
void write_first_screen(Html& html, const RowPage& page);
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
void write_estimated(Html& html, const RowPage& page);  // nothing if there are none
void write_principles(Html& html, const RowPage& page);
void write_agreement(Html& html, const RowPage& page);
void write_metrics(Html& html, const RowPage& page);
// `record`: the hash of report.json.
void write_settings(Html& html, const Document& document, const std::string& record);
void write_words(Html& html);
void write_cuts(Html& html, const Document& document);        // by a limit of time; nothing if there are none
void write_cut_notice(Html& html, const Document& document);  // a line that leads there
void write_time(Html& html, const Document& document);        // where it went
// The reason, in the place of a section that is not there.
void write_absent(Html& html, const RowPage& page, const std::string& part, const std::string& heading);

// The margins of printed pages, as a style sheet. `record`: the hash of report.json.
std::string paper_styles(const Document& document, const std::string& record);
// A sentence that only the printed page has: of what is on screen and not on paper.
void on_paper(Html& html, const std::string& text);
// A text of which paper has the first sentence.
void write_gist(Html& html, const std::string& text);

// ---- drawings of one method, for the first screen ----

std::string heat_picture(const Row& row, const MethodResult& method);  // of images and sequences: the colours, as a URI
void write_input_line(Html& html, const Row& row);                     // of sequences of numbers
void write_tokens(Html& html, const Row& row, const MethodResult& method);
void write_lines(Html& html, const Row& row, const MethodResult& method);  // of series

// What the script needs of a row: names, values, maps, each once.
Json script_data(const Row& row);

// ---- what sections share ----

// A heading, "how to read this" and the content.
void section(Html& html, const std::string& id, const std::string& heading, const std::string& how_to_read,
             const std::function<void()>& content);

// What only experts ask for: closed at first, opened by itself or, everywhere, by the switch "For experts".
enum class Paper { with, without };  // whether the printed page has it too
void for_experts(Html& html, const std::string& what, const std::function<void()>& content, Paper paper = Paper::with);
// A word of the glossary, linked to it where it first stands.
void glossary_link(Html& html, const std::string& word, const std::string& text);
// A mark beside a method's name: the one to trust, one that passes too, or one whose numbers are no shares.
void write_kind(Html& html, const Row& row, const MethodResult& method);
// What a metric does in everyday words, or else its title.
std::string metric_heading(const std::string& name, const std::string& title);
// Methods that were not run, and why.
void write_left_out(Html& html, const Row& row);

std::string plain_number(const Number& value);                  // "1.23", "12,300": for everybody
std::string plain_signed_number(const Number& value);           // "+1.23"
std::string plain_beside(const Number& value, double largest);  // signed, no finer than three digits of the largest
std::string rough_percent(const Number& share);                 // "12 %", "less than 1 %"
std::string number_text(const Number& value);                   // "1.234"; "–" if there is none
std::string signed_number_text(const Number& value);            // "+1.234"
std::string percent_text(const Number& share);                  // "12.3 %"
std::string exact_text(const Number& value);                    // all digits, for the script; empty if there is none
bool has_classes(const Row& row);                               // otherwise the model gives a value
std::string class_text(const Row& row, int64_t index, const std::optional<std::string>& label);
std::string target_text(const Row& row);
std::string explained_text(const Row& row);  // "logit of boot", "value 2 of output"
// The title of the method with this name; the name itself if the row does not have it.
const std::string& title_of(const Row& row, const std::string& method);
// "steps=64, layer=last"; empty if there are none.
std::string facts_text(const Facts& facts);
std::string listed(const std::vector<std::string>& items);  // "a, b and c"
std::string plural(size_t count, const std::string& one);   // "1 player", "3 players"

// A cell with a number by which tables are sorted.
void number_cell(Html& html, const Number& value, const std::string& text);
// The head of a column: a button once the script runs. `first`: one of those that a narrow window shows at first.
void sortable_head(Html& html, const std::string& text, bool number = true, bool first = true);
// What may be wider than the page scrolls in a frame of its own.
void scrolling(Html& html, const std::string& label, const std::function<void()>& content);
// As in report/diverging.h, with letters that can be read on it. `t` from -1 to 1.
std::string cell_style(double t);

// The explanation to trust (study/trusted.h); null if there is no method.
const MethodResult* trusted_method(const Row& row);
// The first `most` players, the strongest in the explanation to trust first.
std::vector<size_t> strongest_players(const Row& row, size_t most);
double largest_magnitude(const std::vector<Number>& values);

// What a method says at every pixel of an image, or at every position of a sequence.
std::vector<Number> shown_values(const Row& row, const MethodResult& method);
struct Extent {
  int64_t width = 0, height = 0;
};
Extent extent(const Row& row);

}  // namespace ascribe::core::page
