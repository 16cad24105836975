import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { Parley } from "./app/parley.ts";
import { ParleyContext } from "./app/parley-context.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("The page has no #app.");
createRoot(root).render(
  <ParleyContext value={new Parley(location.origin)}>
    <App />
  </ParleyContext>,
);
