#!/usr/bin/env python3
"""Lists the public API of the library, from its debug build.

  api.py BUILD              prints the listing: docs/SwiftGet-API.txt is made of it
  api.py BUILD --undocumented   prints the public symbols without a documentation comment; status 1 if there are any
  api.py BUILD --graphs DIR     keeps the symbol graphs, for docc
  api.py BUILD --typecheck FILE     compiles a source that imports the library, and throws the result away

BUILD is the directory of the products, such as .build/debug. One line is a symbol: its path and its declaration, or what
a type conforms to.
"""
import json, os, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ["SwiftGet", "SwiftGetFoundation"]


def flags(build: Path):
    """What a compiler needs to import the library."""
    maps = sorted(ROOT.glob("Sources/CSwiftGet*/module.modulemap")) + [build / "CSwiftGetShims.build/module.modulemap"]
    given = ["-I", str(build / "Modules"), "-target", f"{os.uname().machine}-unknown-linux-gnu"]
    for path in maps:
        given += ["-Xcc", f"-fmodule-map-file={path}"]
    return given


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"api.py: {' '.join(command[:2])} failed:\n{done.stdout}{done.stderr}")


def extract(build: Path, module: str, out: str):
    run(["swift-symbolgraph-extract", "-module-name", module, *flags(build), "-minimum-access-level", "public",
         "-skip-synthesized-members", "-output-dir", out])


def graphs(build: Path, module: str):
    with tempfile.TemporaryDirectory() as out:
        extract(build, module, out)
        for file in sorted(Path(out).glob("*.json")):
            yield json.loads(file.read_text())


def declaration(symbol) -> str:
    text = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
    return " ".join(text.split())


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    option, values = (sys.argv[2], sys.argv[3:]) if len(sys.argv) > 2 else (None, [])
    if option == "--graphs":
        Path(values[0]).mkdir(parents=True, exist_ok=True)
        return extract(build, MODULES[0], values[0])
    if option == "--typecheck":
        return run(["swiftc", "-typecheck", "-swift-version", "6", *flags(build), values[0]])
    lines, undocumented = set(), []
    for module in MODULES:
        for graph in graphs(build, module):
            paths = {}
            for symbol in graph["symbols"]:
                path = ".".join(symbol["pathComponents"])
                paths[symbol["identifier"]["precise"]] = path
                lines.add(f"{module} {path}: {declaration(symbol)}")
                if "docComment" not in symbol:
                    undocumented.append(f"{module} {path}")
            for relation in graph["relationships"]:
                if relation["kind"] == "conformsTo" and relation["source"] in paths:
                    name = relation.get("targetFallback") or paths.get(relation["target"], relation["target"])
                    if name == "Swift.SendableMetatype":  # of all that is Sendable
                        continue
                    lines.add(f"{module} {paths[relation['source']]}: conforms to {name}")
    if option == "--undocumented":
        print("\n".join(sorted(undocumented)))
        sys.exit(1 if undocumented else 0)
    print("\n".join(sorted(lines)))


main()
