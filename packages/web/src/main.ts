import { App } from "./app.ts";

new App(location.origin).start();
