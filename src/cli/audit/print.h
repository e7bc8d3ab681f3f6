// An audit in words.
#pragma once

#include "study/audit.h"

namespace ascribe::core::cli {

void print_audit(const study::AuditResult& result);

}  // namespace ascribe::core::cli
