import type { Format } from "../format.ts";
import { isZulipFile } from "./layout.ts";

export const zulip: Format = {
  id: "zulip",
  name: "Zulip",
  isSign: isZulipFile,
  expected:
    "it has no realm.json. Name the .tar.gz that `manage.py export` of Zulip made, or the folder to which you unpacked it.",
  help: "Takes the .tar.gz that Zulip's `manage.py export` makes, or the folder to which it was unpacked. A topic becomes a thread.",
  guide: {
    name: "import-zulip",
    part: "more",
    about: "moving an organisation in from Zulip",
    text: () => import("../../../../../../docs/guide/import-zulip.md", { with: { type: "text" } }),
  },
  open: async (archive, { clock }) => (await import("./open-zulip.ts")).openZulip(archive, clock),
};
