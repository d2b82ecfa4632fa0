#!/usr/bin/env python3
"""Makes a flame graph (SVG) of "perf script" on standard input.

    perf record -F 1999 -g -p PID -o perf.data -- sleep 3
    perf script -i perf.data | doc/flamegraph.py 'title' > graph.svg

Width is the share of the samples; frames below LEAST of them are left out, and
those at the same place are one. Hold the pointer on a frame to read it whole.
"""
import html
import re
import sys
import zlib

LEAST, WIDTH, ROW = 0.002, 1000, 15


def stacks(lines):
    """Yields the frames of each sample, the outermost first."""
    frames = []
    for line in lines:
        if not line.strip():
            if frames:
                yield frames[::-1]
            frames = []
        elif line[0] in " \t":
            m = re.match(r"\s*[0-9a-f]+ (.+?)(\+0x[0-9a-f]+)? \((.*)\)$", line)
            if m:
                frames.append((m.group(1), "kernel" in m.group(3)))
    if frames:
        yield frames[::-1]


def merge(samples):
    """Returns the tree: {frame: [samples, children]}."""
    root, total = {}, 0
    for frames in samples:
        total += 1
        at = root
        for f in frames:
            node = at.setdefault(f, [0, {}])
            node[0] += 1
            at = node[1]
    return root, total


def draw(tree, total, x, depth, out):
    deepest = depth
    for (name, kernel), (n, children) in sorted(tree.items()):
        w = n / total * WIDTH
        if n / total >= LEAST:
            out.append((x, depth, w, name, kernel, n))
            deepest = max(deepest, draw(children, total, x, depth + 1, out))
        x += w
    return deepest


def main():
    tree, total = merge(stacks(sys.stdin))
    boxes = []
    rows = draw(tree, total, 0, 0, boxes) + 1
    height = rows * ROW + 24
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
          'font-family="sans-serif" font-size="10"><rect width="100%" height="100%" fill="#fff"/>')
    print(f'<text x="4" y="14" font-size="12">{html.escape(sys.argv[1])}: {total} samples; '
          'yellow: the kernel, green: poolgw and the Go run time</text>')
    for x, depth, w, name, kernel, n in boxes:
        y = height - (depth + 1) * ROW
        shade = zlib.crc32(name.encode()) % 40
        color = f"hsl({45 if kernel else 110},{55 + shade}%,{62 + shade // 4}%)"
        label = name if len(name) * 5.2 < w else name[:max(0, int(w / 5.2) - 1)]
        text = f'<text x="{x + 2:.1f}" y="{y + 11}">{html.escape(label)}</text>' if w > 18 else ""
        print(f'<g><title>{html.escape(name)} {100 * n / total:.1f} %</title>'
              f'<rect x="{x:.1f}" y="{y}" width="{w:.1f}" height="14" fill="{color}"/>{text}</g>')
    print("</svg>")


main()
