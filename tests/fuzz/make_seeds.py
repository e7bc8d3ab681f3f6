#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: tests/fuzz/make_seeds.py [ASCRIBE]

Small inputs that each target accepts, and some that it refuses for a reason worth mutating. What the program itself
writes (reports, records, parts, logs) is made by running it (build/ascribe) on a model of a few numbers.
"""

import gzip
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = HERE / "seeds"
LARGEST = 4096  # bytes of a seed; reports may be longer
written = 0


def seed(target, name, content):
    global written
    data = content.encode() if isinstance(content, str) else content
    assert target == "report" or len(data) <= LARGEST, (target, name, len(data))
    path = SEEDS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    written += len(data)


# ---- ONNX files, byte by byte ----

def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


FLOAT, INT64, STRING = 1, 7, 8


def tensor(name, dims, values, kind=FLOAT):
    raw = struct.pack(f"<{len(values)}{'f' if kind == FLOAT else 'q'}", *values)
    return b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name) + field(9, raw)


def attribute(name, value):
    if isinstance(value, bytes):
        return field(1, name) + field(5, value) + field(20, 4)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value[0], float):
        return field(1, name) + b"".join(field(7, v) for v in value) + field(20, 6)
    if isinstance(value[0], str):
        return field(1, name) + b"".join(field(9, v) for v in value) + field(20, 8)
    return field(1, name) + b"".join(field(8, v) for v in value) + field(20, 7)


def node(op, inputs, outputs, domain="", **attributes):
    out = b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs)
    out += field(3, outputs[0] + "_node") + field(4, op)
    out += b"".join(field(5, attribute(k, v)) for k, v in attributes.items())
    return out + (field(7, domain) if domain else b"")


def value_info(name, dims, kind=FLOAT):
    shape = b"".join(field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def model(nodes, inputs, outputs, weights=(), opset=17):
    graph = b"".join(field(1, n) for n in nodes) + field(2, "seed") + b"".join(field(5, w) for w in weights)
    graph += b"".join(field(11, i) for i in inputs) + b"".join(field(12, o) for o in outputs)
    opsets = field(8, field(2, opset)) + field(8, field(1, "ai.onnx.ml") + field(2, 3))
    return field(1, 8) + opsets + field(7, graph)


def wave(count):
    return [((7 * i + 3) % 11 - 5) / 4 for i in range(count)]


def models():
    x3, y2 = value_info("x", ["N", 3]), value_info("y", ["N", 2])
    image = value_info("x", ["N", 2, 5, 5])
    yield "dense.onnx", model(
        [node("MatMul", ["x", "w"], ["h"]), node("Add", ["h", "b"], ["g"]), node("Relu", ["g"], ["r"]),
         node("Gemm", ["r", "v"], ["z"], alpha=0.5, transB=1), node("Softmax", ["z"], ["y"], axis=1)],
        [x3], [y2], [tensor("w", [3, 4], wave(12)), tensor("b", [4], wave(4)), tensor("v", [2, 4], wave(8))])
    yield "conv.onnx", model(
        [node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 1]),
         node("BatchNormalization", ["c", "s", "b", "m", "s"], ["n"]), node("HardSwish", ["n"], ["a"]),
         node("MaxPool", ["a"], ["p"], kernel_shape=[2, 2]), node("AveragePool", ["p"], ["q"], kernel_shape=[2, 1]),
         node("Flatten", ["q"], ["f"]), node("ReduceSum", ["f", "axes"], ["y"], keepdims=1)],
        [image], [value_info("y", ["N", 1])],
        [tensor("w", [3, 2, 3, 3], wave(54)), tensor("b", [3], wave(3)), tensor("s", [3], [1.0, 0.5, 2.0]),
         tensor("m", [3], wave(3)), tensor("axes", [1], [1], INT64)])
    yield "nan.onnx", model(
        [node("Sqrt", ["x"], ["s"]), node("Log", ["x"], ["l"]), node("Clip", ["s", "lo", "hi"], ["c"]),
         node("Max", ["c", "l"], ["m"]), node("Where", ["w", "m", "x"], ["p"]), node("ReduceMax", ["p"], ["y"], axes=[1])],
        [x3], [value_info("y", ["N", 1])],
        [tensor("lo", [], [0.0]), tensor("hi", [], [1.0]),
         field(1, 3) + field(2, 9) + field(8, "w") + field(9, b"\1\0\1")])
    yield "shapes.onnx", model(
        [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0),
         node("Concat", ["n", "rest"], ["t"], axis=0), node("Reshape", ["x", "t"], ["r"]),
         node("Transpose", ["r"], ["u"], perm=[0, 2, 1]), node("Slice", ["u", "one", "big", "one"], ["v"]),
         node("Pad", ["v", "pads"], ["w"], mode="reflect"), node("Tile", ["w", "ones"], ["y"])],
        [value_info("x", ["N", 6])], [value_info("y", ["N", 3, 3])],
        [tensor("zero", [1], [0], INT64), tensor("rest", [2], [2, 3], INT64), tensor("one", [1], [1], INT64),
         tensor("big", [1], [9], INT64), tensor("pads", [6], [0, 0, 1, 0, 0, 0], INT64),
         tensor("ones", [3], [1, 1, 1], INT64)])
    yield "choices.onnx", model(
        [node("TopK", ["x", "k"], ["t", "i"], axis=1), node("ArgMax", ["x"], ["a"], axis=1, keepdims=1),
         node("Cast", ["a"], ["f"], to=1), node("ReverseSequence", ["x", "lengths"], ["q"], batch_axis=0, time_axis=1),
         node("CumSum", ["q", "axis"], ["c"]), node("Concat", ["t", "f", "c"], ["y"], axis=1)],
        [value_info("x", [2, 3])], [value_info("y", [2, 6])],
        [tensor("k", [1], [2], INT64), tensor("lengths", [2], [2, 3], INT64), tensor("axis", [], [1], INT64)])
    yield "recurrent.onnx", model(
        [node("LSTM", ["x", "w", "r"], ["h", "last"], hidden_size=2), node("Squeeze", ["last", "axis"], ["y"])],
        [value_info("x", [3, 1, 2])], [value_info("y", [1, 2])],
        [tensor("w", [1, 8, 2], wave(16)), tensor("r", [1, 8, 2], wave(16)), tensor("axis", [1], [0], INT64)])
    yield "attention.onnx", model(
        [node("MatMul", ["x", "w"], ["q"]), node("Transpose", ["q"], ["t"], perm=[0, 2, 1]),
         node("MatMul", ["q", "t"], ["s"]), node("Div", ["s", "d"], ["e"]), node("Softmax", ["e"], ["p"], axis=-1),
         node("MatMul", ["p", "q"], ["o"]), node("LayerNormalization", ["o", "g", "g"], ["n"], axis=-1),
         node("Erf", ["n"], ["y"])],
        [value_info("x", ["N", 3, 2])], [value_info("y", ["N", 3, 2])],
        [tensor("w", [2, 2], wave(4)), tensor("d", [], [1.4]), tensor("g", [2], [1.0, 0.5])])
    yield "trees.onnx", model(
        [node("TreeEnsembleRegressor", ["x"], ["y"], "ai.onnx.ml", n_targets=1, nodes_treeids=[0, 0, 0],
              nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
              nodes_values=[0.5, 0.0, 0.0], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
              target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[1.0, -2.0])],
        [x3], [value_info("y", ["N", 1])])
    body = (field(1, node("Add", ["v", "v"], ["w"])) + field(2, "body") + field(12, value_info("w", ["N", 3])))
    other = (field(1, node("Neg", ["v"], ["u"])) + field(2, "other") + field(12, value_info("u", ["N", 3])))
    condition = field(2, 9) + field(8, "c") + field(9, b"\1")
    branch = b"".join(field(5, field(1, k) + field(6, g) + field(20, 5)) for k, g in
                      (("then_branch", body), ("else_branch", other)))
    yield "branches.onnx", model(
        [node("Abs", ["x"], ["v"]), field(1, "c") + field(2, "y") + field(3, "if") + field(4, "If") + branch],
        [x3], [value_info("y", ["N", 3])], [condition])


# ---- data ----

def npy(descr, shape, data, version=1, fortran=False):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    head = 10 if version == 1 else 12
    text += " " * (64 - (head + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def zipped(entries, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, color, rows, extra=b"", interlace=0):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def packed(data):
    return gzip.compress(data, mtime=0)


FLOATS = struct.pack("<6f", 1, 2, 3, 4.5, -6, 0)
IDX = bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 2, 3) + bytes(range(0, 240, 20))
CSV = "a,b,c\n1,2.5,-3e2\n4,5,6\n"
PNG_RGB = png(2, 2, 8, 2, b"\0" + bytes(range(6)) + b"\1" + bytes(range(6)))


def data_seeds():
    arrays = {"f4.npy": npy("<f4", "(2, 3)", FLOATS), "i8_v2.npy": npy("<i8", "(2,)", struct.pack("<2q", 7, -1), 2),
              "fortran.npy": npy("<f4", "(2, 3)", FLOATS, 1, True), "big.npy": npy(">f8", "(1,)", b"\x40" + b"\0" * 7),
              "half.npy": npy("<f2", "(3,)", b"\0\x3c\0\x7c\0\x7e"), "bool.npy": npy("|b1", "(2, 1)", b"\0\1"),
              "scalar.npy": npy("|u1", "()", b"\7"), "empty.npy": npy("<f8", "(0, 4)", b"")}
    for name, content in arrays.items():
        seed("npy", name, content)
    pair = [("x.npy", arrays["f4.npy"]), ("y.npy", arrays["i8_v2.npy"])]
    seed("npz", "stored.npz", zipped(pair, zipfile.ZIP_STORED))
    seed("npz", "deflated.npz", zipped(pair, zipfile.ZIP_DEFLATED))
    seed("npz", "empty.npz", zipped([], zipfile.ZIP_STORED))
    for name, code, element in (("bytes", 8, "B"), ("short", 11, ">h"), ("float", 13, ">f"), ("double", 14, ">d")):
        seed("idx", name + ".idx", bytes([0, 0, code, 1]) + struct.pack(">I", 2) + struct.pack(element, 1) * 2)
    seed("idx", "images.idx", IDX)
    seed("gzip", "text.gz", packed(b"a line\n" * 20))
    seed("gzip", "two_members.gz", packed(b"one") + packed(b"two"))
    seed("gzip", "zeros.gz", packed(b"\0" * 60000))
    deflated = zlib.compressobj(9, zlib.DEFLATED, -15)
    seed("gzip", "raw.bin", b"\4" + deflated.compress(b"0123456789abcdef" * 4) + deflated.flush())
    seed("png", "rgb.png", PNG_RGB)
    seed("png", "gray.png", png(3, 1, 8, 0, b"\0\0\x7f\xff"))
    seed("png", "gray16_interlaced.png", png(1, 1, 16, 0, b"\0\x12\x34", b"", 1))
    seed("png", "palette.png", png(4, 1, 2, 3, b"\0\x1b", chunk(b"PLTE", bytes(range(12))) + chunk(b"tRNS", b"\0\x80")))
    seed("png", "rgba.png", png(1, 2, 8, 6, b"\0\1\2\3\x80\2\1\1\1\1"))
    seed("png", "text.png", png(1, 1, 1, 0, b"\0\x80", chunk(b"tEXt", b"Title\0x") + chunk(b"zTXt", b"a\0\0" + zlib.compress(b"x" * 99))))
    seed("table", "names.csv", CSV)
    seed("table", "semicolons.csv", '1;2\n"3";4\n\n5;"6"\n')
    seed("table", "quoted.tsv", '"a ""b"""\tc\n1\t2\r\n')
    seed("table", "chosen.csv", "c,0\0" + CSV)
    seed("table", "ranges.csv", "0:2\0" + CSV)
    seed("table", "ids.txt", "101 7 42\n5 6 7\n")
    box = "<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>"
    seed("voc", "two.xml", "<annotation><size><width>9</width></size><object><name>dog</name>" + box.format(1, 2, 5, 6) +
         "</object><object><name>cat</name><part><name>head</name></part>" + box.format(1.5, 2, 3, 4) + "</object></annotation>")
    seed("voc", "none.xml", "<?xml version='1.0'?>\n<annotation><!-- nothing --><object/></annotation>")
    seed("voc", "entity.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><annotation>&b;</annotation>")
    names = ["a.csv", "a.png", "a.npy", "a.npz", "a.csv.gz", "a.idx.gz", "a.txt", "a.ids", "a.jpg"]
    for kind, content in ((0, CSV.encode()), (1, PNG_RGB), (2, arrays["f4.npy"]), (3, zipped(pair, 0)),
                          (4, packed(CSV.encode())), (5, packed(IDX)), (6, b"1 2\n3 4\n"), (7, b"1 2\n3 4\n")):
        seed("inputs", "as_" + names[kind], bytes([kind]) + content)
    seed("inputs", "png_16.bin", b"\1" + png(4, 4, 8, 0, b"".join(b"\0" + bytes(4) for _ in range(4))))
    seed("tensor_file", "floats.pb", tensor("x", [2, 3], wave(6)))
    seed("tensor_file", "whole.pb", tensor("x", [2], [1, -1], INT64))
    seed("tensor_file", "listed.pb", field(1, 2) + field(2, 1) + field(4, struct.pack("<2f", 1, 2)) + field(8, "y"))


# ---- JSON and texts ----

def text_seeds():
    values = {"all": {"a": [1, -2, 2.5, 1e-7, True, False, None], "b": {"c": "d\n\"\\/\u00e9\U0001f600"}, "": []},
              "numbers": [0, -0.0, 1e308, 5e-324, 9007199254740993, 18446744073709551615, -9223372036854775808]}
    for name, value in values.items():
        seed("json", name + ".json", json.dumps(value))
    seed("json", "escapes.json", r'["\ud83d\ude00", "\ud800", "\u0000", "\/"]')
    seed("json", "deep.json", "[" * 63 + "]" * 63)
    seed("preprocess", "all.json", json.dumps({"resize": 6, "crop": [5, 4], "scale": 0.00392, "mean": [0.5, 0.4, 0.3],
                                               "std": [0.2, 0.2, 0.2], "layout": "chw", "color": "bgr"}))
    seed("preprocess", "gray.json", '{"resize": [5, 4], "color": "gray", "mean": 0.5}')
    seed("preprocess", "series.json", '{"layout": "tc", "scale": 2}')
    seed("groups", "both.json", '{"left": [0, "1:3"], "right": [4, 5]}')
    seed("groups", "names.json", '{"house": ["rooms", "a"], "rest": ["0:2"]}')
    for name, value in (("list", ["boot", "bag"]), ("by_number", {"0": "boot", "1": "bag"}),
                        ("by_label", {"boot": 0, "bag": 1}), ("pairs", {"0": ["n01", "boot"], "1": ["n02", "bag"]})):
        seed("labels", name + ".json", json.dumps(value))
    seed("labels", "lines.txt", "boot\r\nbag\ntop\n")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "good", "film", "##s", ",", "is", "##n", "'", "t", "it", "?"]
    seed("vocabulary", "vocab.txt", "\n".join(words) + "\n")
    seed("vocabulary", "wordpiece.json", json.dumps(
        {"model": {"type": "WordPiece", "vocab": {word: i for i, word in enumerate(words)}},
         "added_tokens": [{"id": 0, "content": "[PAD]", "special": True}]}))
    seed("vocabulary", "bytes.json", json.dumps({"model": {"type": "BPE", "vocab": {"<s>": 0, "\u0120good": 1, "a": 2}},
                                                 "added_tokens": [{"id": 0, "content": "<s>", "special": True}]}))
    seed("vocabulary", "unigram.json", json.dumps({"model": {"type": "Unigram", "vocab": [["<pad>", 0.0], ["\u2581good", -1.5]]}}))
    for i, text in enumerate(("epsilon_plus_flat", "first:flat;any:epsilon(epsilon=1e-4)", "conv:gamma(gamma=0.25);last:epsilon",
                              "product:uniform;softmax:taylor;pool:flat", "3:zplus;conv1:epsilon")):
        seed("rules", f"{i}.txt", text)
    for i, text in enumerate(("top", "9", "bag", "2,1,0", "class=2,sum", "class=bag,mean", "class=1,box=0:0:2:1",
                              "rank=0,class=2", "box=3,class=1,objectness=no", "position=-1,token=3", "tokens=1,2,position=1")):
        seed("ask", f"{i}.txt", text)
    for i, text in enumerate(("pixels", "patch:2", "grid:2x2", "superpixels:5", "elements", "columns", "zero", "mean",
                              "value:0.1,0.2,0.3", "blur:1.5", "gaussian:0.2", "60", "1.5m", "2h", "none", "3/64",
                              "auto/64", "0:10", "7", "conditional:kernel:0.1", "conditional:equal", "time:4")):
        seed("options", f"{i:02}.txt", text)
    seed("viewer", "open.json", json.dumps({"from": "data", "row": 3, "target": "top", "baseline": "zero", "regions": "grid:4x4"}))
    seed("viewer", "change.json", json.dumps({"masked": "AAE=", "replaced": [[3, 1.5]], "methods": ["shapley", "occlusion"]}))
    line = {"samples": [{"sample": 0, "name": "room 0", "target": 0, "label": -1, "top": 0, "covered": None, "profile": [],
                         "scores": [[0.25, "it is 0 everywhere"]]},
                        {"sample": 1, "name": "room 1", "target": 0, "label": 0, "top": 0, "covered": 0.5,
                         "profile": [0.5, 0.5], "scores": [[1, 0.5]]}],
            "method_seconds": [0.5], "metric_seconds": [0.1, 0.2], "methods_left_out": [""], "metrics_left_out": ["", ""]}
    seed("journal", "two_samples.jsonl", json.dumps(line) + "\n")
    seed("journal", "torn.jsonl", json.dumps(line) + "\n" + '{"samples": [')


# ---- what the program writes ----

def program_seeds(ascribe):
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder)
        (room / "m.onnx").write_bytes(dict(models())["dense.onnx"])
        (room / "x.csv").write_text("a,b,c\n1,0.5,-1\n0.2,-1,0.7\n")

        def run(*words):
            return subprocess.run([ascribe, *words], cwd=folder, check=True, capture_output=True, text=True).stdout

        for verb, more in (("predict", []), ("explain", ["-m", "gradient_x_input"]), ("decompose", []),
                           ("evaluate", ["-m", "gradient_x_input", "--metric", "completeness"])):
            chosen = [] if verb == "evaluate" else ["--row", "0"]
            answer = run(verb, "m.onnx", "x.csv", *more, *chosen, "--json", "--log", "runs.jsonl")
            for target in ("record", "replay"):
                seed(target, verb + ".json", json.dumps(json.loads(answer)["record"]))
        lines = (room / "runs.jsonl").read_text().splitlines(keepends=True)
        seed("log", "one.jsonl", lines[0])
        if len(lines[0] + lines[1]) < 2048:
            seed("log", "two.jsonl", lines[0] + lines[1])
        seed("log", "torn.jsonl", lines[0] + lines[1][:100])
        small = {"log": "ascribe log", "version": 1, "number": 1, "time": "2026-11-17T15:08:03Z", "previous": "",
                 "run": {"verb": "predict"}, "sha256": ""}
        seed("log", "chained.jsonl", "".join(json.dumps(small | {"number": i}) + "\n" for i in (1, 2, 3)))
        program_parts(room, run)
        program_reports(room, run)


def program_parts(room, run):
    run("explain", "m.onnx", "x.csv", "-m", "gradient_x_input,occlusion", "--shard", "1/1", "-o", "explained")
    run("decompose", "m.onnx", "x.csv", "--row", "0", "--shard", "1/1", "-o", "game")
    run("evaluate", "m.onnx", "x.csv", "-m", "gradient_x_input", "--metric", "completeness", "--shard", "1/1", "-o", "scores")
    for folder in ("explained", "game", "scores"):
        for path in sorted((room / folder).glob("*.part")):
            data = path.read_bytes()
            if len(data) <= LARGEST:
                seed("parts", folder + ".bin", data)
            seed("parts", folder + ".json", json.dumps(part_as_json(data)))
            break


def part_as_json(data):
    at, header, blocks = 16, None, []
    while at < len(data):
        tag, length = data[at:at + 4], struct.unpack_from("<Q", data, at + 8)[0]
        content = data[at + 16:at + 16 + length]
        at += 16 + length
        if tag == b"HEAD":
            header = json.loads(content)
            del header["settings_sha256"]
        elif tag == b"DATA":
            count = struct.unpack_from("<I", content)[0]
            items = [list(struct.unpack_from("<qq", content, 4 + 16 * i)) for i in range(count)]
            blocks.append({"items": items} | body_as_json(header["kind"], content[4 + 16 * count:]))
    return {"header": header, "blocks": blocks}


def body_as_json(kind, body):
    if kind == "game":
        return {"numbers": list(struct.unpack(f"<{len(body) // 8}d", body))}
    if kind == "evaluate":
        return {"json": json.loads(body)}
    length = struct.unpack_from("<Q", body)[0]
    text, rest = json.loads(body[8:8 + length]), body[8 + length:]
    owners = sum(len(layout.get("names", [])) for layout in text["layouts"])
    whole = list(struct.unpack_from(f"<{owners}i", rest))
    return {"json": text, "whole": whole, "numbers": list(struct.unpack(f"<{(len(rest) - 4 * owners) // 8}d", rest[4 * owners:]))}


def program_reports(room, run):
    for name, words in (("row", ["--row", "0", "-m", "gradient_x_input,occlusion", "--metric", "infidelity"]),
                        ("many", ["--rows", "2", "-m", "gradient_x_input"])):
        run("report", "m.onnx", "x.csv", *words, "-o", name + ".html", "--force", "--budget", "none")
        document = json.loads((room / (name + ".json")).read_text())
        document.pop("record", None)
        seed("report", name + ".json", json.dumps(document, separators=(",", ":")))
        if name == "row":
            seed("report", "markup.json", json.dumps(with_markup(document), separators=(",", ":")))


def with_markup(document):
    """Whole elements and attributes of the page's own kinds in texts that are free."""
    element, attribute = "<b>x</b>", '" title="x'
    document = json.loads(json.dumps(document))
    document["title"] += element + attribute
    document["model"]["file"] = element + attribute
    row = document["rows"][0]
    row["source"] += element + attribute
    row["target"]["description"] += element + attribute
    row["players"]["names"][0] += element + attribute
    return document


def dataset(options, *files):
    """As tests/fuzz/targets/dataset.cpp reads it: files by the number of their name."""
    return bytes([options]) + b"".join(bytes([name]) + struct.pack("<H", len(content)) + content for name, content in files)


def dataset_seeds():
    labels = bytes([0, 0, 8, 1]) + struct.pack(">I", 2) + bytes([1, 0])
    images = bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 2, 2) + bytes(range(8))
    voc = b"<annotation><object><name>dog</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox>" \
          b"</object></annotation>"
    boxes = b"file,class,x0,y0,x1,y1\ncat/a.png,cat,0,0,1,1\n"
    seed("dataset", "idx.bin", dataset(0, (0, images), (1, labels)))
    seed("dataset", "idx_file.bin", dataset(32, (0, images)))
    seed("dataset", "cifar.bin", dataset(1, (3, b"\3" + bytes(40)), (4, b"apple\nbear\n")))
    seed("dataset", "cifar_100.bin", dataset(0, (2, b"\1\7" + bytes(3072)), (4, b"apple\n")))
    seed("dataset", "folders.bin", dataset(8, (5, PNG_RGB), (6, PNG_RGB)))
    seed("dataset", "boxes.bin", dataset(10, (5, PNG_RGB), (8, boxes)))
    seed("dataset", "xml.bin", dataset(12, (5, PNG_RGB), (7, voc)))
    seed("dataset", "table.bin", dataset(48, (9, CSV if isinstance(CSV, bytes) else CSV.encode())))
    seed("dataset", "arrays.bin", dataset(32, (10, zipped([("x.npy", npy("<f4", "(2, 3)", FLOATS)),
                                                         ("y.npy", npy("<i8", "(2,)", struct.pack("<2q", 1, 0)))],
                                                        zipfile.ZIP_STORED))))


def main():
    ascribe = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/ascribe").resolve())
    for name, content in models():
        seed("import", name, content)
        seed("run", name, content)
    data_seeds()
    dataset_seeds()
    text_seeds()
    program_seeds(ascribe)
    print(f"{written} bytes of seeds")


if __name__ == "__main__":
    main()
