// What commands that work in parts share: --shard, and what is said of a part (docs/howto/shards.md).
#pragma once

#include "cli/shared_options.h"
#include "study/parts/part_work.h"

namespace ascribe::core::cli {

void add_shard(Options& options, std::string& shard);

// Complains of a place that cannot be a folder of parts. An empty shard is all of the work.
study::PartRequest part_request(const std::string& shard, const Output& output);

// The part as JSON, or in words.
int show_part(const study::PartResult& result, const study::PartRequest& request, const General& general);

// A few of them, and how many more there are.
std::vector<std::string> some_notes(std::vector<std::string> notes);

}  // namespace ascribe::core::cli
