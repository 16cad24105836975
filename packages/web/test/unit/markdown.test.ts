import { describe, expect, test } from "bun:test";
import { shown } from "../support/markdown.ts";

const LINK = 'target="_blank" rel="noopener noreferrer nofollow ugc"';

describe("Markdown", () => {
  test.each([
    ["plain", "<p>plain</p>"],
    ["**b** *i* ~~s~~ `c`", '<p><strong>b</strong> <em>i</em> <del>s</del> <code translate="no">c</code></p>'],
    ["one\ntwo", "<p>one\ntwo</p>"],
    ["# a\n## b\n###### c", "<h3>a</h3><h4>b</h4><h5>c</h5>"],
    ["### a", "<h3>a</h3>"],
    ["**重点：**请看，*“好”*的", "<p><strong>重点：</strong>请看，<em>“好”</em>的</p>"],
    ["#", "<p>#</p>"],
    [
      "- a\n- [x] b\n  - c",
      '<ul><li><div>a</div></li><li class="task"><span role="img" aria-label="Done">☑</span><div><div>b</div><ul><li><div>c</div></li></ul></div></li></ul>',
    ],
    ["3. a", '<ol start="3"><li><div>a</div></li></ol>'],
    ["> a\n> b", "<blockquote><p>a\nb</p></blockquote>"],
    ["---", "<hr/>"],
    ["<b>*x*</b>", "<p>&lt;b&gt;<em>x</em>&lt;/b&gt;</p>"],
    ["<!-- a -->", "<p>&lt;!-- a --&gt;</p>"],
    ["![a](https://x.example/a.png)", "<p>![a](https://x.example/a.png)</p>"],
    ["$a_b$ and $$c*d*e$$", '<p><code translate="no">$a_b$</code> and <code translate="no">$$c*d*e$$</code></p>'],
    ["$5 and $10, 3~5 and 6~7", "<p>$5 and $10, 3~5 and 6~7</p>"],
    ["[a]: https://x.example", "<p>[a]: https://x.example</p>"],
    ["10 &eacute; &amp;", "<p>10 é &amp;</p>"],
  ])("shows %j", (content, html) => {
    expect(shown(content)).toBe(html);
  });

  test.each([
    ["https://x.example/__init__.py", "https://x.example/__init__.py", ""],
    ["[a](https://x.example)", "https://x.example/", "a"],
    ["[a][1]\n\n[1]: https://x.example", "https://x.example/", "a"],
    ["<mailto:a@x.example>", "mailto:a@x.example", "mailto:a@x.example"],
  ])("links %j", (content, href, text) => {
    expect(shown(content)).toBe(`<p><a href="${href}" ${LINK}>${text || href}</a></p>`);
  });

  test.each([
    "[a](javascript:alert(1))",
    "[a](data:text/html,x)",
    "[a](/etc)",
    "[a](https://google.com@evil.example)",
    "[a](ftp://x.example)",
  ])("shows a link that it may not follow as it was written: %j", (content) => {
    expect(shown(content)).toBe(`<p>${content}</p>`);
  });

  test.each([
    ["[bank.example](https://evil.example/a)", "evil.example"],
    ["[https://bank.example/](https://evil.example:8080/bank.example)", "evil.example:8080"],
    ["[bank。example](https://evil.example)", "evil.example"],
    ["[ba\u200bnk](https://evil.example)", "evil.example"],
    ["[a@x.example](mailto:b@x.example)", "b@x.example"],
    ["[a](https://evil.example)", null],
    ["[www.x.example](https://x.example/a)", null],
    ["[v1.2.3](https://x.example)", null],
  ])("names the host of %j if the text names another", (content, host) => {
    expect(/<span class="leads-to"> \((.*)\)</.exec(shown(content))?.[1] ?? null).toBe(host);
  });

  test("shows tables and code", () => {
    expect(shown("|a|b|\n|-|:-:|\n|1|*2*|")).toBe(
      '<div class="scroll-box" role="group" tabindex="0" aria-label="Table"><table><thead><tr><th>a</th><th class="center">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td class="center"><em>2</em></td></tr></tbody></table></div>',
    );
    expect(shown("```ts\nlet a = `<b>`\n```")).toContain("<pre><code>let a = `&lt;b&gt;`</code></pre>");
    for (const content of ["    ```py\n    a\n      b\n    ```", "```py\na\n  b\n```", "- ```py\n  a\n    b\n  ```"])
      expect(shown(content)).toContain('aria-label="Code: py"><pre><code>a\n  b</code></pre>');
  });
});
