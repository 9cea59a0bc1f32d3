# SPDX-License-Identifier: MIT
"""A page in Markdown for each public header: what its comments say, and what it declares."""
import os
import re

HEADERS = "include/dblock"
# What a reader of the page needs no word about.
MACHINERY = re.compile(r"#(ifndef|ifdef|if|elif|else|endif|include)\b|#define DBLOCK_[A-Z_]+_H$|extern \"C\"|}$")


def headers():
    return sorted(name for name in os.listdir(HEADERS) if re.search(r"\.h(\.in)?$", name) and name != "export.h")


def read(name):
    with open(os.path.join(HEADERS, name), encoding="utf-8") as file:
        return file.read()


def shown_name(name):
    return name.removesuffix(".in")


def functions():
    """Of each public function: the header that declares it."""
    found = {}
    for name in headers():
        for match in re.finditer(r"^(?:DBLOCK_API|static inline) .*?\b(dblock_\w+)\(", read(name), re.MULTILINE):
            found[match.group(1)] = shown_name(name)
    return found


def comment(lines):
    """The text of a comment that begins at the first line, and how many lines it has."""
    n = next(i for i, line in enumerate(lines) if "*/" in line) + 1
    text = [re.sub(r"^/\*\*? ?|^ \*(?!/) ?", "", re.sub(r" *\*/$", "", line)) for line in lines[:n]]
    return "\n".join(text).strip("\n"), n


def declaration(lines):
    """How many lines the declaration has that begins at the first one."""
    text = ""
    for i, line in enumerate(lines):
        if lines[0].startswith("#"):
            if not line.endswith("\\"):
                return i + 1
            continue
        if line.startswith("#"):
            continue
        text = re.sub(r"/\*.*?\*/", "", text + line + "\n", flags=re.DOTALL)
        closed = "/*" not in text and text.count("{") == text.count("}")
        if closed and re.search(r"[;}]\s*$", text):
            return i + 1
    return len(lines)


def pieces(text):
    """(comment, declaration) of a header, in its order; either may be empty."""
    lines, said, i = text.split("\n"), "", 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("/*"):
            if said:
                yield said, ""
            said, n = comment(lines[i:])
            if "SPDX" in said:
                said = ""
        elif not line or MACHINERY.match(line):
            n = declaration(lines[i:]) if line.startswith("#") else 1
            if said:
                yield said, ""
            said = ""
        else:
            n = declaration(lines[i:])
            yield said, "\n".join(lines[i:i + n])
            said = ""
        i += n


def plain(text):
    """Text of a comment, whose signs mean nothing, but for code in backquotes."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        part = re.sub(r"([\\*_<>\[\]#|{}$])", r"\\\1", parts[i])
        part = re.sub(r"\b(dblock(?:\\_\w+)+(?:\(\)|\b)|DBLOCK(?:\\_\w+)+)", lambda m: f"`{m.group().replace(chr(92), '')}`",
                      part)
        parts[i] = re.sub(r"\b(docs/[a-z0-9_/-]+\.md)\b", r"[\1](../../\1)", part)
    return "".join(parts)


def described(text):
    """A comment: its paragraphs, what is shown as it stands, its @param, @retval and @return."""
    out, tag, shown = [], "", False
    for line in text.split("\n"):
        match = re.match(r"@(param|retval) +([\w.]+(?:, +DBLOCK_\w+)*,?) *(.*)|@(return) +(.*)", line)
        as_it_stands = not match and not tag and line.startswith("   ")
        if shown and not as_it_stands and line:
            out[-1:] = [out[-1], "```\n"] if out[-1] else ["```\n"]
            shown = False
        if match:
            name = re.sub(r"([\w.]+)", r"`\1`", match.group(2) or "") or "returns"
            name += ":" * (not name.endswith(","))
            out.append(("" if tag else "\n") + f"- {name} {plain(match.group(3) or match.group(5) or '')}".rstrip(": "))
            tag = "  "
        elif not line:
            tag = ""
            out.append("")
        elif as_it_stands:
            if not shown:
                out.append("\n```")
            shown = True
            out.append(line)
        else:
            if tag and re.match(r"[A-Z]", line) and not line.startswith("DBLOCK_"):
                tag = ""
                out.append("")
            out.append(tag + plain(line.strip()))
    if shown:
        out.append("```")
    return "\n".join(out)


def title(code):
    """What a declaration declares, or None for what has no heading."""
    match = re.match(r"(?:DBLOCK_API|static inline) [^;]*?\b(dblock_\w+)\(", code)
    if match:
        return f"`{match.group(1)}()`"
    match = re.match(r"((?:struct|enum|union) \w+) \{", code) or re.match(r"typedef [^;]*\(\*(\w+)\)", code)
    return f"`{match.group(1)}`" if match else None


def code_of(code):
    """As it is shown: what is for compilers is left out."""
    code = re.sub(r"\b(DBLOCK_API|DBLOCK_NODISCARD) ", "", code)
    code = re.sub(r"^(#define \w+_INIT)\b.*", r"\1", code, flags=re.DOTALL)
    code = re.sub(r"^(static inline [^{]*?)\s*\{.*", r"\1;", code, flags=re.DOTALL)
    code = re.sub(r"/\*\*<?(?=\s)", "/*", code)
    return "\n".join(re.sub(r"^\t+", lambda m: "    " * len(m.group()), line) for line in code.split("\n"))


def page(name):
    text, out, fenced = read(name), [], False
    about = ""
    for said, code in pieces(text):
        match = re.match(r"@file \S+ +(.*)", said, re.DOTALL)
        if match:
            first, _, rest = match.group(1).partition("\n\n")
            about = " ".join(first.split())
            out.append(f"# `{shown_name(name)}`\n\n{plain(about)}\n\n```c\n#include <dblock/{shown_name(name)}>\n```\n\n"
                       + described(rest) + "\n")
            continue
        heading = title(code)
        if fenced and (heading or said):
            out.append("```\n")
            fenced = False
        if heading:
            out.append(f"## {heading}\n")
        if not heading and not said and code and fenced:
            out.append(code_of(code))
            continue
        if heading and code.startswith(("DBLOCK_API", "static")):
            out.append(f"```c\n{code_of(code)}\n```\n\n{described(said)}\n")
            continue
        if said:
            out.append(described(said) + "\n")
        if code:
            out.append(f"```c\n{code_of(code)}")
            fenced = True
    if fenced:
        out.append("```")
    return "\n".join(out) + "\n", about


def index(abouts):
    rows = "\n".join(f"| [`{name}`]({name}.md) | {plain(about)} |" for name, about in abouts.items())
    return f"# The headers\n\nMade of their comments. [The tour](../../docs/user/api.md) says where to begin.\n\n" \
        f"| | |\n|---|---|\n{rows}\n"
