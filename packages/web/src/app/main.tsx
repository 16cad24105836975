import { createRoot } from "react-dom/client";
import { Parley } from "../session/parley.ts";
import { ParleyContext } from "../session/parley-context.ts";
import { App } from "./app.tsx";

const root = document.getElementById("app");
if (root === null) throw new Error("The page has no #app.");
createRoot(root).render(
  <ParleyContext value={new Parley(location.origin)}>
    <App />
  </ParleyContext>,
);
