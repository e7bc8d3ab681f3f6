// ascribe: explains neural networks read from ONNX files. This header is all of the interface; docs/howto/cpp-api.md
// shows how to use it.
#pragma once

#include <ascribe/error.h>
#include <ascribe/methods.h>
#include <ascribe/model.h>
