import { createRoot } from "react-dom/client";
import { Parley } from "../session/parley.ts";
import { Page } from "./page.tsx";

const root = document.getElementById("app");
if (root === null) throw new Error("The page has no #app.");
createRoot(root, {
  // Errors that an error boundary has caught.
  onCaughtError: (error, { componentStack }) => console.error(error, componentStack),
}).render(<Page parley={new Parley(location.origin)} />);
