import { expect, test } from "bun:test";
import { endsInOpenFence } from "../../src/ui/open-fence.ts";

test.each(["```", "```js", "a\n```\nb", "  ```py\nif x:\n", "~~~\n```\n", "````\n```\n", "```\na\n```\n```"])(
  "%j ends in a block of code",
  (text) => {
    expect(endsInOpenFence(text)).toBe(true);
  },
);

test.each(["", "text", "`code`", "``` all in a line ```", "```\na\n```", "~~~\na\n~~~\n", "````\n```\n````", "a ```"])(
  "%j does not end in a block of code",
  (text) => {
    expect(endsInOpenFence(text)).toBe(false);
  },
);
