"""Ways known to get something to run, or to be fetched, by a text that is shown as HTML."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup

RUN = "window.ran++"  # without an equals sign, so that it needs no quotes
FETCHED = "https://x.example"
PNG = (  # one dot
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)

# By learners' HTML, by links and pictures of Markdown, and by TeX. After the OWASP cheat sheet on
# evading filters, and what has been found in sanitisers since: parsers that disagree about SVG,
# MathML, comments and text without markup.
PAYLOADS = (
    f"<script>{RUN}</script>",
    f"a <scr<script>{RUN}</script>ipt>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'></noscript>",
    f"<img src=x onerror={RUN}>",
    "<img src=x onerror='&#119;indow.ran++'>",
    f"<img src={FETCHED}/p.png>",
    f"<img srcset='{FETCHED}/p.png 2x'>",
    f"<video poster={FETCHED}/p.png></video>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}><summary>s</summary></details>",
    f"<input autofocus onfocus={RUN}>",
    f"<svg onload={RUN}></svg>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><a><set attributeName=href to='javascript:{RUN}'></set><text y=9>t</text></a></svg>",
    f"<svg><use href='{FETCHED}/s.svg#x'></use></svg>",
    f"<svg></p><style><a id='</style><img src=1 onerror={RUN}>'></svg>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={RUN}></style></mglyph>",
    "<math><mtext><table><mglyph><style><!--</style>"
    f"<img title='--&gt;&lt;img src=1 onerror={RUN}&gt;'>",
    "<math><annotation-xml encoding=text/html><style><img title='</style>"
    f"<img src=x onerror={RUN}>'></style></annotation-xml></math>",
    f"<math href='javascript:{RUN}'><mi>x</mi></math>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<object data='{FETCHED}/x.swf'></object>",
    f"<form action='javascript:{RUN}'><button>b</button></form>",
    f"<meta http-equiv=refresh content='0;url={FETCHED}'>",
    f"<base href='{FETCHED}/'>",
    f"<link rel=stylesheet href={FETCHED}/s.css>",
    f"<style>@import '{FETCHED}/s.css';</style>",
    f"<b style='background: url({FETCHED}/b.png)'>b</b>",
    f"<table background='{FETCHED}/b.png'><tr><td>t</td></tr></table>",
    f"<a href='javascript:{RUN}'>a</a>",
    f"<a href='java&#x09;script:{RUN}'>a</a>",
    f"<a href='#x' ping='{FETCHED}'>a</a>",
    f"<textarea><img title='</textarea><img src=x onerror={RUN}>'></textarea>",
    f"<title><img title='</title><img src=x onerror={RUN}>'></title>",
    f"<template><img src=x onerror={RUN}></template>",
    f"<b>**a**\n<img src=x\nonerror={RUN}>",
    f"[a](javascript:{RUN})",
    f"[a](<java\tscript:{RUN}>)",
    f"[a](&#106;avascript:{RUN})",
    f"<javascript:{RUN}>",
    "[a](data:text/html;base64,PHNjcmlwdD53aW5kb3cucmFuPTE8L3NjcmlwdD4=)",
    "[a](file:///etc/passwd)",
    f"$\\href{{javascript:{RUN}}}{{x}}$",
    f"$$\\style{{background: url({FETCHED}/b.png)}}{{x}}$$",
)

ACTIVE = {
    "script", "style", "iframe", "object", "embed", "svg", "form", "button", "base", "link",
    "meta", "video", "audio", "source", "body", "marquee", "select", "template", "title", "xmp",
    "textarea", "noscript",
}  # fmt: skip
FETCHING = {
    "src", "srcset", "srcdoc", "data", "poster", "background", "action", "formaction", "ping",
    "style",
}  # fmt: skip
PICTURE = re.compile("data:image/(png|jpeg);base64,")


def harm(page: str) -> list[str]:
    """What in `page` could run or be fetched."""
    found = []
    for tag in BeautifulSoup(page, "html.parser").find_all(True):
        found += [tag.name] * (tag.name in ACTIVE)
        for name, value in tag.attrs.items():
            leads_away = "href" in name and not re.match("https?://|mailto:|#", str(value), re.I)
            if (tag.name, name) == ("img", "src") and PICTURE.match(str(value)):
                continue
            if name.startswith("on") or name in FETCHING or leads_away:
                found.append(f"{tag.name} {name}={value}")
    return found


def text(page: str) -> str:
    """What a reader reads, with single spaces."""
    return " ".join(BeautifulSoup(page, "html.parser").get_text().split())
