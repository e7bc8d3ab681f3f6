// ascribe: explains neural networks read from ONNX files, and says how far an explanation can be trusted. This header
// is all of the interface; docs/howto/cpp-api.md shows how to use it.
//
// Objects of the interface are handles: copying one is cheap, and what it stands for may grow in later versions without
// a program having to be compiled again (docs/decisions/014-handles-keep-the-abi.md).
#pragma once

#include <ascribe/error.h>
#include <ascribe/methods.h>
#include <ascribe/model.h>
#include <ascribe/parts.h>
#include <ascribe/question.h>
#include <ascribe/replay.h>
#include <ascribe/results.h>
