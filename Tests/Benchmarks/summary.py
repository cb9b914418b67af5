"""Several results of bench.py as one: a picture (SVG) and a table (Markdown)."""

import json
import math
from html import escape

COLOURS = {
    "swiftget": "#d6361f", "curl": "#1f6fb2", "aria2c": "#2f9e5b", "wget2": "#8a63b8", "axel": "#c98a12",
    "lftp": "#5f6b73", "reader": "#9aa3a8", "limit": "#9aa3a8", "threads": "#9aa3a8", "honest": "#9aa3a8", "alone": "#9aa3a8", "sha256sum": "#8a63b8",
}
# Of the backgrounds that README.md has: paper, stripes, text, weak text, grid, the line of equal time.
THEMES = {
    "light": ("#ffffff", "#f6f7f8", "#222222", "#666666", "#dddddd", "#555555"),
    "dark": ("#0d1117", "#161b22", "#e6edf3", "#9da7b3", "#30363d", "#9da7b3"),
}
LEFT, RIGHT, TOP, ROW = 430, 40, 62, 26
WIDTH = 960
# Beyond this a dot is at the edge, with its number.
FARTHEST = 16


def load(paths):
    """The workloads of all files, each from the file that was measured last."""
    found = {}
    for result in sorted((json.load(open(path)) for path in paths), key=lambda result: result["date"]):
        for name, workload in result["workloads"].items():
            found[name] = {**workload, "date": result["date"], "machine": result["machine"]}
    return found


def best_peer(medians):
    """Name and figures of the fastest of the others; our C programs and swiftget in an easier case are none of them."""
    ours = ("swiftget", "reader", "limit", "threads", "honest", "alone")
    peers = {tool: figures for tool, figures in medians.items() if tool not in ours}
    return min(peers.items(), key=lambda peer: peer[1]["wall"], default=(None, None))


def spread(workload, peer):
    """The least and the greatest ratio to the peer within one round, as text; none of a single round."""
    walls = {}
    for run in workload["runs"]:
        if "error" not in run:
            walls.setdefault(run["round"], {})[run["tool"]] = run["wall"]
    ratios = [tools["swiftget"] / tools[peer] for tools in walls.values() if "swiftget" in tools and peer in tools]
    return f"{min(ratios):.2f} to {max(ratios):.2f}" if len(ratios) > 1 else "one round"


def table(workloads):
    lines = ["| workload | swiftget | best of the others | ratio | spread | name |", "|---|---|---|---|---|---|"]
    for name, workload in workloads.items():
        peer, figures = best_peer(workload["medians"])
        own = workload["medians"].get("swiftget")
        if peer is None or own is None:
            continue
        lines.append(
            f"| {workload['title']} | {own['wall']:.2f} s | {peer} {figures['wall']:.2f} s "
            f"| {own['wall'] / figures['wall']:.2f} | {spread(workload, peer)} | `{name}` |")
    return "\n".join(lines)


def svg(workloads, theme):
    """One line per workload: each tool's time, as a multiple of the best of swiftget's peers, on a logarithmic axis."""
    paper, stripe, text, faint, grid, equal = THEMES[theme]
    rows = [(workload, best_peer(workload["medians"])[1]) for workload in workloads.values()]
    rows = [(workload, best["wall"]) for workload, best in rows if best and "swiftget" in workload["medians"]]
    ratios = [figures["wall"] / best for workload, best in rows for figures in workload["medians"].values()]
    least = math.log(min(0.5, *ratios) * 0.95)
    most = math.log(FARTHEST)
    height = TOP + ROW * len(rows) + 40

    def x(ratio):
        return LEFT + (math.log(min(ratio, FARTHEST)) - least) / (most - least) * (WIDTH - LEFT - RIGHT)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="{paper}"/>',
        f'<text x="12" y="22" font-size="15" fill="{text}">Time, as a multiple of the best of the others (left is faster)'
        "</text>",
    ]
    tools = [tool for tool in COLOURS if any(tool in workload["medians"] for workload, _ in rows)]
    for index, tool in enumerate(tools):
        at = LEFT - 70 + index * (WIDTH - LEFT + 60) / len(tools)
        parts.append(f'<circle cx="{at:.0f}" cy="40" r="5" fill="{COLOURS[tool]}"/>')
        parts.append(f'<text x="{at + 9:.0f}" y="44" fill="{text}">{escape(tool)}</text>')
    bottom = TOP + ROW * len(rows)
    for tick in (0.1, 0.25, 0.5, 1, 2, 4, 8, 16):
        if math.log(tick) < least:
            continue
        weight = equal if tick == 1 else grid
        parts.append(f'<line x1="{x(tick):.1f}" y1="{TOP - 6}" x2="{x(tick):.1f}" y2="{bottom}" stroke="{weight}"/>')
        label = f"{'≥ ' if tick == FARTHEST else ''}{tick:g} ×"
        parts.append(f'<text x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle" fill="{faint}">{label}</text>')
    for number, (workload, best) in enumerate(rows):
        middle = TOP + ROW * number + ROW / 2
        if number % 2:
            parts.insert(2, f'<rect x="0" y="{middle - ROW / 2}" width="{WIDTH}" height="{ROW}" fill="{stripe}"/>')
        parts.append(f'<text x="12" y="{middle + 4}" fill="{text}">{escape(workload["title"])}</text>')
        for tool in reversed(tools):
            if figures := workload["medians"].get(tool):
                ratio = figures["wall"] / best
                radius = 6 if tool == "swiftget" else 5
                parts.append(
                    f'<circle cx="{x(ratio):.1f}" cy="{middle}" r="{radius}" fill="{COLOURS[tool]}" '
                    f'fill-opacity="0.85"><title>{escape(tool)}: {figures["wall"]:.2f} s, {ratio:.2f} ×</title></circle>')
    dates = sorted(workload["date"][:10] for workload, _ in rows)
    machines = sorted({f'{w["machine"]["cpu"]}, {w["machine"]["cores"]} cores' for w, _ in rows})
    span = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    parts.append(
        f'<text x="12" y="{bottom + 32}" fill="{faint}" font-size="11">{escape(span)}; {escape("; ".join(machines))}</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
